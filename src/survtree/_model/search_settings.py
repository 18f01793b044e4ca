"""How a search is to run, as the options of an estimator say."""

from dataclasses import replace
from typing import Any

from survtree._model.prepare import Prepared
from survtree._search.problem import SearchSettings
from survtree._search.read_reference import reference_losses
from survtree._search.solve import KeptSearch


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


def settings_for(
    options: dict[str, Any], prepared: Prepared, kept: KeptSearch | None
) -> SearchSettings:
    """The same with the losses of the reference, if the search will use them."""
    settings, problem = search_settings_of(options), prepared.problem
    is_proving = settings.proves and kept is not None and kept.is_proof(problem)
    if options["reference"] is None or is_proving:
        return settings
    losses = reference_losses(
        options["reference"], prepared.X, problem.matrix, problem.events, prepared.seed
    )
    return replace(settings, guessed_losses=losses)
