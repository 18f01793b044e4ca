"""Every complaint about user input is raised here, and only here.

Messages say what is needed, what came, where, and what to do next.
"""

from survtree._validation.cells import check_kinds, warn_of_unseen
from survtree._validation.curves import check_curves, check_pair, predicted_curves
from survtree._validation.exports import (
    check_choice,
    check_function_name,
    check_sql_depth,
    check_sql_texts,
)
from survtree._validation.files import (
    EVENT_NAMES,
    TIME_NAMES,
    check_can_write,
    check_columns,
    check_event_values,
    check_has_columns,
    check_has_names,
    check_header,
    check_kept,
    check_not_excluded,
    check_odd_texts,
    counts_rows,
    format_of,
    guessed_role,
    in_rows,
    output_format,
    read_of,
)
from survtree._validation.model_file import check_model_file
from survtree._validation.options import (
    check_guess,
    check_option,
    check_options,
    check_rules,
)
from survtree._validation.outcome import check_events, check_outcome, split_outcome
from survtree._validation.plots import (
    check_axes,
    check_direction,
    check_dpi,
    check_drawn_model,
    check_label,
    check_picture_file,
    check_snapshots,
    check_ticks,
)
from survtree._validation.predictions import (
    check_has_proof,
    check_limit,
    check_number_of_leaves,
    check_path_options,
    check_price,
    check_share,
    check_times,
    check_trees_can_be_listed,
)
from survtree._validation.reference import check_losses, check_reference
from survtree._validation.replay import Replay, check_replay
from survtree._validation.report import (
    check_report_file,
    check_report_rows,
    check_report_text,
)
from survtree._validation.showing import check_confidence, check_until, frame_of
from survtree._validation.table import (
    as_frame,
    check_levels,
    check_missing,
    check_question_count,
    check_some_rows,
    check_table,
    default_names,
)
from survtree._validation.tuning import (
    check_bootstrap,
    check_cv,
    check_folds,
    check_nested,
    check_tuning,
)

__all__ = [
    "EVENT_NAMES",
    "TIME_NAMES",
    "Replay",
    "as_frame",
    "check_axes",
    "check_bootstrap",
    "check_can_write",
    "check_choice",
    "check_columns",
    "check_confidence",
    "check_curves",
    "check_cv",
    "check_direction",
    "check_dpi",
    "check_drawn_model",
    "check_event_values",
    "check_events",
    "check_folds",
    "check_function_name",
    "check_guess",
    "check_has_columns",
    "check_has_names",
    "check_has_proof",
    "check_header",
    "check_kept",
    "check_kinds",
    "check_label",
    "check_levels",
    "check_limit",
    "check_losses",
    "check_missing",
    "check_model_file",
    "check_nested",
    "check_not_excluded",
    "check_number_of_leaves",
    "check_odd_texts",
    "check_option",
    "check_options",
    "check_outcome",
    "check_pair",
    "check_path_options",
    "check_picture_file",
    "check_price",
    "check_question_count",
    "check_reference",
    "check_replay",
    "check_report_file",
    "check_report_rows",
    "check_report_text",
    "check_rules",
    "check_share",
    "check_snapshots",
    "check_some_rows",
    "check_sql_depth",
    "check_sql_texts",
    "check_table",
    "check_ticks",
    "check_times",
    "check_trees_can_be_listed",
    "check_tuning",
    "check_until",
    "counts_rows",
    "default_names",
    "format_of",
    "frame_of",
    "guessed_role",
    "in_rows",
    "output_format",
    "predicted_curves",
    "read_of",
    "split_outcome",
    "warn_of_unseen",
]
