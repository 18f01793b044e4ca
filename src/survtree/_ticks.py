"""Round numbers for the axes of pictures."""

import math


def round_ticks(end: float, most: int = 6) -> list[float]:
    """Round numbers from 0 on, evenly spaced, up to the end; so many at most beside the 0."""
    step = 10.0 ** math.floor(math.log10(end / most))
    while end / step >= most + 1:
        step = next(
            step * factor for factor in (2.0, 2.5, 5.0, 10.0) if end / (step * factor) < most + 1
        )
    # As they are written: 3 x 0.1 is 0.30000000000000004.
    return [float(f"{step * place:.6g}") for place in range(int(end / step * (1 + 1e-12)) + 1)]
