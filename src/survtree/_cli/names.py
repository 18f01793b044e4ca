"""Options of the estimator as the command line calls them."""

from survtree._options import DEFAULTS, OPTIONS

# Shorter than in Python, where a word says enough.
SHORT = {"max_depth": "depth", "n_jobs": "jobs", "random_state": "seed"}
# Of use only in Python, or decided by the command itself.
NOT_OFFERED = ("certificate", "warm_start", "verbose", "callback", "upper_bound")

OFFERED = tuple(option for option in OPTIONS if option.name not in NOT_OFFERED)
FLAGS = {o.name: "--" + SHORT.get(o.name, o.name).replace("_", "-") for o in OFFERED}
HELPS = {option.name: option.help for option in OFFERED}
__all__ = ["DEFAULTS", "FLAGS", "HELPS", "OFFERED"]
