"""How well features predict answers: figures worked out by hand, intervals, ceilings, a map."""

import numpy as np
import pandas as pd
import pytest

import ordinate as od

LINE = np.array([[0.0], [1.0], [3.0], [7.0]])


def test_a_tie_counts_its_share_and_chance_depends_on_the_question():
    same = {"same": np.ones((4, 2))}
    triplets = od.score_features([[0, 1, 2], [3, 2, 0]], same, random_state=0)
    assert (triplets.rows[0].accuracy, triplets.chance, triplets.question) == (0.5, 0.5, "triplet")
    pairs = od.score_features([[0, 1, 2, 3]], {"line": LINE}, "euclidean", random_state=0)
    assert (pairs.rows[0].accuracy, pairs.question) == (1.0, "quadruplet")
    trials = od.score_features(od.Trials([[0, 1, 2], [0, 2, 3]]), same, random_state=0)
    assert trials.rows[0].accuracy == pytest.approx(1 / 3)
    assert trials.chance == pytest.approx(1 / 3)


def test_a_trial_is_one_answer():
    trials = od.Trials([[0, 1, 3], [0, 3, 1]])
    found = od.score_features(trials, {"line": LINE}, "euclidean", random_state=0)
    assert (found.rows[0].accuracy, found.n_answers) == (0.5, 2)


@pytest.mark.parametrize(
    ("similarity", "right"), [("cosine", 1), ("dot", 0), ("euclidean", 0), ("centered", 0)]
)
def test_similarities_differ_where_they_should(similarity, right):
    # 1 points where 0 does but is far away; 2 is long, and near to 0
    points = np.array([[1.0, 1.0], [0.1, 0.1], [2.0, 1.0]])
    points = np.vstack([points, points @ [[0, 1], [1, 0]]])
    found = od.score_features([[0, 1, 2]], {"X": points}, similarity, random_state=0)
    assert found.rows[0].accuracy == right


def test_the_better_of_two_tables_comes_first_with_a_corrected_p_value():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(30, 3))
    answers = od.sources.random_triplets(points, 600, random_state=0)
    tables = {"noise": rng.normal(size=(30, 3)), "true": points, "worse": points[:, :1]}
    found = od.score_features(answers, tables, "euclidean", random_state=0)
    assert [row.name for row in found.rows] == ["true", "worse", "noise"]
    assert [(one.better, one.worse) for one in found.differences] == [
        ("true", "worse"), ("true", "noise"), ("worse", "noise"),
    ]  # fmt: skip
    for one in found.differences:
        assert one.difference > 0
        assert one.low < one.difference < one.high
    alone = od.score_features(
        answers, {k: tables[k] for k in ("worse", "noise")}, "euclidean", random_state=0
    )
    # the largest of three p values stays as it is; smaller ones are multiplied
    assert found.differences[-1].p >= alone.differences[0].p
    assert "<0.001" in str(found)


def test_p_values_are_corrected_as_holm_does():
    from ordinate.solvers.intervals import holm

    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.8]).tolist() == [1.0, 1.0]


def test_intervals_are_over_participants_where_there_are_five():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(20, 2))
    rows = od.sources.random_triplets(points, 1000, random_state=0).rows.copy()
    person = np.repeat(np.arange(10), 100)
    rows[person < 4] = rows[person < 4][:, [0, 2, 1]]  # four people answer the other way round
    by_question = od.score_features(
        od.Comparisons(rows), {"X": points}, "euclidean", random_state=0
    )
    grouped = od.Comparisons(rows, groups={"participant": person})
    by_person = od.score_features(grouped, {"X": points}, "euclidean", random_state=0)
    assert (by_question.n_participants, by_person.n_participants) == (None, 10)
    widths = [one.rows[0].high - one.rows[0].low for one in (by_question, by_person)]
    assert widths[1] > 3 * widths[0]
    few = od.Comparisons(rows, groups={"participant": person % 4})
    assert od.score_features(few, {"X": points}, random_state=0).n_participants is None


def test_the_ceiling_is_how_far_people_agree():
    answers = od.Comparisons([[0, 1, 2]] * 3 + [[0, 2, 1]] + [[1, 0, 2]])
    found = od.score_features(answers, {"line": LINE}, random_state=0)
    assert (found.ceiling.n_questions, found.ceiling.upper) == (1, 0.75)
    assert "Too few questions were asked more than once" in str(found)
    assert found.to_dict()["ceiling"] is None
    once = od.score_features(answers[-1:], {"line": LINE}, random_state=0)
    assert once.to_dict()["ceiling"] is None
    assert "asked more than once" not in str(once)


def test_frames_are_matched_by_label_and_objects_without_features_left_out():
    answers = od.Comparisons([["a", "b", "d"], ["a", "c", "d"], ["d", "c", "a"]])
    frame = pd.DataFrame({"x": [7.0, 3.0, 0.0]}, index=["d", "c", "a"])
    found = od.score_features(answers, {"x": frame}, "euclidean", random_state=0)
    assert (found.n_answers, found.n_left_out, found.rows[0].accuracy) == (2, 1, 1.0)
    assert "1 answers are left out" in str(found)
    with pytest.raises(od.InputError, match="No answer is about objects that all have features"):
        od.score_features(answers[:1], {"x": frame}, random_state=0)


def test_the_map_of_the_answers_is_judged_on_answers_it_was_not_fitted_to():
    rng = np.random.default_rng(1)
    points = rng.normal(size=(25, 2))
    person = np.repeat(np.arange(6), 200)
    rows = od.sources.random_triplets(points, 1200, random_state=0).rows
    answers = od.Comparisons(rows, groups={"participant": person})
    found = od.score_features(
        answers, {"true": points}, "euclidean", map_dimensions=(1, 2), random_state=0
    )
    assert [row.name for row in found.rows] == ["true", "map of the answers, 2-D"]
    assert 0.9 < found.rows[1].accuracy < 1
    random = od.Comparisons(rng.permuted(rows, axis=1), groups={"participant": person})
    chance = od.score_features(random, {"true": points}, map_dimensions=(2,), random_state=0).rows
    assert all(abs(row.accuracy - 0.5) < 0.1 for row in chance)  # 0.1 is 7 standard errors


@pytest.mark.usual_data
def test_trials_have_a_map_too():
    points = np.random.default_rng(0).normal(size=(15, 2))
    alike = -np.square(points[:, None] - points).sum(axis=2)
    trials = od.sources.random_trials(
        alike, 600, similarity="precomputed", temperature=0, random_state=0
    )
    found = od.score_features(
        trials, {"X": points}, "euclidean", map_dimensions=(2,), random_state=0
    )
    assert found.rows[0].accuracy == 1
    assert found.rows[1].accuracy > 0.85


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0, 1, 2]], {}), "features must map names to tables.*got an empty one"),
        (([[0, 1, 2]], LINE), "features must map names to tables.*got"),
        (([[0, 1, 2]], {"X": LINE}, "angle"), "similarity"),
        (([[0, 1, 5]], {"X": LINE}), "features has 4 rows; the answers are about 6 objects"),
    ],
)
def test_what_cannot_be_scored_is_refused(arguments, message):
    with pytest.raises(od.InputError, match=message):
        od.score_features(*arguments, random_state=0)


def test_answers_about_objects_without_a_place_on_the_map_are_left_out_aloud():
    points = np.random.default_rng(0).normal(size=(30, 2))
    trials = od.Trials(
        [[0, 1, 2], [3, 4, 5], *([[6, 7, 8], [6, 7, 9], [7, 8, 9]] * 6)], n_objects=30
    )
    found = od.score_features(
        trials, {"x": points}, "euclidean", map_dimensions=(1,), random_state=0
    )
    assert found.n_left_out >= 2
    assert "no features or no place on the map of the other answers." in str(found)
    assert od.score_features(trials, {"x": points}, "euclidean").n_left_out == 0


def test_features_are_compared_with_those_dealt_at_random():
    """Of few objects, any features predict more or less than guessing."""
    rng = np.random.default_rng([3])
    points = rng.normal(size=(12, 2))
    answers = od.sources.random_triplets(points, 600, random_state=0)
    tables = {"true": points, "random": rng.normal(size=(12, 2))}
    found = {
        r.name: r for r in od.score_features(answers, tables, "euclidean", random_state=0).rows
    }
    assert found["true"].p_chance == 0.01
    assert found["random"].p_chance > 0.05
    said = str(od.align(answers, {"random": tables["random"]}, similarity="euclidean",
                        map_dimensions=[]))  # fmt: skip
    assert "That may be chance: shuffled features predict as much" in said
    coins = od.Comparisons(rng.permuted(np.tile(np.arange(12), (300, 1)), axis=1)[:, :3])
    said = str(od.align(coins, {"true": points}, map_dimensions=[1], random_state=0))
    assert "not surely better than chance" in said or "That may be chance" in said
