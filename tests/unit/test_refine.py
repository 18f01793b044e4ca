"""Where every cut is too much work, the tree over chosen cuts is refined, and this is said."""

import numpy as np
import pytest

from survtree import OptimalSurvivalTree, export_json
from survtree import load as load_model
from survtree._base.tree import Tree
from survtree._model import every_cut, refine
from survtree._search.problem import SearchSettings
from survtree._search.solve import loss_of, solve
from survtree.datasets import load


@pytest.fixture(scope="module")
def gbsg2():
    return load("gbsg2")


@pytest.fixture(scope="module")
def chosen(gbsg2):
    """The fit over chosen cuts alone."""
    return OptimalSurvivalTree(thresholds={}).fit(*gbsg2)


@pytest.fixture(scope="module")
def best(gbsg2):
    """The fit over every cut."""
    return OptimalSurvivalTree().fit(*gbsg2)


def refined(gbsg2, **limits):
    with pytest.MonkeyPatch.context() as patch:
        for name, value in limits.items():
            patch.setattr(every_cut, name, value)
        return OptimalSurvivalTree().fit(*gbsg2)


@pytest.fixture(scope="module")
def model(gbsg2):
    """The fit where every cut was not even begun."""
    return refined(gbsg2, MOST_ESTIMATED=0)


def test_a_refined_tree_lies_between_chosen_and_every_cut(gbsg2, chosen, best, model):
    assert best.objective_ <= model.objective_ < chosen.objective_
    assert model.status_ == "optimal"
    assert len(chosen.questions_) < len(model.questions_) < 628
    assert model.regularization_ == chosen.regularization_
    assert model.certificate_.verify(*gbsg2).is_valid


def test_the_certificate_says_that_it_was_refined(chosen, model):
    n = len(model.questions_)
    assert model.screening_ == (
        f"{n} of 628 possible splits were searched; those of the tree were refined among all"
    )
    assert model.screening_ in model.certificate_.summary()
    assert chosen.screening_ == f"{len(chosen.questions_)} of 628 possible splits were searched"
    assert (model.certificate_.n_tried, chosen.certificate_.n_tried) == (628, None)


def test_it_is_the_best_tree_over_its_questions(chosen, model):
    problem = model._state.problem
    assert set(chosen.questions_) < set(model.questions_)
    again = solve(problem, SearchSettings())
    assert again.objective == model.objective_
    assert again.tree.is_same(model.tree_)


def test_given_its_first_split_no_tree_over_every_cut_is_better(best, model):
    everything = best._state.problem
    place = {text: j for j, text in enumerate(best.questions_)}
    tree = refine.renumbered(model.tree_, [place[text] for text in model.questions_])
    is_yes = everything.rows_of_yes(int(tree.question[0]))
    for is_here, child in ((~is_yes, tree.no[0]), (is_yes, tree.yes[0])):
        side, below = refine.side_problem(everything, is_here), tree.below(int(child))
        objective = loss_of(side, below) + side.regularization * len(below.leaves)
        assert objective == pytest.approx(solve(side, SearchSettings()).objective, rel=1e-9)


def test_sides_add_up_to_the_whole_with_weights(gbsg2):
    X, y = gbsg2
    weight = np.random.default_rng(0).uniform(0.1, 3.0, size=len(y))
    model = OptimalSurvivalTree(max_depth=2).fit(X, y, weight)
    problem, tree = model._state.problem, model.tree_
    is_yes = problem.rows_of_yes(int(tree.question[0]))
    total = 0.0
    for is_here, child in ((~is_yes, tree.no[0]), (is_yes, tree.yes[0])):
        side, below = refine.side_problem(problem, is_here), tree.below(int(child))
        objective = loss_of(side, below) + side.regularization * len(below.leaves)
        total += objective * weight[is_here].sum() / weight.sum()
        assert side.max_depth == 1
    assert total == pytest.approx(model.objective_, rel=1e-9)


def test_a_stopped_search_over_every_cut_leaves_a_lower_bound(gbsg2, best, tmp_path):
    model = refined(gbsg2, MOST_WORK=5_000_000)
    bound = model.certificate_.every_cut_bound
    assert 0 < bound <= best.objective_ <= model.objective_
    assert model.screening_.endswith(f"; over every cut, no tree is below {bound:.6f}")
    export_json(model, tmp_path / "model.json")
    same = load_model(tmp_path / "model.json")
    assert same.certificate_.every_cut_bound == bound
    assert same.screening_ == model.screening_


def test_a_bound_that_was_not_searched_for_is_absent(model, best):
    assert model.certificate_.every_cut_bound is None
    assert best.certificate_.every_cut_bound is None


def test_the_recipe_makes_the_refined_tree_again(gbsg2, model):
    X, y = gbsg2
    names = {"X": X, "y": y}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(every_cut, "MOST_ESTIMATED", 0)
        exec(model.recipe_.code, names)
    again = names["model"]
    assert again.objective_ == model.objective_
    assert again.tree_.is_same(model.tree_)
    assert list(again.questions_) == list(model.questions_)
    assert np.array_equal(again.predict(X), model.predict(X))


def test_little_work_gives_a_tree_that_is_never_worse(gbsg2, chosen, monkeypatch):
    monkeypatch.setattr(refine, "side_work", lambda n_rows: 686 * 628)
    monkeypatch.setattr(refine, "MOST_ROUNDS", 1)
    model = refined(gbsg2, MOST_ESTIMATED=0)
    assert model.certificate_.is_refined
    assert model.status_ == "optimal"
    assert model.objective_ <= chosen.objective_


def test_where_one_look_at_every_cut_is_too_much_nothing_is_refined(gbsg2, chosen, monkeypatch):
    monkeypatch.setattr(refine, "side_work", lambda n_rows: 686 * 628 - 1)
    model = refined(gbsg2, MOST_ESTIMATED=0)
    assert model.objective_ == chosen.objective_
    assert model.screening_ == chosen.screening_


def test_of_a_wide_table_the_columns_of_chosen_splits_are_refined(monkeypatch):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(120, 300))
    time = rng.exponential(np.exp(X[:, 0] + (X[:, 1] > 0.3) * X[:, 2]))
    y = np.ones(120, dtype=bool), time
    chosen = OptimalSurvivalTree(3, thresholds={}, teacher="cox").fit(X, y)
    monkeypatch.setattr(refine, "side_work", lambda n_rows: 120 * 20_000)
    model = OptimalSurvivalTree(3, teacher="cox").fit(X, y)
    columns = {question.column for question in chosen.questions_.asked}
    assert model.certificate_.n_tried == 119 * len(columns) < 20_000
    assert model.objective_ < chosen.objective_
    assert {question.column for question in model.questions_.asked} == columns
    assert model.screening_ == (
        f"{len(model.questions_)} of 35,700 possible splits were searched; those of the tree were "
        f"refined among {model.certificate_.n_tried:,}"
    )
    assert model.certificate_.verify(X, y).is_valid


def test_an_interrupt_keeps_the_tree_over_chosen_cuts(gbsg2, chosen, monkeypatch):
    search = refine.Refinement._search

    def interrupted(self, *arguments):
        solution = search(self, *arguments)
        self.status = "interrupted"
        return solution

    monkeypatch.setattr(refine.Refinement, "_search", interrupted)
    with pytest.warns(UserWarning, match="looking for a better tree"):
        model = refined(gbsg2, MOST_ESTIMATED=0)
    assert model.objective_ == chosen.objective_
    assert not model.certificate_.is_refined


def test_a_tree_is_taken_apart_and_put_together(best):
    tree = best.tree_
    no, yes = tree.below(int(tree.no[0])), tree.below(int(tree.yes[0]))
    again = Tree.of_split(int(tree.question[0]), no, yes)
    for name in ("question", "no", "yes"):
        assert getattr(again, name).tolist() == getattr(tree, name).tolist()
    assert no.n_nodes + yes.n_nodes + 1 == tree.n_nodes


@pytest.mark.slow
def test_the_limit_on_work_counts_cuts_where_rows_are_few():
    rng = np.random.default_rng(1)
    X, time = rng.normal(size=(40, 200)), rng.exponential(size=40)
    y = np.ones(40, dtype=bool), time
    problem = OptimalSurvivalTree(2, 0.001, thresholds="all").fit(X, y)._state.problem
    whole = solve(problem, SearchSettings(solver="cuts"))
    counts = whole.counts
    # With lane-rows alone the search would come to its end.
    limit = counts["lane_rows"] + counts["subsets_solved"] * len(problem.questions)
    assert solve(problem, SearchSettings(solver="cuts", work_limit=limit)).status == "node_limit"
    enough = counts["lane_rows"] + 4 * counts["subsets_solved"] * len(problem.questions)
    assert solve(problem, SearchSettings(solver="cuts", work_limit=enough)).status == "optimal"


def test_what_a_limit_stops_is_not_said_to_be_refined(gbsg2, chosen, monkeypatch):
    search = refine.Refinement._search

    def stopped(self, problem, settings, tree, watch):
        solution = search(self, problem, settings, tree, watch)
        self.status = solution.status if watch is None else "time_limit"
        return solution

    monkeypatch.setattr(refine.Refinement, "_search", stopped)
    model = refined(gbsg2, MOST_ESTIMATED=0)
    assert (model.objective_, model.screening_) == (chosen.objective_, chosen.screening_)
