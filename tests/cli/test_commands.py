"""From a file of rows to a model and on: every command on files that nobody prepared."""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from survtree import OptimalSurvivalTree, export_text, leaf_table, load
from survtree.datasets import load as load_data
from tests.support import hostile
from tests.support.runner import done, process, refused, survtree

ROOT = Path(__file__).parents[2]
ENDINGS = ("txt", "dot", "tex", "sql", "py", "json", "csv", "png", "svg", "pdf")
FIT = ("--depth", 3, "--regularization", 0.002)


def table(name="veterans"):
    """A data set with its outcome."""
    data = load_data(name)
    flags = data.y["event"].astype(np.int8)
    return data.X.with_columns(days=data.y["time"].copy(), died=flags)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table in every format, and a model of it."""
    folder = tmp_path_factory.mktemp("study")
    frame = table()
    frame.write_csv(folder / "data.csv")
    frame.write_csv(folder / "data.tsv", separator="\t")
    frame.write_csv(folder / "semicolons.csv", separator=";")
    frame.write_parquet(folder / "data.parquet")
    frame.write_ipc(folder / "data.arrow")
    done("fit", folder / "data.csv", *FIT, "-o", folder / "model.json")
    return folder


@pytest.fixture(scope="module")
def model(folder):
    return load(folder / "model.json")


def test_a_fit_is_that_of_python(model):
    data = load_data("veterans")
    same = OptimalSurvivalTree(3, 0.002).fit(data.X, data.y)
    assert export_text(model) == export_text(same)
    assert model.objective_ == same.objective_
    assert model.roles_ == ("days", "died", (), None, ())


def test_what_is_guessed_is_said(folder):
    run = survtree("fit", folder / "data.csv", *FIT)
    assert "time is taken from the column 'days', by its name" in run.stderr
    assert "events are taken from the column 'died', by its name" in run.stderr
    named = survtree("fit", folder / "data.csv", *FIT, "--time", "days", "--event", "died")
    assert "taken from" not in named.stderr
    assert named.stdout == run.stdout


@pytest.mark.parametrize("file", ["data.tsv", "semicolons.csv", "data.parquet", "data.arrow"])
def test_every_format_gives_the_same_tree(folder, file):
    assert done("fit", folder / file, *FIT) == done("fit", folder / "data.csv", *FIT)


@pytest.mark.parametrize("file", ["data.csv", "data.parquet", "data.arrow"])
def test_standard_input_gives_the_same_tree(folder, file):
    raw = (folder / file).read_bytes()
    assert done("fit", "-", *FIT, given=raw) == done("fit", folder / "data.csv", *FIT)


def test_a_pipe_from_another_process_gives_the_same_tree(folder):
    given = process("fit", "-", *FIT, input=(folder / "data.parquet").read_bytes())
    assert given.returncode == 0, given.stderr
    assert given.stdout.decode() == done("fit", folder / "data.csv", *FIT)


def test_gzip_and_other_encodings_are_read(folder, tmp_path):
    import gzip

    frame = table().rename({"Celltype": "Zelltyp ä"})
    raw = frame.write_csv().encode("latin-1")
    (tmp_path / "latin.csv").write_bytes(raw)
    (tmp_path / "data.csv.gz").write_bytes(gzip.compress(frame.write_csv().encode()))
    (tmp_path / "bom.csv").write_bytes(b"\xef\xbb\xbf" + frame.write_csv().encode())
    latin = done("fit", tmp_path / "latin.csv", *FIT, "--text-encoding", "latin-1")
    assert "Zelltyp ä is" in latin
    assert done("fit", tmp_path / "data.csv.gz", *FIT) == latin
    assert done("fit", tmp_path / "bom.csv", *FIT) == latin
    told = refused("fit", tmp_path / "latin.csv")
    assert "must be text in the encoding utf-8" in told
    assert "often latin-1" in told


def test_json_is_for_machines(folder, model):
    found = json.loads(done("fit", folder / "data.csv", *FIT, "--json"))
    assert found["status"] == "optimal"
    assert found["objective"] == model.objective_
    assert [leaf["leaf"] for leaf in found["leaves"]] == list(model.groups_.values())
    assert [leaf["group"] for leaf in found["leaves"]] == list(model.groups_)
    shown = json.loads(done("show", folder / "model.json", "--json", "--times", "90,180"))
    assert shown["fingerprint"] == found["fingerprint"]
    assert "survival_90" in shown["leaves"][0]


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "arrow"])
def test_predictions_are_those_of_python(folder, model, tmp_path, ending):
    out = tmp_path / f"out.{ending}"
    options = ("--times", "90,180.5", "--keep", "Celltype", "-o", out)
    done("predict", folder / "model.json", folder / "data.csv", *options)
    read = {"csv": pl.read_csv, "parquet": pl.read_parquet, "arrow": pl.read_ipc}
    found = pl.read_csv(out, separator="\t") if ending == "tsv" else read[ending](out)
    X = load_data("veterans").X
    predicted = ["group", "leaf", "risk", "median", "survival_90", "survival_180.5"]
    assert found.columns == ["Celltype", *predicted]
    assert found["group"].to_list() == model.predict_group(X).tolist()
    assert found["Celltype"].to_list() == X["Celltype"].to_list()
    assert found["leaf"].to_list() == model.apply(X).tolist()
    assert found["risk"].to_list() == model.predict(X).tolist()
    medians = found["median"].fill_null(np.inf).to_list()
    assert medians == model.predict_median(X).tolist()
    survival = model.predict_survival_function(X, [90, 180.5], return_array=True)
    assert found.select("survival_90", "survival_180.5").to_numpy().tolist() == survival.tolist()


def test_predictions_go_to_standard_output_in_parts(folder, monkeypatch):
    whole = done("predict", folder / "model.json", folder / "data.csv")
    assert len(pl.read_csv(io.StringIO(whole))) == 137
    monkeypatch.setattr("survtree._data.files.ROWS_AT_ONCE", 10)
    monkeypatch.setattr("survtree._data.files.Source.parts.__defaults__", (10,), raising=False)
    assert done("predict", folder / "model.json", folder / "data.csv") == whole


def test_scores_are_those_of_the_metrics(folder, model):
    from survtree import metrics

    data = load_data("veterans")
    found = json.loads(done("evaluate", folder / "model.json", folder / "data.csv", "--json"))
    assert found["rows"] == 137
    assert found["integrated_brier_score"] == pytest.approx(model.loss_)
    assert found["ibs_ratio"] == pytest.approx(model.ibs_ratio_)
    assert found["uno_c"] == pytest.approx(metrics.uno_c(data.y, model, X=data.X))
    assert "Harrell's C" in done("evaluate", folder / "model.json", folder / "data.csv")


def test_scores_on_the_rows_of_the_fit_are_called_so(folder, tmp_path):
    seen = done("evaluate", folder / "model.json", folder / "data.csv")
    assert "these are the rows of the fit" in seen
    lines = (folder / "data.csv").read_text().splitlines(keepends=True)
    (tmp_path / "others.csv").write_text("".join(lines[:-1]))
    assert "rows of the fit" not in done("evaluate", folder / "model.json", tmp_path / "others.csv")


def test_a_proof_is_written_checked_and_rejected_if_changed(folder, tmp_path):
    path = tmp_path / "rows.proof"
    done("fit", folder / "data.csv", "--depth", 2, "--proof", path)
    assert done("check-proof", path).startswith("accepted: no tree of depth 2 or less ")
    assert json.loads(done("check-proof", path, "--json"))["is_accepted"]
    path.write_bytes(path.read_bytes().replace(b"0.0", b"0.1", 1))
    told = survtree("check-proof", path)
    assert told.exit_code == 1
    assert told.stdout.startswith("rejected: the file is damaged")


def test_a_model_is_verified_on_its_rows_only(folder, tmp_path):
    assert "FAIL" not in done("verify", folder / "model.json", folder / "data.csv")
    table().with_columns(days=pl.col("days") + 1).write_csv(tmp_path / "other.csv")
    run = survtree("verify", folder / "model.json", tmp_path / "other.csv")
    assert run.exit_code == 1
    assert "FAIL data" in run.stdout
    told = survtree("verify", folder / "model.json", tmp_path / "other.csv", "--json")
    assert told.exit_code == 1
    assert json.loads(told.stdout)["is_valid"] is False


@pytest.mark.parametrize(
    "ending", ["txt", "dot", "tex", "sql", "py", "json", "csv", "parquet", "png", "svg", "pdf"]
)
def test_a_model_is_exported_by_the_ending_of_the_file(folder, tmp_path, ending):
    done("export", folder / "model.json", "-o", tmp_path / f"out.{ending}")
    assert (tmp_path / f"out.{ending}").stat().st_size > 100


def test_a_model_is_exported_to_standard_output(folder, model):
    assert done("export", folder / "model.json") == f"{export_text(model)}\n"
    assert "CASE" in done("export", folder / "model.json", "--to", "sql")
    assert "must be one of text" in refused("export", folder / "model.json", "--to", "cobol")
    assert "must be one of text" in refused("export", folder / "model.json", "--to", "picture")
    assert "must be one of text" in refused("export", folder / "model.json", "-o", "out.cobol")


@pytest.mark.parametrize("width", [40, 60, 79])
def test_no_number_is_broken_in_a_narrow_terminal(folder, width):
    command = ("show", folder / "model.json", "--times", "90,180,365,730")
    wide, narrow = (
        survtree(*command, width=columns)
        .stdout.partition("lower objective")[2]
        .partition("Below")[0]
        for columns in (200, width)
    )
    assert max(map(len, narrow.splitlines())) <= width
    assert set(narrow.split()) == set(wide.split())
    assert narrow.count("group") > 1
    assert re.search(r"e\+\d", narrow) is None


def test_times_and_their_unit_are_shown_and_kept(folder, tmp_path):
    out, page = tmp_path / "model.json", tmp_path / "page.html"
    options = ("--time-unit", "days", "--times", "30,90", "-o", out, "--report", page)
    told = done("fit", folder / "data.csv", *FIT, *options)
    assert "S(90 days)" in told
    assert "Times are in days." in told
    assert "at 90 days</th>" in page.read_text()
    assert "median 20 days" in done("show", out)
    assert "median 20 weeks" in done("show", out, "--time-unit", "weeks")
    assert "S(45 days)" in done("show", out, "--times", "45")
    assert "median 20 weeks" in done("export", out, "--time-unit", "weeks")
    assert "Time (weeks)" in done("report", out, "-o", page, "--time-unit", "weeks") + (
        page.read_text()
    )


def test_medians_that_are_not_reached_are_left_out(tmp_path):
    done("datasets", "save", "aids", tmp_path / "aids.csv")
    told = done("fit", tmp_path / "aids.csv", "--depth", 2, "--regularization", 0.0005)
    assert "median not reached" not in told
    assert "Most medians are not reached, and left out." in told


def test_the_table_of_leaves_is_exported_by_name(folder, model, tmp_path):
    shown = pl.read_csv(io.StringIO(done("export", folder / "model.json", "--to", "csv")))
    assert shown["leaf"].to_list() == list(model.groups_.values())
    assert shown["where"].to_list() == leaf_table(model)["where"].to_list()
    done("export", folder / "model.json", "--to", "parquet", "-o", tmp_path / "leaves.data")
    assert pl.read_parquet(tmp_path / "leaves.data").equals(leaf_table(model))


@pytest.mark.slow
def test_a_path_and_a_choice(folder, tmp_path):
    out = ("-o", tmp_path / "path.csv", "--plot", tmp_path / "path.png")
    done("path", folder / "data.csv", "--depth", 2, *out)
    assert pl.read_csv(tmp_path / "path.csv")["leaves"].to_list() == [1, 2, 3, 4]
    assert (tmp_path / "path.png").read_bytes().startswith(b"\x89PNG")
    found = json.loads(done("path", folder / "data.csv", "--depth", 2, "--json"))
    assert [tree["leaves"] for tree in found["trees"]] == [1, 2, 3, 4]
    tuned = done(
        *("tune", folder / "data.csv", "--depths", "1,2", "--seed", 1, "--folds", 3),
        *("-o", tmp_path / "tuned.json", "--quiet"),
    )
    assert re.match(
        r"chosen by 3 folds \(seed 1\): depth \d, regularization [\d.e-]+; ibs_ratio", tuned
    )
    assert load(tmp_path / "tuned.json").roles_.time == "days"


def test_a_number_of_leaves_alone_has_no_penalty(folder, tmp_path):
    out = tmp_path / "model.json"
    done("fit", folder / "data.csv", "--max-leaves", 4, "--jobs", 2, "-o", out, "--quiet")
    model = load(out)
    assert (model.n_leaves_, model.regularization_) == (4, 0)


def test_a_path_is_the_same_in_two_threads(folder):
    command = ("path", folder / "data.csv", "--depth", 3, "--json")
    assert done(*command) == done(*command, "--jobs", 2, "--quiet")


def test_reports_come_with_and_without_rows(folder, tmp_path):
    done("report", folder / "model.json", "-o", tmp_path / "short.html")
    done(
        *("report", folder / "model.json", folder / "data.csv"),
        *("-o", tmp_path / "long.html", "--folds", 2, "--title", "Veterans <1>"),
    )
    short, long = ((tmp_path / name).read_text() for name in ("short.html", "long.html"))
    assert "Veterans &lt;1&gt;" in long
    assert len(long) > len(short)


def test_a_fit_writes_all_it_is_asked_for(folder, tmp_path):
    files = {
        "-o": tmp_path / "model.json",
        "--report": tmp_path / "report.html",
        "--plot": tmp_path / "tree.png",
    }
    options = [each for pair in files.items() for each in pair]
    run = survtree("fit", folder / "data.csv", *FIT, *options)
    assert run.exit_code == 0
    for path in files.values():
        assert str(path) in run.stderr
        assert path.stat().st_size > 1000


def test_options_reach_the_fit(folder, tmp_path):
    out = tmp_path / "model.json"
    done(
        *("fit", folder / "data.csv", "-o", out, "--depth", "none", "--max-leaves", 3),
        *("--thresholds", "Age_in_years=50,60", "--thresholds", "Karnofsky_score=width:3"),
        *("--min-samples-leaf", 20, "--exclude", "Celltype", "--time-buckets", "30,90,900"),
        *("--memory-limit", "4GB", "--time-limit", 50, "--jobs", 2, "--seed", 7),
        *("--min-events-leaf", 5),
        *("--horizon", "365"),
        *("--shrinkage", 12.5),
    )
    model = load(out)
    assert model.get_params() == {
        **OptimalSurvivalTree().get_params(),
        "max_depth": None,
        "max_leaves": 3,
        "thresholds": {"Age_in_years": [50, 60], "Karnofsky_score": ("width", 3)},
        "min_samples_leaf": 20,
        "min_events_leaf": 5,
        "time_buckets": [30, 90, 900],
        "horizon": 365,
        "memory_limit": "4GB",
        "time_limit": 50,
        "n_jobs": 2,
        "random_state": 7,
        "shrinkage": 12.5,
    }
    assert "Celltype" not in model.feature_names_in_


@pytest.mark.parametrize("horizon", ["200", "auto"])
def test_a_horizon_is_used_and_stated_by_later_commands(folder, tmp_path, horizon):
    out = tmp_path / "model.json"
    shown = done("fit", folder / "data.csv", "-o", out, *FIT, "--horizon", horizon)
    time = load(out).horizon_
    assert f"integrated to {time:g}" in shown
    assert f"integrated to {time:g}, the horizon of the fit" in done(
        "evaluate", out, folder / "data.csv"
    )
    scores = json.loads(done("evaluate", out, folder / "data.csv", "--json"))
    assert scores["horizon"] == time
    assert scores["integrated_brier_score"] == pytest.approx(load(out).loss_)
    assert "fingerprint" in done("verify", out, folder / "data.csv")


def test_weights_and_values_of_events_are_kept_for_later(folder, tmp_path):
    frame = table().with_columns(
        status=pl.when(pl.col("died") == 1).then(pl.lit("dead")).otherwise(pl.lit("alive")),
        w=pl.Series(np.linspace(1, 2, 137)),
    )
    frame.drop("died").write_csv(tmp_path / "data.csv")
    told = refused("fit", tmp_path / "data.csv")
    assert "it holds 'alive', 'dead'. Pass --event-value" in told
    options = ("--event-value", "dead", "--weights", "w", "-o", tmp_path / "model.json")
    done("fit", tmp_path / "data.csv", *FIT, *options)
    model = load(tmp_path / "model.json")
    assert model.roles_ == ("days", "status", ("dead",), "w", ())
    assert "FAIL" not in done("verify", tmp_path / "model.json", tmp_path / "data.csv")
    found = json.loads(done("evaluate", tmp_path / "model.json", tmp_path / "data.csv", "--json"))
    assert found["integrated_brier_score"] == pytest.approx(model.loss_)
    told = refused("fit", tmp_path / "data.csv", "--event-value", "deceased")
    assert "there is no 'deceased'. It holds 'alive', 'dead'" in told


def test_events_may_be_coded_1_and_2_or_true_and_false(tmp_path):
    expected = None
    for flags, options in (
        (pl.col("died") + 1, ("--event-value", 2)),
        (pl.col("died") + 1.0, ("--event-value", 2)),
        (pl.col("died") == 1, ()),
        (pl.when(pl.col("died") == 1).then(pl.lit("TRUE")).otherwise(pl.lit("FALSE")), ()),
    ):
        table().with_columns(died=flags).write_csv(tmp_path / "data.csv")
        found = done("fit", tmp_path / "data.csv", *FIT, *options)
        expected = expected or found
        assert found == expected
    table().with_columns(died=pl.col("died") + 1).write_csv(tmp_path / "data.csv")
    assert "it holds 1, 2. Pass --event-value" in refused("fit", tmp_path / "data.csv")


def test_a_column_that_counts_the_rows_is_left_out_aloud(tmp_path):
    table().with_row_index("id", offset=1).write_csv(tmp_path / "data.csv")
    run = survtree("fit", tmp_path / "data.csv", *FIT, "-o", tmp_path / "model.json")
    assert "warning: column 'id' is left out: it numbers the rows" in run.stderr
    assert "To split on it, pass --thresholds id=auto." in run.stderr
    assert "id" not in load(tmp_path / "model.json").feature_names_in_
    assert "'id' is left out" in load(tmp_path / "model.json").warnings_[0]
    options = (*FIT, "--thresholds", "id=auto", "-o", tmp_path / "model.json")
    assert "is left out" not in survtree("fit", tmp_path / "data.csv", *options).stderr
    assert "id" in load(tmp_path / "model.json").feature_names_in_


def test_start_and_stop_are_refused(tmp_path):
    pl.DataFrame(
        {"start": [0.0, 3.0] * 20, "stop": [3.0, 8.0] * 20, "event": [0, 1] * 20, "age": range(40)}
    ).write_csv(tmp_path / "data.csv")
    message = refused("fit", tmp_path / "data.csv", "--time", "stop")
    assert "columns 'start' and 'stop' are the ends of intervals" in message


def test_decimal_commas_and_blanks_are_read_as_numbers(tmp_path):
    score = pl.col("Karnofsky_score")
    table().with_columns(score + 0.5).write_csv(tmp_path / "points.csv")
    table().with_columns(score + 0.5).write_csv(
        tmp_path / "commas.csv", separator=";", decimal_comma=True
    )
    runs = [
        survtree("fit", tmp_path / f"{name}.csv", *FIT, "-o", tmp_path / f"{name}.json")
        for name in ("points", "commas")
    ]
    assert "text is read as numbers, in which a comma is a decimal point: 'K" in runs[1].stderr
    assert runs[0].stdout == runs[1].stdout
    for name in ("points", "commas"):
        predicted = done("predict", tmp_path / "commas.json", tmp_path / f"{name}.csv")
        assert predicted == done("predict", tmp_path / "points.json", tmp_path / "points.csv")
    assert "IBS" in done("evaluate", tmp_path / "commas.json", tmp_path / "commas.csv")


def test_commas_that_may_part_thousands_are_left_alone(tmp_path):
    dose = [f"{1 + k % 20},000" for k in range(len(table()))]
    table().with_columns(dose=pl.Series(dose)).write_csv(tmp_path / "data.csv")
    run = survtree("fit", tmp_path / "data.csv", *FIT)
    assert "column 'dose' is text that reads as numbers, such as '1,000'" in run.stderr
    assert "or pass --categorical dose if they are codes" in run.stderr


def test_codes_can_be_declared_categories(tmp_path):
    codes = pl.Series([k % 3 for k in range(len(table()))])
    table().with_columns(site=codes).write_csv(tmp_path / "data.csv")
    options = (*FIT, "--categorical", "site", "-o", tmp_path / "model.json")
    done("fit", tmp_path / "data.csv", *options)
    asked = list(load(tmp_path / "model.json").questions_)
    assert [text for text in asked if text.startswith("site")] == [f"site is {k}" for k in range(3)]
    message = refused("fit", tmp_path / "data.csv", "--categorical", "sites")
    assert "--categorical must name a column" in message


def test_commands_say_on_which_rows(tmp_path):
    gaps = table().with_columns(
        Karnofsky_score=pl.when(pl.col("Karnofsky_score") > 30).then("Karnofsky_score")
    )
    gaps.write_csv(tmp_path / "data.csv")
    options = (*FIT, "--missing", "drop", "-o", tmp_path / "model.json")
    run = survtree("fit", tmp_path / "data.csv", *options)
    on = "on 115 of 137 rows, without 22 which have missing values or a weight of 0"
    assert f"fitted {on}" in run.stderr
    assert f"scored {on}" in done("evaluate", tmp_path / "model.json", tmp_path / "data.csv")
    facts = done("evaluate", tmp_path / "model.json", tmp_path / "data.csv", "--json")
    assert json.loads(facts)["rows_left_out"] == 22


def test_columns_that_could_be_the_outcome_are_suggested(tmp_path):
    table().rename({"died": "delta", "days": "u"}).write_csv(tmp_path / "data.csv")
    message = refused("fit", tmp_path / "data.csv", "--time", "u")
    assert "usual name for it. Of 0 and 1, or true and false, are 'delta'" in message
    message = refused("fit", tmp_path / "data.csv")
    assert "Of numbers that are not negative are 'Age_in_years', 'Karnofsky_score'" in message


def test_screening_and_leaks_are_said(tmp_path):
    rng = np.random.default_rng(0)
    columns = {f"gene{k}": pl.Series(rng.normal(size=137)) for k in range(20)}
    frame = table().with_columns(cause=(pl.col("days") > 60).cast(int), **columns)
    frame = frame.with_columns(died=(pl.col("days") <= 60).cast(int))
    frame.write_csv(tmp_path / "data.csv")
    options = (*FIT, "-o", tmp_path / "model.json", "--report", tmp_path / "report.html")
    run = survtree("fit", tmp_path / "data.csv", *options)
    assert re.search(r"84 of \d,?\d+ possible splits were searched", run.stdout)
    assert "warning: the split 'cause = 1' all but decides the event" in run.stderr
    assert "leave the column out with --exclude cause." in run.stderr
    page = (tmp_path / "report.html").read_text()
    assert "all but decides the event" in page
    assert "possible splits were searched" in page
    facts = json.loads(done("show", tmp_path / "model.json", "--json"))
    assert facts["screening"].startswith("84 of 2,8")
    assert "all but decides" in facts["warnings"][0]


def test_missing_cells_of_a_file(tmp_path):
    frame = table().with_columns(pl.col("Age_in_years").cast(pl.String))
    gone = pl.when(pl.int_range(pl.len()) % 9 == 4)
    for text, options in (("NA", ()), ("", ()), ("n.d.", ("--na", "n.d."))):
        marked = frame.with_columns(Age_in_years=gone.then(pl.lit(text)).otherwise("Age_in_years"))
        marked.write_csv(tmp_path / "data.csv")
        told = refused("fit", tmp_path / "data.csv", *options)
        assert "--missing question" in told
        options = (*FIT, *options, "--missing", "question", "-o", tmp_path / "model.json")
        done("fit", tmp_path / "data.csv", *options)
        assert load(tmp_path / "model.json").binarizer_.seen_[0].has_missing
    assert (
        f"{tmp_path / 'data.csv'}:6: column 'Age_in_years' must hold numbers; it has 'n.d.'."
        in (refused("fit", tmp_path / "data.csv"))
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("fit", "DATA", "--time", "dais"), "there is no 'dais'. The nearest is 'days'."),
        (("fit", "DATA", "--event", "x"), "there is no 'x'. It has 'Age_in_years'"),
        (("fit", "DATA", "--exclude", "Celtype"), "The nearest is 'Celltype'"),
        (("fit", "DATA", "--exclude", "days"), "--exclude must not name time or event"),
        (("fit", "DATA", "--time", "died", "--event", "died"), "--time and --event must differ"),
        (("fit", "DATA", "--weights", "Celltype"), "--weights must hold numbers"),
        (("fit", "DATA", "--weights", "days"), "--weights must be a column of its own; 'days'"),
        (("fit", "DATA", "--weights", "died", "--stream"), "'died' holds the events. Name another"),
        (("evaluate", "MODEL", "DATA", "--weights", "days"), "'days' holds the times"),
        (("tune", "DATA", "--groups", "died"), "--groups must be a column of its own; 'died'"),
        (("fit", "DATA", "--depth", "-1"), "an integer >= 0 and <= 1,000, or None (no limit)"),
        (("fit", "DATA", "--depth", "-1"), "survtree fit: --max-depth must be"),
        (("fit", "DATA", "--depth", "deep"), "or None (no limit); got 'deep'"),
        (("fit", "DATA", "--thresholds", "age=3"), "there is no 'age'"),
        (("fit", "DATA", "--format", "xlsx"), "the format must be one of csv, tsv"),
        (("fit", "DATA", "--text-encoding", "klingon"), "Pass utf-8 or latin-1"),
        (("fit", "DATA", "-o", "nowhere/model.json"), "nowhere does not. Make it."),
        (("fit", "DATA", "-o", "."), "it is a folder"),
        (("fit", "nowhere.csv"), "nowhere.csv: No such file or directory."),
        (("fit", "README.md"), "README.md must end in one of .csv"),
        (("predict", "MODEL", "DATA", "--keep", "Age"), "there is no 'Age'"),
        (("predict", "MODEL", "DATA", "--times", "9,2"), "times must be ascending"),
        (("predict", "DATA", "DATA"), "must be a model that survtree exported"),
        (("predict", "MODEL", "OTHER"), "must have the columns of the model"),
        (("evaluate", "MODEL", "OTHER"), "must name a column of"),
        (("tune", "DATA", "--depths", "1,two"), "--max-depths must be a list of depths"),
        (("tune", "DATA", "--folds", "1"), "--cv must be"),
        (("tune", "DATA", "--rule", "mean"), "--rule must be"),
        (("show", "MODEL", "--style", "poem"), "--style must be"),
        (("report", "MODEL", "-o", "nowhere/report.html"), "nowhere does not"),
    ],
)
def test_bad_input_exits_2_on_one_line(folder, tmp_path, monkeypatch, arguments, told):

    pl.DataFrame({"a": [1], "b": [2]}).write_csv(tmp_path / "other.csv")
    monkeypatch.chdir(ROOT)
    files = {
        "DATA": folder / "data.csv",
        "MODEL": folder / "model.json",
        "OTHER": tmp_path / "other.csv",
    }
    said = refused(*(files.get(each, each) for each in arguments))
    line = said.splitlines()[-1]
    assert line.startswith(f"survtree {arguments[0]}: ")
    assert told in line


def chain_of(model, n_splits):
    """A model file with a chain of splits in place of its tree; all leaves have the same curve."""
    whole = json.loads(model.read_text())
    column = [each["name"] for each in whole["columns"]].index("Age_in_years")
    question = {"column": column, "kind": "at_most"}
    whole["questions"] = [{**question, "value": float(k)} for k in range(n_splits)]
    pairs = {"question": (1, 0), "no": (2, 2), "yes": (2, 1)}  # a x k + b at split k, then its leaf
    whole["tree"] = {
        name: [*(j for k in range(n_splits) for j in (a * k + b, -1)), -1]
        for name, (a, b) in pairs.items()
    }
    leaves = [k for k, j in enumerate(whole["tree"]["question"]) if j < 0]
    whole["leaves"] = [{**whole["leaves"][0], "node": node} for node in leaves]
    loss = whole["certificate"]["loss"]
    numbers = {"regularization": 0.0, "objective": loss, "lower_bound": loss}
    whole["certificate"] |= {**numbers, "n_leaves": len(leaves), "max_depth": n_splits}
    return json.dumps(whole)


def test_the_deepest_tree_that_a_file_may_have_is_written(folder, tmp_path):
    (tmp_path / "deep.json").write_text(chain_of(folder / "model.json", 1000))
    shown = done("export", tmp_path / "deep.json", "--to", "text")
    assert "Age_in_years <= 999?" in shown
    assert "group 1001:" in shown


@pytest.mark.parametrize("flag", ["--time", "--event", "--event-value", "--weights"])
def test_a_prediction_takes_no_outcome(folder, flag):
    said = refused("predict", folder / "model.json", folder / "data.csv", flag, "days")
    assert f"No such option: {flag}" in " ".join(said.split())


@pytest.mark.parametrize("place", [0, 2, 4])
@pytest.mark.slow
def test_debug_shows_where_it_went_wrong(folder, place):
    words = ["fit", folder / "data.csv", "--depth", "-1"]
    run = process(*words[:place], "--debug", *words[place:], encoding="utf-8")
    assert run.returncode != 0
    assert "Traceback" in run.stderr
    assert "max_depth must be" in run.stderr


def test_names_that_occur_twice_are_refused(tmp_path):
    (tmp_path / "data.csv").write_text("age,age,time,event\n1,2,3,1\n")
    assert "'age' occurs twice in its first line" in refused("fit", tmp_path / "data.csv")


@pytest.mark.parametrize("content", [b"", b"\x00\x01\x02", b"PAR1 broken", b"a,b\n1,2,3,4\n"])
def test_a_broken_file_is_refused_by_name(tmp_path, content):
    (tmp_path / "data.csv").write_bytes(content)
    told = refused("fit", tmp_path / "data.csv", "--time", "a", "--event", "b")
    assert str(tmp_path / "data.csv") in told
    assert len(told.splitlines()) == 1


def test_a_table_with_two_candidates_is_not_guessed(tmp_path):
    table().with_columns(months=pl.col("days") / 30).write_csv(tmp_path / "data.csv")
    told = refused("fit", tmp_path / "data.csv")
    assert "--time must name a column" in told
    assert "'days', 'months' could be meant" in told


def test_nothing_is_left_of_a_failed_prediction(folder, tmp_path):
    rows = table().drop("days", "died").with_columns(pl.col("Age_in_years").cast(pl.Float64))
    gone = pl.when(pl.int_range(pl.len()) == 100).then(None).otherwise("Age_in_years")
    rows.with_columns(Age_in_years=gone).write_parquet(tmp_path / "new.parquet")
    for ending in ("csv", "parquet", "arrow"):
        out = tmp_path / f"out.{ending}"
        told = refused("predict", folder / "model.json", tmp_path / "new.parquet", "-o", out)
        assert "rows 1 to 137 of the file: X must not have missing values" in told
        assert "'Age_in_years' (1, the first in row 101)" in told
        assert sorted(path.name for path in tmp_path.iterdir()) == ["new.parquet"]


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_rows_are_counted_as_an_editor_or_spreadsheet_does(tmp_path, ending):
    days = table()["days"].to_list()
    days[7] = -1
    frame = table().with_columns(days=pl.Series(days))
    path = tmp_path / f"data.{ending}"
    if ending == "parquet":
        frame.write_parquet(path)
    else:
        frame.write_csv(path, separator="\t" if ending == "tsv" else ",")
    where = "row 8" if ending == "parquet" else "line 9"
    for how in ("--in-memory", "--stream"):
        assert f"negative; {where} has -1" in refused("fit", path, how)


def test_rows_of_weight_0_are_counted_too(tmp_path):
    at = pl.int_range(pl.len())
    age = pl.when(at == 100).then(None).otherwise("Age_in_years")
    rows = table().with_columns(Age_in_years=age, w=(at > 9).cast(pl.Int64))
    rows.write_csv(tmp_path / "data.csv")
    for how in ("--in-memory", "--stream"):
        told = refused("fit", tmp_path / "data.csv", "--weights", "w", how)
        assert "'Age_in_years' (1, the first in line 102)" in told


def test_rows_of_a_later_part_are_counted_from_the_beginning_of_the_file(
    folder, tmp_path, monkeypatch
):
    rows = table().with_columns(pl.col("Age_in_years").cast(pl.String))
    odd = pl.when(pl.int_range(pl.len()) == 100).then(pl.lit("old")).otherwise("Age_in_years")
    rows.with_columns(Age_in_years=odd).write_csv(tmp_path / "new.csv")
    monkeypatch.setattr("survtree._data.files.Source.parts.__defaults__", (50,))
    out = tmp_path / "out.csv"
    told = refused("predict", folder / "model.json", tmp_path / "new.csv", "-o", out)
    assert "line 102 has text: 'old'" in told


def test_warnings_are_told_once_for_all_parts(folder, tmp_path, monkeypatch):
    rows = table().with_columns(Celltype=pl.lit("rare"))
    rows.write_csv(tmp_path / "new.csv")
    monkeypatch.setattr("survtree._data.files.Source.parts.__defaults__", (50,), raising=False)
    run = survtree("predict", folder / "model.json", tmp_path / "new.csv")
    assert run.exit_code == 0
    (line,) = run.stderr.splitlines()
    assert line.startswith("warning: rows hold values that the fit did not see")


@pytest.mark.slow
def test_hostile_names_and_values_harm_nothing(tmp_path):
    rng = np.random.default_rng(0)
    n = 200
    names = [name for name in hostile.NAMES if name]
    frame = pl.DataFrame({name: rng.normal(size=n).round(2) for name in names})
    frame = frame.with_columns(
        level=pl.Series(rng.choice(list(hostile.LEVELS), n)),
        time=pl.Series(np.ceil(rng.exponential(20, n))),
        event=pl.Series((rng.random(n) < 0.7).astype(int)),
    )
    frame.write_csv(tmp_path / "data.csv", quote_style="non_numeric")
    options = ("--depth", 4, "--regularization", 0, "--missing", "question")
    done("fit", tmp_path / "data.csv", *options, "-o", tmp_path / "model.json")
    model = load(tmp_path / "model.json")
    assert model.feature_names_in_.tolist() == [*names, "level"]
    assert "FAIL" not in done("verify", tmp_path / "model.json", tmp_path / "data.csv")
    for ending in ENDINGS:
        done("export", tmp_path / "model.json", "-o", tmp_path / f"out.{ending}")
    done("show", tmp_path / "model.json")
    out = done("predict", tmp_path / "model.json", tmp_path / "data.csv", "--keep", "level")
    found = pl.read_csv(io.StringIO(out))
    # An empty cell of a file is a missing one.
    rows = frame.select(*names, pl.when(pl.col("level") != "").then("level").alias("level"))
    assert found["leaf"].to_list() == model.apply(rows).tolist()
    # A spreadsheet would run it as a formula.
    assert not any(text.startswith("=") for text in found["level"].drop_nulls())
    assert "'=cmd()" in found["level"].to_list()


def test_data_sets_of_the_package_are_saved(tmp_path):
    done("datasets", "save", "veterans", tmp_path / "veterans.csv")
    assert pl.read_csv(tmp_path / "veterans.csv").columns[-2:] == ["time", "event"]
    run = survtree("datasets", "save", "vetrans", tmp_path / "x.csv")
    assert run.exit_code == 2
    assert "veterans" in run.stderr


def test_help_needs_no_large_library():
    code = (
        "import sys; from survtree._cli import main\n"
        "sys.argv = ['survtree', 'fit', '--help']\n"
        "try: main()\n"
        "except SystemExit: print(*sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "typer" in loaded
    assert loaded.isdisjoint({"numpy", "sklearn", "polars", "matplotlib", "jinja2", "scipy"})


def test_options_have_the_defaults_and_words_of_the_table():
    from survtree._cli.inputs import FLAGS, OFFERED

    text = " ".join(done("fit", "--help").split())
    for option in OFFERED:
        assert FLAGS[option.name] in text
        assert " ".join(option.help.split()) in text


def test_the_shell_completes_commands_and_options():
    def completed(words):
        place = str(len(words.split()) - 1)
        asked = {"_SURVTREE_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": place}
        # The name of the command is that of the program.
        code = "import sys; sys.argv[0] = 'survtree'\nfrom survtree._cli import main; main()"
        run = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, **asked},
            capture_output=True,
            text=True,
            check=False,
        )
        return run.stdout.split()

    assert completed("survtree ver") == ["verify"]
    assert {"--time", "--time-limit", "--time-buckets"} <= set(completed("survtree fit --ti"))


def test_the_reference_tells_of_every_command():
    from survtree._cli import app

    page = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
    names = [each.name for each in app.registered_commands]
    assert len(names) == 16
    for name in names:
        assert f"| `{name}" in page
    for ending in ENDINGS:
        assert f"`.{ending}`" in page


def test_a_bug_is_reported_on_one_line(folder, monkeypatch):
    def broken(path):
        raise KeyError("lost")

    monkeypatch.setattr("survtree._model.model_file.load", broken)
    monkeypatch.setattr("survtree.load", broken, raising=False)
    run = survtree("show", folder / "model.json")
    assert run.exit_code == 1
    assert run.stderr.startswith("survtree show: KeyError: 'lost'. This is a bug; --debug shows")


def test_a_column_of_dates_is_refused_with_the_option_that_leaves_it_out(tmp_path):
    dates = pl.Series([f"2020-01-{day % 28 + 1:02d}" for day in range(len(table()))])
    table().with_columns(enrolled=dates).write_csv(tmp_path / "data.csv")
    told = refused("fit", tmp_path / "data.csv", *FIT)
    assert told.strip().endswith("or leave it out: --exclude enrolled.")
    done("fit", tmp_path / "data.csv", *FIT, "--exclude", "enrolled")
