"""The page of near-optimal trees: what it holds, how it is packed, and what it says."""

import base64
import hashlib
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from survtree import (
    OptimalSurvivalTree,
    SearchStoppedWarning,
    export_json,
    regularization_path,
)
from survtree._model import near_path
from survtree._model.checks import TREE_OPTIONS
from survtree._model.every_cut import MOST_WORK
from survtree._model.near_path import path_to_fit
from survtree._scoring.curves import LeafCurve
from survtree._search.problem import SearchSettings
from survtree._show.explore_facts import Scores, explore_facts
from survtree._show.explore_page import explore_script
from survtree._show.explore_trees import differing, listed, packed_curves
from tests.support.near_sets import fitted, study

NO_SCORES = Scores([], [], 0, "")


@pytest.fixture(scope="module")
def near():
    return fitted().near_optimal(within=0.05)


@pytest.fixture(scope="module")
def facts(near):
    return explore_facts(near, None, NO_SCORES)


@pytest.fixture(scope="module")
def page(near, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "trees.html"
    near.report(path, cv=None, title="Veterans")
    return path.read_text(encoding="utf-8")


def unpacked(packed, k):
    """The counts of a curve, as the script of the page reads them."""
    ends = np.cumsum(packed["sizes"]).tolist()
    raw = base64.b64decode(packed["steps"])[ends[k] - packed["sizes"][k] : ends[k]]
    numbers, value, scale = [], 0, 1
    for byte in raw:
        value, scale = value + (byte & 127) * scale, scale * 128
        if byte < 128:
            numbers.append(value)
            value, scale = 0, 1
    counts = {0: {}, 1: {}}
    place = 0
    while numbers:
        step = numbers.pop(0)
        place += step // 4
        weight = packed["amounts"][numbers.pop(0) if step & 1 else 0]
        counts[step >> 1 & 1][packed["times"][place]] = weight
    return counts


def test_packed_curves_lose_no_digit():
    rng = np.random.default_rng(0)
    times = np.unique(rng.exponential(size=300))
    curves = []
    for n in (1, 5, 120, 299):
        at = np.sort(rng.choice(len(times), n, replace=False))
        events, censored = rng.uniform(0, 2, (2, n)) * rng.integers(0, 2, (2, n))
        censored[events + censored == 0] = 1.0
        curves.append(LeafCurve(n, int((events > 0).sum()), times[at], events, censored))
    packed = json.loads(json.dumps(packed_curves(curves, times)))
    for k, curve in enumerate(curves):
        found = unpacked(packed, k)
        for kind, weights in enumerate((curve.events, curve.censored)):
            is_there = weights > 0
            expected = zip(curve.times[is_there], weights[is_there], strict=True)
            assert found[kind] == dict(expected)


def test_trees_share_splits_leaves_and_curves(near, facts):
    n_leaves = sum(len(tree.leaves) for tree in near.trees)
    assert len(facts["curves"]["rows"]) <= len(facts["leaves"]) < n_leaves / 2
    used = {int(j) for tree in near.trees for j in tree.question if j >= 0}
    assert {split["place"] for split in facts["splits"]} >= used
    for place, tree in enumerate(near.trees):
        nodes = facts["trees"][place]
        splits = [facts["splits"][node]["place"] if node >= 0 else -1 for node in nodes]
        assert splits == tree.question.tolist()


def test_files_are_one_file_and_what_differs(near, facts):
    expected = json.loads(export_json(near[7]))
    file = json.loads(json.dumps(facts["file"]))
    for each in json.loads(json.dumps(facts["differing"])):
        *above, last = each["path"]
        holder = file[above[0]] if above else file
        values = each["values"]
        holder[last] = values[each["at"][7]] if "at" in each else values[7]
    for name in expected:
        if name not in ("tree", "leaves"):
            assert file[name] == expected[name], name


def test_only_what_differs_is_listed():
    files = [{("a",): 1, ("b",): 2, ("c", "d"): k} for k in range(3)]
    assert differing(files) == [{"path": ["c", "d"], "values": [0, 1, 2]}]
    assert listed([5.0] * 8 + [6.0]) == {"values": [5.0, 6.0], "at": [0] * 8 + [1]}


def test_each_column_has_its_exact_worth(near, facts):
    known = {row["column"]: row for row in near.importance().to_dicts()}
    assert {each["name"] for each in facts["offered"]} == set(known)
    for each in facts["offered"]:
        for kind in ("with", "without"):
            percent = known[each["name"]][f"excess_{kind}_percent"]
            assert 100 * each[kind]["excess"] == pytest.approx(percent, abs=1e-9)
        assert each["share"] == pytest.approx(known[each["name"]]["used"])


@pytest.mark.parametrize("options", [{}, {"regularization": "auto"}, {"max_leaves": 3}])
def test_the_path_to_a_fit_is_the_regularization_path(options):
    model = fitted(**options)
    found = path_to_fit(model, SearchSettings())
    prepared = model._state.prepared
    given = {name: prepared.options[name] for name in TREE_OPTIONS}
    given |= {"max_depth": 2, "horizon": prepared.horizon}
    path = regularization_path(*study(), min_regularization=model.regularization_, **given)
    assert [m.n_leaves_ for m in found.models] == [m.n_leaves_ for m in path]
    losses = [m.loss_ for m in path]
    assert [m.loss_ for m in found.models] == pytest.approx(losses, rel=1e-9)
    lowest = [m.regularization_interval_[0] for m in path]
    assert found.lowest_penalties == pytest.approx(lowest, rel=1e-6)
    assert found.is_complete
    assert {m.status_ for m in found.models} == {"optimal"}


def test_a_page_says_what_choosing_does_to_scores(page):
    assert "Choosing after looking makes scores optimistic." in page
    assert "Not all of them are here." not in page
    assert "<title>Veterans</title>" in page


def test_a_page_of_a_list_that_was_cut_off_says_so(tmp_path):
    fitted().near_optimal(within=0.05, limit=5).report(tmp_path / "trees.html", sizes=False)
    page = (tmp_path / "trees.html").read_text(encoding="utf-8")
    assert "Not all of them are here.</strong> There are more trees within the slack" in page
    assert 'id="sizes"' not in page


def test_the_same_set_gives_the_same_bytes(near, tmp_path):
    for name in ("one.html", "other.html"):
        near.report(tmp_path / name, sizes=False)  # searches for sizes state their seconds
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "other.html").read_bytes()


def test_nothing_is_loaded_and_nothing_else_can_run(page):
    assert not re.search(r"(?:src|href)=\"(?!#|data:,)", page)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)
    script = base64.b64encode(hashlib.sha256(explore_script().encode()).digest()).decode()
    assert f"script-src &#39;sha256-{script}&#39;" in policy
    assert policy.startswith("default-src &#39;none&#39;")


def test_sizes_have_cross_validated_losses(tmp_path):
    near = fitted().near_optimal(within=0.02)
    near.report(tmp_path / "trees.html", cv=3)
    page = (tmp_path / "trees.html").read_text(encoding="utf-8")
    raw = re.search(r'<script type="application/json" id="facts">(.*?)</script>', page, re.DOTALL)
    path = json.loads(raw.group(1))["path"]
    assert [row["leaves"] for row in path] == sorted({row["leaves"] for row in path})
    assert all(row["held_out"] is not None and row["error"] > 0 for row in path[1:])
    assert path[0]["held_out"] == pytest.approx(0.0, abs=0.05)
    assert path[-1]["tree"] == 0


def test_columns_without_names_and_weights_can_be_explored(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (200, 4))
    y = (rng.random(200) < 0.8, rng.exponential(np.exp(X @ np.arange(4.0))).round(2) + 0.01)
    model = OptimalSurvivalTree(2, 0.001, horizon=5.0).fit(X, y, rng.uniform(0.5, 2.0, 200))
    model.near_optimal(within=0.1).report(tmp_path / "trees.html", cv=None)
    assert (tmp_path / "trees.html").stat().st_size < 200_000


def test_trees_of_a_path_that_was_stopped_are_proven_and_others_may_be_missing():
    model = fitted()
    whole, part = (path_to_fit(model, SearchSettings(node_limit=n)) for n in (None, 1))
    assert part.stopped_by == "the node limit"
    assert not part.is_complete
    assert [m.n_leaves_ for m in part.models] == [1, model.n_leaves_]
    assert len(whole.models) > 2
    assert part.lowest_penalties == [None, model.regularization_]
    # The lone leaf is best at the penalty of its model, which is beyond that of all others.
    lone = part.models[0]
    assert lone.status_ == "optimal"
    assert lone.regularization_ >= whole.lowest_penalties[0]
    assert lone.certificate_.verify(*study())


def test_a_path_that_was_stopped_is_not_shown_as_complete(tmp_path):
    near = fitted().near_optimal(within=0.02)
    near._search.settings = replace(near._search.settings, node_limit=1)
    with pytest.warns(SearchStoppedWarning, match="by the node limit: 2 sizes of trees are on"):
        near.report(tmp_path / "trees.html", cv=None)
    page = (tmp_path / "trees.html").read_text(encoding="utf-8")
    assert "Not all of them are here:</strong> the search for them was stopped by the node" in page
    assert "<td>–</td>" in page


def test_a_page_says_that_its_sizes_are_all_there(page):
    assert "Not all of them are here" not in page
    assert "A limit stopped" not in page


def test_the_path_has_the_limits_of_the_set_and_leaves_out_what_is_known(tmp_path, monkeypatch):
    searches = []

    def find_better(problem, settings, tree, watch, clock):
        searches.append((problem.regularization, settings, clock))
        return original(problem, settings, tree, watch, clock)

    original = near_path.find_better
    monkeypatch.setattr(near_path, "find_better", find_better)
    model = fitted(memory_limit="8GB", node_limit=10**9)
    model.near_optimal(within=0.02, time_limit=600).report(tmp_path / "trees.html", cv=None)
    penalties, settings, clocks = zip(*searches, strict=True)
    assert {each.time_limit for each in settings} == {600.0}
    assert {each.memory_limit for each in settings} == {8 * 10**9}
    assert {each.node_limit for each in settings} == {10**9}
    assert len(set(clocks)) == 1  # one time limit for all of them together
    assert min(penalties) > model.regularization_


def test_a_fit_over_every_cut_leads_to_a_path_with_its_limit_on_work():
    plain, every = fitted(), fitted(regularization="auto", thresholds="auto", max_depth=1)
    assert every.certificate_.n_splits == len(every.questions_)
    given = SearchSettings(time_limit=60.0)
    own, others = (
        near_path._settings_for(model, model._state.prepared, given) for model in (every, plain)
    )
    assert (own.work_limit, own.solver, own.time_limit) == (MOST_WORK, "cuts", 60.0)
    assert others == given


def test_folds_whose_fit_was_stopped_are_counted(tmp_path):
    model = fitted()
    near = model.near_optimal(within=0.02)
    near.report(tmp_path / "whole.html", cv=2)
    assert "A limit stopped" not in (tmp_path / "whole.html").read_text(encoding="utf-8")
    model._state.prepared.options["node_limit"] = 1
    near.report(tmp_path / "part.html", cv=2)
    page = (tmp_path / "part.html").read_text(encoding="utf-8")
    assert "A limit stopped 2 of these 2 fits, whose best trees until then were scored." in page


def test_a_column_whose_search_was_stopped_is_not_shown_as_impossible(tmp_path):
    pages = []
    for node_limit in (None, 1):
        near = fitted().near_optimal(within=0.0)
        near._search.settings = replace(near._search.settings, node_limit=node_limit)
        near.report(tmp_path / "trees.html", cv=None, sizes=False)
        pages.append((tmp_path / "trees.html").read_text(encoding="utf-8"))
    words = "?: a limit ended the search before it found such a tree."
    assert [words in page for page in pages] == [False, True]
    assert ['<td class="nowrap">?</td>' in page for page in pages] == [False, True]
