import json
import warnings
from dataclasses import replace

import numpy as np
import pytest

import ordinate as od
from ordinate.selection import MethodRow, MethodTable
from ordinate.solvers.intervals import HeldOutAnswers, brier_scores

POINTS = np.random.default_rng(0).normal(size=(25, 2))
RECORD = od.sources.random_triplets(
    POINTS, 1500, noise=od.sources.FlippedAnswers(0.05), random_state=0
)


@pytest.fixture(scope="module")
def table():
    return od.compare(RECORD, ["SOE", "STE"], [1, 2, 3], repeats=1, n_jobs=1, random_state=0)


def errors(table):
    return {(row.method, row.dimension): row.fold_errors for row in table.rows}


def test_rows_come_as_asked(table):
    asked = [(method, d) for method in ("SOE", "STE") for d in (1, 2, 3)]
    assert [(row.method, row.dimension) for row in table.rows] == asked
    for row in table.rows:
        assert len(row.fold_errors) == 5
        assert row.error == pytest.approx(np.mean(row.fold_errors), abs=2e-3)
        assert row.low < row.error < row.high
        assert row.seconds > 0


def test_two_dimensions_are_found(table):
    assert table.choice.dimension == 2
    assert 0.04 < table.choice.error < 0.14
    assert table.rows[0].error > 1.5 * table.choice.error


def test_jobs_change_nothing(table):
    again = od.compare(RECORD, ["SOE", "STE"], [1, 2, 3], repeats=1, n_jobs=2, random_state=0)
    assert errors(again) == errors(table)


def test_a_row_does_not_depend_on_the_others(table):
    alone = od.compare(RECORD, ["STE"], [2], repeats=1, n_jobs=1, random_state=0)
    assert errors(alone)["STE", 2] == errors(table)["STE", 2]


def test_the_seed_decides_the_result():
    one, two = (od.compare(RECORD, ["SOE"], [2], random_state=seed).rows[0] for seed in (1, 2))
    assert one.fold_errors != two.fold_errors


def test_errors_are_those_of_the_method_fitted_by_hand():
    parts = od.selection.split_folds(RECORD, 5, random_state=np.random.default_rng(3))
    table = od.compare(RECORD, [od.SOE(init=POINTS)], [2], repeats=1, random_state=3)
    for part, error in zip(parts, table.rows[0].fold_errors, strict=True):
        left = np.setdiff1d(np.arange(len(RECORD)), part)
        model = od.SOE(2, init=POINTS, n_jobs=1).fit(RECORD[left])
        assert error == pytest.approx(1 - model.score(RECORD[part]))


def repeated_record():
    """Sixty questions about forty objects, each asked five times and answered alike."""
    rng = np.random.default_rng(0)
    questions = np.array([rng.permutation(40)[:3] for _ in range(60)])
    return od.Comparisons(
        np.repeat(questions, 5, axis=0), n_objects=40, groups={"trial": np.repeat(range(60), 5)}
    )


@pytest.mark.usual_data
def test_repeated_questions_do_not_give_the_test_away():
    record = repeated_record()
    fold = np.random.default_rng(0).permutation(len(record)) % 5
    leaking = [
        1 - od.SOE(5, random_state=0).fit(record[fold != k]).score(record[fold == k])
        for k in range(5)
    ]
    assert np.mean(leaking) < 0.1
    assert od.compare(record, ["SOE"], [5], repeats=1, random_state=0).rows[0].error > 0.3
    assert od.learning_curve(record, "SOE", 5, random_state=0).points[-1].error > 0.3
    assert od.estimate_noise(record, "SOE", 5, random_state=0).overall.held_out_error > 0.3


@pytest.mark.usual_data
def test_groups_are_held_out_whole():
    record = repeated_record()
    by_trial = od.compare(record, ["SOE"], [5], repeats=1, by="trial", random_state=0)
    assert by_trial.rows[0].error > 0.3


def test_rare_objects_stay_known():
    rows = np.vstack([RECORD.rows, [[0, 1, 25], [25, 2, 26]]])
    table = od.compare(rows, ["SOE"], [2], random_state=0)
    assert table.n_never_held_out >= 1
    assert "answers never held out" in str(table)


def make_table(**wrong):
    """A table of rows that got the given answers wrong, each given by its share and first one."""
    held_out = np.zeros((len(wrong), 1000), dtype=np.float32)
    for row, (share, first) in zip(held_out, wrong.values(), strict=True):
        row[first : first + round(1000 * share)] = 1
    rows = tuple(
        MethodRow(name[:3], int(name[3:]), share, 0.0, share + 0.05, share, 0.1, (share,))
        for name, (share, _) in wrong.items()
    )
    answers = HeldOutAnswers(held_out, np.arange(1000), None)
    return MethodTable(rows, answers, answers, 5, 1, None, 1000, 10, 0)


def test_choice_is_the_lowest_dimension_that_predicts_nearly_as_well():
    table = make_table(SOE1=(0.3, 0), SOE2=(0.101, 0), STE2=(0.104, 500), SOE3=(0.1, 0))
    assert (table.best.method, table.best.dimension) == ("SOE", 3)
    assert (table.choice.method, table.choice.dimension) == ("SOE", 2)
    assert table.advice.startswith(
        "Use SOE in 2 dimensions: it predicts nearly as well as SOE in 3 dimensions (scores"
        " 0.1515 and 0.1500, lower is better)."
    )
    lines = str(table).splitlines()
    assert [line.split()[:2] for line in lines if "chosen" in line] == [["SOE", "2"]]
    assert next(line.split()[:2] for line in lines if "  best  " in line) == ["SOE", "3"]


def test_a_lower_brier_score_does_not_outweigh_many_more_errors():
    table = make_table(SOE3=(0.371, 0), TET1=(0.312, 0))
    flat, solid = (
        replace(row, brier_score=b) for row, b in zip(table.rows, (0.21, 0.212), strict=True)
    )
    table = replace(table, rows=(flat, solid))
    assert (table.best, table.choice) == (solid, solid)


def test_a_line_that_is_a_matter_of_luck_is_not_chosen():
    table = make_table(CKL1=(0.3, 0), CKL2=(0.31, 0))
    assert table.choice.dimension == 1
    luck = replace(table.held_out, factors=np.array([2.25, 2.25]))
    assert replace(table, held_out=luck).choice.dimension == 2
    agreed = replace(table.held_out, factors=np.array([1.5, 2.25]))
    assert replace(table, held_out=agreed).choice.dimension == 1
    alone = make_table(CKL1=(0.3, 0), SOE1=(0.31, 0))
    assert replace(alone, held_out=luck).choice.method == "CKL"


def test_of_few_answers_a_map_without_a_penalty_is_not_chosen():
    table = make_table(SOE2=(0.3, 0), CKL2=(0.31, 0), CKL3=(0.32, 0))
    methods = (od.SOE(), od.CKL(), od.CKL())
    rows = tuple(
        replace(row, estimator=method) for row, method in zip(table.rows, methods, strict=True)
    )
    table = replace(table, rows=rows)
    assert table.choice.method == "SOE"
    few = replace(table, n_objects=200)
    assert few.choice.method == "CKL"
    assert [row.method for row in few.set_aside] == ["SOE"]
    assert few.advice.startswith(
        "Use CKL in 2 dimensions: of the maps that are more than luck it predicts best. SOE in 2"
        " dimensions scored lower, but with so few answers that is luck."
    )
    assert [line.split()[0] for line in str(few).splitlines() if "  luck  " in line] == ["SOE"]
    assert few.of_method("SOE").choice.method == "SOE"


def test_tied_maps_are_shown_in_two_dimensions():
    # other answers wrong: one point less is nothing that 1,000 answers could show
    table = make_table(SOE1=(0.29, 500), SOE2=(0.3, 0), STE2=(0.31, 0), SOE4=(0.295, 300))
    assert (table.best.dimension, table.smallest.dimension) == (1, 1)
    assert str(table.choice) == "SOE in 2 dimensions"
    assert table.advice.startswith(
        "Use SOE in 2 dimensions: it can be looked at, and the answers do not show that SOE in 1"
        " dimension predicts better (scores 0.4500 and 0.4350, lower is better)."
    )
    assert od.selection.DimensionEstimate(table).dimension == 1
    # the same answers and fewer of them wrong: a difference of many standard errors
    sure = make_table(SOE2=(0.3, 0), SOE4=(0.2, 0), SOE3=(0.201, 0))
    assert sure.choice.dimension == sure.smallest.dimension == 3
    assert make_table(SOE1=(0.3, 0), SOE3=(0.3, 5)).choice.dimension == 1, "no flat one was tried"


def test_of_few_answers_only_clear_evidence_speaks_for_another_map_than_that_of_ckl():
    # 0.31 and 0.3 of 1,000 answers wrong, other ones: a difference within a standard error
    table = make_table(CKL2=(0.31, 0), SOE2=(0.3, 500), SOE4=(0.4, 0))
    assert table.fallback is None
    assert table.choice.method == "SOE"
    few = replace(table, n_objects=200)
    assert few.best.method == "SOE"
    assert few.choice is few.fallback is few.rows[0]
    assert few.advice.startswith(
        "Use CKL in 2 dimensions: it predicts well from few answers, and these are too few to show"
        " that SOE in 2 dimensions predicts better."
    )
    assert few.edge == ""
    clear = replace(make_table(CKL2=(0.31, 0), SOE2=(0.2, 0)), n_objects=200)
    assert (clear.fallback, clear.choice.method) == (None, "SOE")
    assert few.of_method("SOE").fallback is None


def _steady(table):
    """Scores of each answer that hardly vary, so that every difference is sure."""
    noise = np.random.default_rng(0).normal(0, 1e-3, size=(len(table.rows), 1000))
    means = np.array([[row.brier_score] for row in table.rows])
    return (means + noise - noise.mean(axis=1, keepdims=True)).astype(np.float32)


def test_a_range_is_given_if_the_answers_cannot_decide():
    # as many mistakes, about other answers: two dimensions may be much better or much worse
    table = make_table(SOE1=(0.106, 500), SOE2=(0.1, 0), SOE3=(0.11, 300), SOE4=(0.3, 0))
    assert table.choice.dimension == 2
    assert table.dimension_range == (1, 3)
    assert table.advice.endswith("The answers cannot tell 1 to 3 dimensions apart.")
    assert [p < 0.05 for p in table.p_best] == [False, False, False, True]
    # three and four dimensions are surely but hardly better than two: no doubt about two
    table = make_table(SOE2=(0.102, 0), SOE3=(0.1, 0), STE3=(0.1, 0), SOE4=(0.1, 50))
    sure = replace(table, brier_scores=replace(table.held_out, values=_steady(table)))
    assert (sure.choice.dimension, sure.dimension_range, sure.doubt) == (2, (3, 4), "")
    assert "cannot tell" not in sure.advice + od.selection.DimensionEstimate(sure).advice


def test_the_edge_of_what_was_tried_is_reported():
    table = make_table(SOE2=(0.3, 0), SOE4=(0.1, 0))
    edge = " No more than 4 dimensions were tried: maps in more may predict better."
    assert table.advice.endswith(edge)
    assert od.selection.DimensionEstimate(table).advice.endswith(edge)
    assert table.to_dict()["edge_reached"]
    searched = replace(table, searched=True)
    assert searched.edge.endswith("there are too few answers or objects for maps in more.")
    # one dimension was asked for, objects fill no more, or a lower one was chosen
    alone = make_table(SOE4=(0.1, 0))
    full = replace(table, n_objects=5)
    lower = make_table(SOE2=(0.1, 0), SOE4=(0.1, 0))
    assert [one.edge for one in (alone, full, lower)] == ["", "", ""]


@pytest.fixture(scope="module")
def eight_dimensions():
    """Answers about objects in eight dimensions, 3 % of them wrong."""
    points = np.random.default_rng(0).normal(size=(20, 8))
    noise = od.sources.FlippedAnswers(0.03)
    return od.sources.random_triplets(points, 3000, noise=noise, random_state=1)


def test_more_dimensions_are_tried_while_the_largest_predicts_best(eight_dimensions):
    table = od.compare(eight_dimensions, "SOE", folds=2, random_state=0)
    assert [row.dimension for row in table.rows] == [1, 2, 3, 4, 8, 16]
    assert (table.choice.dimension, table.edge) == (8, "")
    # the same figures as if they had been asked for; all verbs choose by this function
    asked = od.compare(eight_dimensions, "SOE", [8], folds=2, random_state=0).rows[0]
    assert asked.fold_errors == table.choice.fold_errors
    assert (
        od.estimate_dimension(eight_dimensions, method="SOE", folds=2, random_state=0).dimension
        == 8
    )
    # a method that is not the best stays where it was
    two = od.compare(eight_dimensions, ["SOE", od.CKL(penalty=100.0)], folds=2, random_state=0)
    assert [row.dimension for row in two.rows] == [1, 2, 3, 4, 8, 16, 1, 2, 3, 4]


def test_no_more_dimensions_than_answers_or_objects_allow(eight_dimensions):
    few = od.compare(eight_dimensions[:100], "SOE", folds=2, random_state=0)
    assert max(row.dimension for row in few.rows) == 4
    three = od.compare([[0, 1, 2], [1, 2, 0], [2, 1, 0], [0, 1, 2]], "SOE", folds=2, random_state=0)
    assert [row.dimension for row in three.rows] == [1, 2]
    with pytest.raises(od.InputError, match="n_components must be at most 20, the number of obj"):
        od.compare(eight_dimensions, "SOE", [21], random_state=0)


def test_a_small_but_steady_difference_counts():
    table = make_table(SOE1=(0.115, 0), SOE2=(0.1, 0))
    assert table.choice.dimension == 2
    assert table.p_best[0] < 1e-3
    assert table.dimension_range == (2, 2)
    assert table.advice == (
        "Use SOE in 2 dimensions: it predicts held-out answers best (score 0.1500)."
        " No more than 2 dimensions were tried: maps in more may predict better."
    )


def test_words_suit_equal_scores_and_errors_near_guessing():
    table = make_table(SOE2=(0.38, 0), SOE3=(0.38, 0))
    scores = (0.2, 0.19999)
    rows = (replace(row, brier_score=s) for row, s in zip(table.rows, scores, strict=True))
    twins = replace(table, rows=tuple(rows))
    assert twins.advice == (
        "Use SOE in 2 dimensions: it predicts as well as SOE in 3 dimensions (score 0.3900)."
        " The answers cannot tell 2 to 3 dimensions apart."
        " The error may be as high as 43.0% (guessing gives 50%): do not rely on the map"
        " yet."
    )
    assert od.selection.DimensionEstimate(twins).advice == (
        "2 to 3 dimensions: the answers cannot distinguish them; 2 predicts as well as 3."
    )


def test_brier_scores_are_those_of_the_best_sharpness(table):
    margins = np.random.default_rng(0).normal(0.5, 1, size=300)
    by_hand = [
        np.mean((1 - 1 / (1 + np.exp(-sharpness * margins))) ** 2)
        for sharpness in np.exp(np.linspace(-4, 4, 2000))
    ]
    assert brier_scores(margins).mean() == pytest.approx(min(by_hand), rel=1e-5)
    for row in table.rows:  # margins tell more than their signs
        assert 0.5 * row.error < row.brier_score < row.error * (1 - row.error)


def test_maps_that_differ_in_size_are_the_same_map():
    class Grown(od.SOE):
        def fit(self, X, y=None, sample_weight=None):
            super().fit(X)
            self.embedding_ *= 1 + self.random_state % 97
            return self

    grown, plain = od.compare(
        RECORD, {"grown": Grown(), "plain": od.SOE()}, [2], random_state=0
    ).rows
    assert grown.brier_score == pytest.approx(plain.brier_score)


def test_repetitions_split_again():
    table = od.compare(RECORD[:300], ["SOE"], [2], repeats=2, n_jobs=1, random_state=0)
    assert table.repeats == 2
    assert len(table.rows[0].fold_errors) == 10
    assert "5 folds, split 2 times" in str(table)


def test_of_very_many_answers_some_folds_are_held_out(monkeypatch):
    monkeypatch.setattr("ordinate.selection._compare._WORK", 50 * len(RECORD) * 2)
    table = od.compare(RECORD, ["SOE"], [1, 2], n_jobs=1, random_state=0)
    assert [len(row.fold_errors) for row in table.rows] == [1, 1]
    assert table.n_never_held_out > 0.7 * len(RECORD)
    assert ", 1 of 5 folds, " in table.title()


def test_maps_that_do_not_converge_are_not_reported():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        od.compare(RECORD[:200], [od.SOE(max_iter=2)], [2], repeats=1, random_state=0)
        od.held_out_error(
            RECORD[:200],
            lambda part: od.SOE(2, max_iter=2).fit(part).embedding_,
            folds=2,
            random_state=0,
        )


def test_methods_may_have_names_of_your_own():
    table = od.compare(
        RECORD[:300], {"mine": od.STE(), "yours": od.SOE()}, [2], repeats=1, random_state=0
    )
    assert [row.method for row in table.rows] == ["mine", "yours"]
    assert table.of_method("yours").rows == table.rows[1:]
    assert table.of_method("yours").held_out.mean(0).mean == table.rows[1].error


def test_useless_maps_are_called_so():
    assert make_table(SOE1=(0.48, 0)).advice.startswith("No map predicts")


def test_figures_survive_json(table):
    figures = json.loads(json.dumps(table.to_dict(), allow_nan=False))
    assert len(figures["rows"]) == 6
    assert figures["choice"]["dimension"] == 2
    assert figures["advice"] == table.advice


def test_printed_table_has_a_line_per_row_and_the_advice(table):
    lines = str(table).splitlines()
    assert lines[:2] == [table.advice, "1,500 answers about 25 objects, 5 folds"]
    assert len(lines) == 2 + 1 + 6
    assert sum("  chosen  " in line for line in lines) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"methods": []}, "methods is empty"),
        ({"methods": ["SOE", "SOE"]}, "methods must differ"),
        ({"n_components": []}, "n_components is empty"),
        ({"n_components": [2, 2]}, "n_components must differ"),
        ({"n_components": [0]}, "n_components must be an integer >= 1; got 0"),
        ({"by": "trial"}, "no group 'trial'"),
        ({"repeats": 0}, "repeats must be an integer >= 1; got 0"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(od.InputError, match=message):
        od.compare(RECORD, **arguments)


def test_a_single_method_and_a_single_dimension():
    one = od.compare(RECORD, "STE", 2, n_jobs=1, random_state=0)
    assert [(row.method, row.dimension) for row in one.rows] == [("STE", 2)]
    assert errors(one) == errors(od.compare(RECORD, ["STE"], [2], n_jobs=1, random_state=0))
    assert len(od.compare(RECORD, od.STE(), 1, n_jobs=1, random_state=0).rows) == 1


def test_ties_are_called_ties():
    """Of thirty ways that all guess the luckiest seems better than half, but not than others."""
    rng = np.random.default_rng([0])  # with one that has luck
    shares = {f"SOE{way + 1}": (share, 0) for way, share in enumerate([0.45, 0.46, 0.9])}
    assert [row.dimension for row in make_table(**shares).tied] == []  # the same mistakes and more
    wrong = (rng.random((30, 400)) < 0.5).astype(np.float32)
    held_out = HeldOutAnswers(wrong, np.arange(400), None)
    rows = tuple(
        MethodRow(f"way {way}", 2, float(its.mean()), 0, 1, float(its.mean()), 0, ())
        for way, its in enumerate(wrong)
    )
    table = MethodTable(rows, held_out, held_out, 5, 1, None, 400, 10, 0)
    assert table.best.error < 0.46
    assert table.choice not in table.tied
    assert len(table.tied) > 5


@pytest.mark.usual_data
def test_the_dimension_does_not_jump_between_draws():
    """Answers without noise about points in the plane, and few about six objects on a line."""
    for seed in range(3):
        points = np.random.default_rng(seed).normal(size=(20, 2))
        answers = od.sources.random_triplets(points, 1000, random_state=seed)
        assert od.compare(answers, random_state=seed).choice.dimension == 2
        line = od.sources.random_triplets(np.arange(6.0)[:, None], 54, random_state=seed)
        assert od.compare(line, random_state=seed).choice.dimension <= 2
