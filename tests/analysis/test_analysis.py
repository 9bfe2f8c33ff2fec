"""`od.analyze`: the choice, the error, the map, and what is asked for later."""

import numpy as np
import pandas as pd
import pytest

import ordinate as od
from ordinate.analysis.analysis import Analysis, Plan
from ordinate.results.provenance import Provenance
from ordinate.selection import HeldOutError, _compare
from ordinate.selection._held_out import MethodSpec


@pytest.fixture(scope="module")
def answers():
    """900 triplets about points in the plane by two people, one in twenty turned round."""
    points = np.random.default_rng(0).normal(size=(14, 2))
    rows = od.sources.random_triplets(points, 900, random_state=0).rows
    holds = np.random.default_rng(1).random(900) > 0.05
    who = np.array(["Ann", "Bob"])[np.arange(900) % 2]
    names = [f"o{number:02}" for number in range(14)]
    return od.Comparisons(rows, holds, names=names, groups={"participant": who})


@pytest.fixture(scope="module")
def analysis(answers):
    return od.analyze(answers, ["SOE", "STE"], [1, 2], folds=3, random_state=0)


def test_it_is_what_the_single_functions_give(answers, analysis):
    table = od.compare(answers, ["SOE", "STE"], [1, 2], folds=3, random_state=0)
    assert analysis.choice.to_dict()["advice"] == table.advice
    assert (analysis.method, analysis.dimension) == (table.choice.method, 2)
    model = getattr(od, analysis.method)(2, random_state=0)
    error = od.held_out_error(
        answers, lambda part: od.SOE(2).fit(part).embedding_, random_state=0
    ).folds
    assert analysis.error.folds == error
    np.testing.assert_array_equal(analysis.points, model.fit(answers).embedding_)
    assert analysis.train_error == od.metrics.triplet_error(answers, analysis.points)


def test_the_error_is_that_of_held_out_error_and_of_noise(answers, analysis):
    kind = getattr(od, analysis.method)
    expected = od.held_out_error(
        answers, lambda part: kind(2, random_state=0).fit(part).embedding_, random_state=0
    )
    assert analysis.error == expected
    assert analysis.noise().held_out == expected
    noise = od.estimate_noise(answers, analysis.method, 2, per="participant", random_state=0)
    assert analysis.noise().to_dict() == noise.to_dict()


def test_what_takes_long_is_computed_once(analysis, monkeypatch):
    first = analysis.uncertainty(n_draws=10)
    monkeypatch.setattr("ordinate.analysis.analysis.map_uncertainty", None)
    assert analysis.uncertainty(n_draws=10) is first
    assert analysis.noise() is analysis.noise()
    assert "Uncertainty of the map, by 10 " in str(analysis)


def test_people_are_tested_as_by_the_function(answers, analysis):
    found = analysis.people()
    expected = od.compare_people(answers, folds=3, random_state=0)
    assert found.comparison.to_dict() == expected.to_dict()
    assert str(found).startswith(str(expected))
    assert found.to_frame().loc["Ann", "answers"] == 450


def test_files_frames_and_arrays_are_read(answers, analysis, tmp_path):
    path = tmp_path / "answers.csv"
    od.write_comparisons(answers, path)
    read = od.analyze(path, "SOE", 2, error_folds=0, random_state=0)
    again = od.analyze(answers, "SOE", 2, error_folds=0, random_state=0)
    np.testing.assert_array_equal(read.points, again.points)
    assert od.analyze(answers.rows, "SOE", 2, error_folds=0, random_state=0).answers.n_objects == 14


def test_answers_read_back_to_front_are_noticed(answers, tmp_path):
    path = tmp_path / "answers.csv"
    od.write_comparisons(answers.reversed(), path)
    with pytest.warns(UserWarning, match="fit better the other way round"):
        od.analyze(path, "SOE", 2, error_folds=0, random_state=0)


def test_coordinates_go_into_frames_and_files(analysis, tmp_path):
    frame = analysis.to_frame()
    assert frame.loc["o03", ["x1", "x2"]].tolist() == analysis.points[3].tolist()
    analysis.save(tmp_path / "map.csv")
    lines = (tmp_path / "map.csv").read_text().splitlines()
    assert lines[0].startswith('"object","x1","x2"')
    assert len(lines) == 15


def test_a_page_without_a_command_says_what_to_type_in_python(answers, tmp_path):
    path = tmp_path / "answers.csv"
    od.write_comparisons(answers[:300], path)
    found = od.analyze(path, od.SOE(delta=2), 1, random_state=4)
    found.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Report on answers.csv" in page
    assert "Each trial asked which of two objects is closer to an anchor." in page
    assert f"od.analyze(&#39;{path}&#39;, method=od.SOE(delta=2), n_components=1" in page
    with pytest.raises(od.InputError, match=r"must end in \.html"):
        found.report("page.pdf")


def test_trials_are_held_out_whole_unless_another_group_is_named(answers):
    trials = {"trial": np.arange(len(answers)) // 3}
    record = od.Comparisons(answers.rows, groups=trials)
    assert od.analyze(record, "SOE", 2, error_folds=2, random_state=0).error.by == "trial"
    assert (
        od.analyze(record, "SOE", 2, error_folds=2, split_by=None, random_state=0).error.by is None
    )


def test_similarities_are_placed_but_have_no_uncertainty(answers):
    found = od.analyze(answers, "K1", error_folds=2, random_state=0)
    assert found.points.shape == (14, 2)
    np.testing.assert_array_equal(found.points, od.kernels.kernel_pca(od.K1().fit(answers), 2))
    assert found.noise().held_out.error == pytest.approx(0.2, abs=0.2)
    with pytest.raises(od.InputError, match=r"K1 gives similarities.* another method="):
        found.uncertainty()


def test_a_class_is_not_a_method(answers):
    with pytest.raises(od.InputError, match=r"got a class. Pass SOE\(\)"):
        od.analyze(answers, od.SOE, 2)


@pytest.mark.usual_data
def test_what_features_add_is_told_and_who_disagrees_with_them():
    rng = np.random.default_rng([2])
    truth = rng.normal(size=(40, 2))
    record = od.sources.random_triplets(truth, 400, random_state=rng)
    features = truth.copy()
    features[[3, 8]] = -3 * truth[[3, 8]]  # people see these two elsewhere
    figures, random = (
        od.analyze(record, features=rows, error_folds=0, verbose=False).feature_figures
        for rows in (features, rng.normal(size=(40, 4)))
    )
    assert figures.helped
    assert figures.error_with < figures.error_without
    assert set(figures.disagreeing[:2]) == {"3", "8"}
    assert figures.disagreement.startswith("People disagree with the features most about ")
    assert not random.helped
    assert random.disagreement == ""
    assert random.gain.startswith("Features do not measurably help: in cross-validation ")


@pytest.mark.parametrize("ending", ["npy", "npz", "csv", "parquet"])
def test_features_are_read_from_files(tmp_path, ending):
    names = [f"o{number:02}" for number in range(15)]
    points = np.random.default_rng([2]).normal(size=(15, 3))
    rows = od.sources.random_triplets(points, 120, random_state=0).rows
    record = od.Comparisons(rows, n_objects=15, names=names)
    path, listed = tmp_path / f"features.{ending}", tmp_path / "names.txt"
    listed.write_text("\n".join(names))
    frame = pd.DataFrame(points, columns=list("abc")).assign(object=names)
    if ending == "npy":
        np.save(path, points)
    elif ending == "npz":
        np.savez(path, points)
    elif ending == "csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_parquet(path)
    given = {"error_folds": 0, "verbose": False}
    found = od.analyze(record, features=path, objects=listed, **given)
    expected = od.analyze(record, features=points, **given)
    np.testing.assert_allclose(found.points, expected.points)
    assert found.names == tuple(names)
    listed.write_text("o01\n")
    if ending.startswith("np"):
        with pytest.raises(od.InputError, match="15 rows and 1 labels in objects;"):
            od.analyze(record, features=path, objects=listed, **given)


def test_all_parts_of_an_analysis_use_the_features(answers, monkeypatch):
    features = np.random.default_rng(0).normal(size=(14, 3))
    given = {"folds": 2, "error_folds": 2, "verbose": False}
    found = od.analyze(answers[:150], features=features, **given)
    assert found.learning_curve().method == "FeatureEmbedding"
    assert found.comparison().choice.method == "FeatureEmbedding"
    monkeypatch.setattr("ordinate.analysis.analysis.structure_test", lambda model, *_, **__: model)
    assert found.structure() is found.model
    assert repr(found.comparison().choice.estimator) == "FeatureEmbedding(features=array(14, 3))"


def test_features_place_objects_nobody_was_asked_about(answers):
    features = np.random.default_rng(0).normal(size=(16, 3))
    with pytest.warns(UserWarning, match="placed by features alone") as warned:
        found = od.analyze(answers, "STE", features=features, error_folds=2, random_state=0)
    assert len(warned) == 1, "maps that only serve to measure say nothing"
    assert found.points.shape == (16, 2)
    assert "Features explain" in str(found)
    assert found.to_dict()["features"]["placed_by"]["features"] == 2
    with pytest.raises(od.InputError, match="With features, method= names a loss, one of"):
        od.analyze(answers, "TETE", features=features, random_state=0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"method": "astrology"}, "method must be one of 'SOE'"),
        ({"method": "SOE", "n_components": 0}, "n_components must be an integer >= 1"),
        ({"method": "SOE", "n_components": 99}, "n_components must be at most 14"),
        ({"method": "SOE", "n_components": 2, "by": "planet"}, "planet"),
    ],
)
def test_mistakes_are_found_before_a_fit(answers, monkeypatch, given, message):
    monkeypatch.setattr(od.SOE, "fit", lambda *_: pytest.fail("fitted before checking"))
    with pytest.raises(od.InputError, match=message):
        od.analyze(answers, **given)


# ---- what it prints ----


def analysis_of(rows, n_objects=None, *, error=None, choice=None, dimension=2, train_error=0.0):
    """Make an analysis with given figures; nothing is fitted."""
    record = od.Comparisons(rows, n_objects=n_objects)
    return Analysis(
        answers=record,
        description=record.describe(),
        choice=choice,
        method="SOE",
        dimension=dimension,
        model=None,
        points=np.zeros((record.n_objects, dimension)),
        error=error,
        train_error=train_error,
        plan=Plan(5, None, 0, 1, False),
        seconds=0.1,
        _spec=MethodSpec("SOE", od.SOE(), dimension),
        _margins=None,
        provenance=Provenance(),
    )


def held_out(error, by=None):
    return HeldOutError(error, error / 2, error + 0.1, 8, 5, by)


def test_folds_that_were_not_held_out_are_not_claimed(monkeypatch):
    monkeypatch.setattr(_compare, "_WORK", 2 * 50 * 400)
    answers = od.sources.random_triplets(np.arange(12.0)[:, None], 400, random_state=0)
    table = od.compare(answers, "SOE", [1], n_jobs=1, random_state=0)
    text = str(analysis_of(PLENTY, choice=table))
    assert f"We chose {table.choice} by cross-validation with 2 of 5 folds over " in text


PLENTY = [[a, b, c] for a in range(4) for b in range(4) for c in range(b) if a not in (b, c)]


def test_errors_are_shares_with_what_they_were_counted_on():
    text = str(analysis_of(PLENTY, error=held_out(0.125, None), train_error=0.25))
    assert "Held-out error: 12.5% (6.2% to 22.5%) of 8 answers" in text
    assert "relying on it" not in text
    assert "Training error: 25.0% of all answers" in text
    text = str(analysis_of(PLENTY, error=held_out(0.35)))
    assert "→ The error may be as high as 45.0% (guessing gives 50%): do not rely on" in text


def test_whole_groups_are_mentioned():
    assert "answers of one trial stay together" in str(
        analysis_of(PLENTY, error=held_out(0.1, "trial"))
    )


def test_without_held_out_answers_nothing_is_claimed():
    assert "Held-out error: not measured" in str(analysis_of(PLENTY))
    assert analysis_of(PLENTY).to_dict()["held_out_error"] is None


@pytest.mark.parametrize(
    ("more", "advice"),
    [
        ({"rows": [[0, 1, 2]], "n_objects": 4}, "→ Objects never compared"),
        ({"rows": [[0, 1, 2], [3, 4, 5]]}, "→ The answers fall into 2 unconnected parts"),
        ({"rows": PLENTY, "error": held_out(0.45, None)}, "→ These answers carry no map"),
    ],
)
def test_advice_is_given_where_something_can_be_done(more, advice):
    assert advice in str(analysis_of(**more))


def test_no_advice_where_all_is_well():
    assert "→" not in str(analysis_of(PLENTY, error=held_out(0.1, None), dimension=1))


def test_error_of_zero_is_not_taken_for_no_error():
    assert analysis_of(PLENTY, error=held_out(0.0, None)).to_dict()["held_out_error"] == 0.0


@pytest.mark.usual_data
def test_what_reads_a_log_is_an_argument(tmp_path):
    rng = np.random.default_rng(3)
    places = rng.normal(size=(8, 2))
    rows = np.argsort(rng.random((300, 8)), axis=1)[:, :3]
    apart = np.linalg.norm(places[rows[:, 1:]] - places[rows[:, :1]], axis=2)
    log = {"anchor": rows[:, 0], "left": rows[:, 1], "right": rows[:, 2]}
    log |= {"response": apart.argmin(axis=1), "phase": np.repeat(["practice", "main"], 150)}
    options = {"error_folds": 0, "random_state": 0}
    with pytest.raises(od.LayoutError, match="coding='from-0', exclude=") as caught:
        od.analyze(log, "SOE", 2, **options)
    (choice,) = caught.value.choices
    analysis = od.analyze(log, "SOE", 2, **options, **choice)
    assert len(analysis.answers) == 150
    assert analysis.train_error < 0.05
    again = od.analyze(log, "SOE", 2, **options, layout=od.Layout(**choice))
    assert again.answers == analysis.answers
    with pytest.warns(UserWarning, match="Try coding='from-0'"):
        od.analyze(log, "SOE", 2, **options, coding="holds", exclude="phase=practice")
    with pytest.warns(UserWarning, match="Check how the answers are coded"):
        od.analyze(log, "SOE", 2, **options, **choice, reverse=True)
    with pytest.raises(od.InputError, match="coding does not apply to this kind of source"):
        od.analyze(analysis.answers, "SOE", 2, coding="holds")


def test_answers_given_both_ways_carry_nothing():
    """No predictor is worse than guessing, and a page says so instead of ending in an error."""
    rows = np.array([np.random.default_rng([n]).permutation(12)[:3] for n in range(200)])
    answers = od.Comparisons(np.vstack([rows, rows[:, [0, 2, 1]]]))
    found = od.analyze(answers, complete=True, random_state=0, verbose=False)
    assert found.error.error == found.train_error == 0.5
    assert "These answers carry no map that surely predicts better than guessing" in str(found)
    assert "the answers may as well be random" in str(found)
    assert found.learning_curve().verdict == "unknown"


def test_nobody_disagrees_unless_somebody_is_named():
    """Two sentences about people do not contradict each other."""
    rng = np.random.default_rng([0])
    points = rng.normal(size=(15, 2))
    usual = [od.sources.random_triplets(points * [3, 1], 150, random_state=k) for k in range(5)]
    own = od.sources.random_triplets(points * [1, 3], 150, random_state=9)
    people = np.repeat([f"p{k}" for k in range(6)], 150)
    answers = od.Comparisons(np.vstack([*usual, own]), groups={"participant": people})
    found = od.analyze(answers, "STE", 2, random_state=0, verbose=False)
    found.people(), found.noise()
    assert any(view.verdict for view in found.people().comparison.participants)
    assert "Nobody's answers clearly disagree" not in str(found)


def test_a_line_is_mentioned_where_it_may_do_as_well():
    line = od.sources.random_triplets(np.arange(12.0)[:, None], 60, random_state=0)
    table = od.compare(line, "STE", [1, 2], folds=2, random_state=0)
    assert (table.smallest.dimension, table.choice.dimension) == (1, 2)
    assert "more dimensions bend it: try n_components=1" in str(analysis_of(PLENTY, choice=table))
    flat = od.compare(line, "STE", [2], folds=2, random_state=0)
    assert "bend" not in str(analysis_of(PLENTY, choice=flat))
