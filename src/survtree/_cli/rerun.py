"""The fit of a replay file run again, and told in words."""

from importlib.metadata import version

from survtree._base.numbers import relative_gap
from survtree._base.tree import Tree
from survtree._proof.certificate import headline
from survtree._scoring.curves import leaf_curves
from survtree._search.problem import Problem
from survtree._search.progress import watching
from survtree._search.read_replay import Replay
from survtree._search.replay import unusual
from survtree._search.solve import Solution, find
from survtree._show.export_text import tree_text


def what_is_run(replay: Replay) -> str:
    """The problem, its options and both versions, for who compares two runs."""
    problem, limits, writer = replay
    (n, p), events = problem.answers.shape, problem.events
    weighted = " with weights" if (events.weight != 1.0).any() else ""
    chosen = [f"{name} {value}" for name, value in unusual(problem, limits).items()]
    return "\n".join(
        (
            f"written by survtree {writer}, run by survtree {version('survtree')}",
            f"{n:,} rows{weighted}, {int(events.event.sum()):,} events, {p:,} questions, "
            f"fingerprint {problem.fingerprint()[:16]}",
            f"options other than the default: {', '.join(chosen) or 'none'}",
        )
    )


def run(replay: Replay, verbose: int) -> str:
    """Search, with a table of progress if verbose; the tree and what was proven of it."""
    problem, limits, _ = replay
    with watching(lambda: headline(problem, limits), verbose, None) as watch:
        solution, kept = find(problem, limits, watch)
    lines = [_tree_in_words(problem, solution.tree), "", *_proven(solution)]
    if kept is not None and kept.settings.guessed_losses is not None:
        lines.append(f"no tree is below {solution.guessed_bound!r} if the guessed losses hold")
    if solution.is_upper_bound_wrong:
        lines.append(f"no tree attains the upper bound {limits.upper_bound!r}")
    return "\n".join(lines)


def _tree_in_words(problem: Problem, tree: Tree) -> str:
    # On the times that the search saw: rounded, if the fit had time buckets.
    leaves = tree.leaves.tolist()
    curves = leaf_curves(problem.events, problem.leaf_of_row(tree), len(leaves))
    return tree_text(tree, problem.questions, dict(zip(leaves, curves, strict=True)))


def _proven(solution: Solution) -> list[str]:
    """All digits: a replay is for comparing."""
    return [
        f"status      {solution.status}",
        f"objective   {solution.objective!r}",
        f"lower bound {solution.lower_bound!r}",
        f"gap         {100 * relative_gap(solution.objective, solution.lower_bound):.2f} %",
    ]
