"""From scripted participants through the real server to the map they had in mind."""

from random import Random

import numpy as np
import pytest

import ordinate as od
from ordinate.collect.export import export_tables
from ordinate.collect.folder import read_study
from ordinate.collect.simulate import choose, plant_map, simulate
from ordinate.collect.store import Store, database_path, open_for_reading
from ordinate.tasks import MAPPED


@pytest.mark.parametrize("task", MAPPED)
def test_the_planted_map_comes_back(make_folder, tmp_path, task):
    study = read_study(make_folder(task, pools__random=60, task__shown=4))
    done = simulate(study, participants=20, noise=0.05, seed=3)
    assert done.n_answers == 20 * (1 + 60 + 2 + 1 + 1)
    export_tables(study.folder, tmp_path / "answers.csv", which="simulated")
    answers = od.read_comparisons(tmp_path / "answers.csv", names=list(study.items))
    found = od.SOE(2, random_state=0).fit(answers).embedding_
    planted = np.array(list(done.planted.values()))
    assert od.metrics.procrustes_distance(found, planted) < 0.05


def test_the_planted_scores_come_back(make_folder, tmp_path):
    study = read_study(make_folder("pair", pools__random=60))
    done = simulate(study, participants=20, noise=0.1, seed=3)
    export_tables(study.folder, tmp_path / "answers.csv", which="simulated")
    pairs = od.read_pairs(tmp_path / "answers.csv", names=list(study.items))
    model = od.Ranking(random_state=0).fit(pairs)
    planted = np.array([point[0] for point in done.planted.values()])
    assert 0 < (pairs.outcomes == 0).mean() < 0.5
    assert np.corrcoef(model.scores_, planted)[0, 1] > 0.97


def test_nobody_who_looks_prefers_an_item_to_itself(make_folder):
    study = read_study(make_folder("pair"))
    planted = plant_map(study, Random(0))
    item = next(iter(study.items))
    question = study.task.question([item, item], (2,))
    chosen = [choose(study, question, planted, 0.0, Random(seed)) for seed in range(20)]
    assert chosen == [[2]] * 20


def test_simulated_answers_stay_apart_from_real_ones(make_folder):
    study = read_study(make_folder(limits__participants=1, limits__address_per_minute=5))
    simulate(study, participants=3, noise=0.0)
    assert not database_path(study.folder).exists()
    simulate(study, participants=2, noise=0.0)
    connection = open_for_reading(study.folder, "simulated")
    assert connection.execute("SELECT COUNT(*) FROM sessions").fetchone()[0] == 2
    connection.close()
    Store(study).close()


def rows_of(study):
    connection = open_for_reading(study.folder, "simulated")
    rows = connection.execute(
        "SELECT s.ordinal, s.session_id, s.participant, s.seed, t.*, a.chosen, a.rt_ms"
        " FROM trials t JOIN sessions s USING (session_id) JOIN answers a USING (trial_id)"
        " ORDER BY s.ordinal, t.place"
    )
    names = [column[0] for column in rows.description]
    found = [dict(zip(names, row, strict=True)) for row in rows]
    connection.close()
    for row in found:
        del row["served_at"]
    return found


@pytest.mark.parametrize(("participants", "adaptive"), [(22, 0), (3, 30)])
def test_the_same_seed_has_the_same_questions_and_answers(make_folder, participants, adaptive):
    study = read_study(make_folder(pools__adaptive=adaptive))
    simulate(study, participants=participants, noise=0.2, seed=1)
    first = rows_of(study)
    simulate(study, participants=participants, noise=0.2, seed=1)
    assert rows_of(study) == first
    chosen = [row["model_version"] for row in first if row["sampler"] == "posterior"]
    assert (len(chosen) > 0) == (adaptive > 0)
    if not adaptive:
        simulate(study, participants=participants, noise=0.2, seed=2)
        assert rows_of(study) != first


def test_noise_is_the_share_of_other_answers(make_folder):
    study = read_study(make_folder("odd_one_out"))
    rng = Random(0)
    planted = plant_map(study, rng)
    wrong, names = 0, list(study.items)
    for row in study.task.draw(len(names), 2000, np.random.default_rng(0)).tolist():
        question = study.task.question([names[item] for item in row])
        truth = choose(study, question, planted, 0.0, rng)
        wrong += choose(study, question, planted, 0.2, rng) != truth
    assert 0.17 < wrong / 2000 < 0.23


@pytest.mark.parametrize(
    ("participants", "noise", "message"),
    [(0, 0.1, "participants must be"), (3, 1.5, "noise must be a number")],
)
def test_bad_arguments_are_refused(make_folder, participants, noise, message):
    study = read_study(make_folder())
    with pytest.raises(od.InputError, match=message):
        simulate(study, participants=participants, noise=noise)
