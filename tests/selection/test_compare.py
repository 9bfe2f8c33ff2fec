import json

import numpy as np
import pytest

import ordinate as od
from ordinate.selection import MethodRow, MethodTable

POINTS = np.random.default_rng(0).normal(size=(25, 2))
RECORD = od.sources.random_triplets(
    POINTS, 1500, noise=od.sources.FlippedAnswers(0.05), random_state=0
)


@pytest.fixture(scope="module")
def table():
    return od.compare(RECORD, ["SOE", "STE"], [1, 2, 3], n_jobs=1)


def errors(table):
    return {(row.method, row.dimension): row.fold_errors for row in table.rows}


def test_rows_come_as_asked(table):
    asked = [(method, d) for method in ("SOE", "STE") for d in (1, 2, 3)]
    assert [(row.method, row.dimension) for row in table.rows] == asked
    for row in table.rows:
        assert len(row.fold_errors) == 5
        assert row.error == pytest.approx(np.mean(row.fold_errors))
        assert row.low < row.error < row.high
        assert row.seconds > 0


def test_two_dimensions_are_found(table):
    assert table.choice.dimension == 2
    assert 0.04 < table.choice.error < 0.14
    assert table.rows[0].error > 1.5 * table.choice.error


def test_jobs_change_nothing(table):
    assert errors(od.compare(RECORD, ["SOE", "STE"], [1, 2, 3], n_jobs=2)) == errors(table)


def test_a_row_does_not_depend_on_the_others(table):
    alone = od.compare(RECORD, ["STE"], [2], n_jobs=1)
    assert errors(alone)["STE", 2] == errors(table)["STE", 2]


def test_seed_decides():
    one, two = (od.compare(RECORD, ["SOE"], [2], random_state=seed).rows[0] for seed in (1, 2))
    assert one.fold_errors != two.fold_errors


def test_errors_are_those_of_the_method_fitted_by_hand():
    parts = od.selection.split_folds(RECORD, 5, random_state=np.random.default_rng(3))
    table = od.compare(RECORD, [od.SOE(init=POINTS)], [2], random_state=3)
    for part, error in zip(parts, table.rows[0].fold_errors, strict=True):
        left = np.setdiff1d(np.arange(len(RECORD)), part)
        model = od.SOE(2, init=POINTS, n_jobs=1).fit(RECORD[left])
        assert error == pytest.approx(1 - model.score(RECORD[part]))


def repeated_record():
    """Sixty questions about forty objects, each asked five times and answered alike."""
    rng = np.random.default_rng(0)
    questions = np.array([rng.permutation(40)[:3] for _ in range(60)])
    return od.Comparisons(
        np.repeat(questions, 5, axis=0), groups={"trial": np.repeat(range(60), 5)}
    )


def test_repeated_questions_do_not_give_the_test_away():
    record = repeated_record()
    fold = np.random.default_rng(0).permutation(len(record)) % 5
    leaking = [
        1 - od.SOE(5, random_state=0).fit(record[fold != k]).score(record[fold == k])
        for k in range(5)
    ]
    assert np.mean(leaking) < 0.1
    assert od.compare(record, ["SOE"], [5]).rows[0].error > 0.3
    assert od.learning_curve(record, dimension=5).points[-1].error > 0.3
    assert od.estimate_noise(record, "SOE", 5).overall.held_out_error > 0.3


def test_groups_are_held_out_whole():
    record = repeated_record()
    by_trial = od.compare(record, ["SOE"], [5], by="trial")
    assert by_trial.rows[0].error > 0.3


def test_rare_objects_stay_known():
    rows = np.vstack([RECORD.rows, [[0, 1, 25], [25, 2, 26]]])
    table = od.compare(rows, ["SOE"], [2])
    assert table.n_always_fitted >= 1
    assert "never held out to keep objects known" in str(table)


def make_table(**fold_errors):
    rows = tuple(
        MethodRow(name[:3], int(name[3:]), float(np.mean(e)), 0.0, 1.0, 0.1, tuple(e))
        for name, e in fold_errors.items()
    )
    return MethodTable(rows, 5, 1, None, 100, 10, 0)


def test_choice_is_the_lowest_dimension_within_one_standard_error():
    table = make_table(
        SOE1=[0.30, 0.31, 0.29, 0.30, 0.30],
        SOE2=[0.10, 0.12, 0.11, 0.09, 0.12],
        STE2=[0.11, 0.13, 0.12, 0.10, 0.14],
        SOE3=[0.11, 0.11, 0.10, 0.10, 0.10],
    )
    assert (table.best.method, table.best.dimension) == ("SOE", 3)
    assert (table.choice.method, table.choice.dimension) == ("SOE", 2)
    assert table.advice.startswith("Use SOE in 2 dimensions: its held-out error, 10.8%, is within")
    assert "(SOE in 3 dimensions)" in table.advice
    lines = str(table).splitlines()
    assert [line.split()[:2] for line in lines if "use this" in line] == [["SOE", "2"]]
    assert next(line.split()[:2] for line in lines if "lowest" in line) == ["SOE", "3"]


def test_a_small_but_steady_difference_counts():
    # one standard error of the means would call these equal; paired by fold they are not
    table = make_table(SOE1=[0.12, 0.22, 0.32, 0.42, 0.171], SOE2=[0.11, 0.21, 0.31, 0.41, 0.16])
    assert table.choice.dimension == 2
    assert table.advice == "Use SOE in 2 dimensions: its held-out error, 24.0%, is the lowest."


def test_useless_maps_are_called_so():
    assert make_table(SOE1=[0.5, 0.45, 0.48, 0.51, 0.5]).advice.startswith("No map predicts")


def test_figures_survive_json(table):
    figures = json.loads(json.dumps(table.to_dict(), allow_nan=False))
    assert len(figures["rows"]) == 6
    assert figures["choice"]["dimension"] == 2
    assert figures["advice"] == table.advice


def test_printed_table_has_a_line_per_row_and_the_advice(table):
    lines = str(table).splitlines()
    assert lines[0] == "1,500 answers about 25 objects, 5 folds"
    assert len(lines) == 2 + 6 + 1
    assert lines[-1] == table.advice
    assert "← use this" in str(table)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"methods": []}, "methods is empty"),
        ({"methods": ["SOE", "SOE"]}, "methods must differ"),
        ({"dimensions": []}, "dimensions is empty"),
        ({"dimensions": [2, 2]}, "dimensions must differ"),
        ({"dimensions": [0]}, "dimension must be an integer >= 1; got 0"),
        ({"by": "trial"}, "no group 'trial'"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(od.InputError, match=message):
        od.compare(RECORD, **arguments)
