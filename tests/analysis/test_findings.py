import numpy as np
import pytest

import ordinate as od
from ordinate.analysis.paragraph import methods_paragraph

PLAN = {"n_components": [2, 1], "folds": 2, "random_state": 3, "n_jobs": 1}


@pytest.fixture(scope="module")
def answers():
    """1500 triplets about points in the plane by three people, of whom one errs a lot."""
    points = np.random.default_rng(0).normal(size=(15, 2))
    rows = od.sources.random_triplets(points, 1500, random_state=0).rows
    who = np.array(["Ann", "Bob", "Cem"])[np.arange(1500) % 3]
    holds = (who != "Bob") | (np.random.default_rng(1).random(1500) < 0.6)
    return od.Comparisons(rows, holds, groups={"participant": who})


@pytest.fixture(scope="module")
def findings(answers):
    return od.analyze(answers, ["SOE"], complete=True, **PLAN)


def test_the_map_is_that_of_the_choice(answers, findings):
    assert (findings.choice.choice.method, findings.choice.choice.dimension) == ("SOE", 2)
    again = od.SOE(2, random_state=3).fit(answers).embedding_
    np.testing.assert_array_equal(findings.points, again)
    assert findings.train_error == od.metrics.triplet_error(answers, again)


def test_the_accuracy_is_that_of_maps_made_as_this_one(answers, findings):
    place = lambda part: od.SOE(2, random_state=3).fit(part).embedding_  # noqa: E731
    assert findings.noise().held_out == od.held_out_error(answers, place, random_state=3)
    accuracy = findings.to_dict()["accuracy"]
    assert accuracy["share"] == 1 - findings.noise().held_out.error
    assert accuracy["low"] < accuracy["share"] < accuracy["high"]


def test_parameters_reach_the_map(answers):
    found = od.analyze(answers, od.SOE(delta=3), 2, random_state=3, error_folds=0)
    again = od.SOE(2, delta=3, random_state=3).fit(answers).embedding_
    np.testing.assert_array_equal(found.points, again)


def test_participants_who_disagree_are_named(findings):
    assert [one.label for one in findings.noise().deviating_groups] == ["Bob"]
    assert "Participants who disagree with the others: Bob." in str(findings)
    assert findings.to_dict()["noise"]["per_group"][0]["label"] == "Bob"


@pytest.mark.usual_data
def test_the_map_without_those_who_disagree_lies_over_that_of_all(answers, findings):
    others = answers[answers.groups["participant"] != "Bob"]
    again = od.SOE(2, random_state=3).fit(others).embedding_
    expected = od.metrics.procrustes_align(again, findings.points)
    np.testing.assert_array_equal(findings.kept("without").points, expected)
    assert findings.kept("without").n_answers == len(others) < len(answers)
    assert 0 < findings.kept("without").distance < 0.5
    figures = findings.to_dict()["without_deviating"]
    assert figures["procrustes_distance"] == findings.kept("without").distance


def test_the_error_is_one_number(findings):
    wrong = findings.noise().margins <= 0
    assert wrong.mean() == pytest.approx(findings.noise().held_out.error)
    assert (
        findings.to_dict()["noise"]["overall"]["held_out_error"] == findings.noise().held_out.error
    )


def test_records_without_participants_are_handled(answers):
    nobody = od.analyze(od.Comparisons(answers.rows), ["SOE"], complete=True, **PLAN)
    assert nobody.noise().deviating_groups == ()
    assert nobody.kept("without") is None
    assert nobody.noise().per_group == ()


def test_the_paragraph_says_how_people_were_tested(findings):
    found = findings.people().comparison
    said = methods_paragraph(findings)
    assert f"by a score test against {found.n_draws} sets of answers drawn from one map" in said
    assert f"(p = {found.p_value:.2g})" in said


def test_errors_of_other_models_are_not_called_that_of_the_map(findings):
    """The test of people compares one model with itself, by other folds than the map's error."""
    said = str(findings.people().comparison)
    assert "(WeightedSpaces in 2 dimensions, 2 folds)" in said
    assert "one map for all" not in said.partition("In 2 folds")[2]


def test_every_figure_is_what_its_label_says():
    """Contradictions, repeats and errors are counted again, by loops over the answers."""
    rng = np.random.default_rng([7])
    points = rng.normal(size=(12, 2))
    asked = od.sources.random_triplets(points, 90, random_state=2).rows
    rows = np.repeat(asked, rng.integers(1, 7, 90), axis=0)
    wrong = rng.random(len(rows)) < 0.15
    rows[wrong] = rows[wrong][:, [0, 2, 1]]
    found = od.analyze(rows, ["SOE", "CKL"], [1, 2], folds=2, complete=True, n_jobs=1)
    figures, said = found.to_dict(), str(found)
    pairs = differing = 0
    for at, one in enumerate(rows.tolist()):
        for other in rows[:at].tolist():
            if one[0] == other[0] and {*one[1:]} == {*other[1:]}:
                pairs += 1
                differing += one != other
    assert figures["answers"]["n_contradictions"] == differing
    assert f"contradictions: {differing:,} pairs of answers" in said
    assert f"wo answers to the same question differ in {differing / pairs:.1%} of cases" in said
    noise = figures["noise"]
    assert f"Between {noise['at_least']:.1%} (repeated answers differ) and" in said
    # so many wrong answers, at the least, make answers differ as often as the interval allows
    assert 2 * noise["at_least"] * (1 - noise["at_least"]) < noise["repeated"]["disagreement"]
    distances = np.linalg.norm(found.points[:, None] - found.points, axis=2)
    missed = [distances[a, b] >= distances[a, c] for a, b, c in rows.tolist()]
    assert f"Training error: {np.mean(missed):.1%} of all answers." in said
    assert figures["accuracy"]["share"] == 1 - figures["held_out_error"]


def test_the_advice_compares_what_was_compared(findings):
    table = findings.choice
    scores = {str(row): f"{row.brier_score + row.error / 2:.4f}" for row in table.rows}
    assert scores[str(table.choice)] in table.advice


def test_no_seed_gives_the_same_choice_as_the_command(answers, tmp_path, capsys):
    import json

    from ordinate.cli import main

    path = tmp_path / "answers.csv"
    od.write_comparisons(answers[:300], path)
    with pytest.raises(SystemExit):
        main(["embed", str(path), "--error-folds", "2", "--json", "--quiet"])
    printed = json.loads(capsys.readouterr().out)
    found = od.analyze(path, error_folds=2)
    assert (found.method, found.dimension) == (printed["method"], printed["dimension"])
    assert found.to_dict()["held_out_error"] == printed["held_out_error"]
