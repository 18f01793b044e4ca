"""How a search is to run, as the options of an estimator say."""

from typing import Any

from survtree._search.problem import SearchSettings


def search_settings_of(options: dict[str, Any]) -> SearchSettings:
    """How the search is to run and when it may stop, from the options of the estimator."""
    may_stop = ("time_limit", "memory_limit", "node_limit", "gap", "verbose", "callback")
    limits = ("gap", "upper_bound", "time_limit", "memory_limit", "node_limit")
    return SearchSettings(
        **{name: options[name] for name in (*limits, "n_jobs", "device")},
        proves=options["reference_mode"] == "prove",
        wants_proof=options["certificate"] == "full",
        # A search that may be stopped, or is watched, had better close its gap on the way.
        wants_bounds=any(options[name] for name in may_stop),
    )
