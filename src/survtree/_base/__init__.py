"""What every other room may use; here the errors and warnings of the package."""


class InternalError(RuntimeError):
    """An invariant of survtree broke: a bug, never the user's fault. Names a replay file."""


class SearchStoppedWarning(UserWarning):
    """The search ended before the tree was proven best; the tree and both bounds are valid."""


class DataWarning(UserWarning):
    """Something in the table that would mislead: an identifier, a leak, a subject with two rows."""


class TailWeightWarning(UserWarning):
    """A few rows at the end of the follow-up carry much of the loss; a horizon leaves them out."""


class BeyondTrainingWarning(UserWarning):
    """Rows that are scored end after the last training time, where the censoring is unknown."""


class DeviceError(RuntimeError):
    """The GPU that was asked for cannot search: there is none, or it lacks memory, or the like."""


class ClusterError(RuntimeError):
    """The cluster that was given cannot search: other versions, or it cannot be reached."""
