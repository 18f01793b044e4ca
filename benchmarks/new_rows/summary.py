"""Summary."""


def summary(rows):
    return f"{len(rows)} rows"
