import numpy as np
import pytest

import ordinate as od
from ordinate.gram.penalty import half_tie_error, question_folds, search_penalty

POINTS = od.datasets.load_cities().points[:20]
TRAIN = od.sources.random_triplets(POINTS, 100, random_state=0)
TRUE_GRAM = POINTS @ POINTS.T


def test_finds_the_strength_whose_matrix_predicts_held_out_answers():
    seen = []

    def path(train, strengths):
        seen.append(train)
        for strength in strengths:
            yield TRUE_GRAM if strength == 0.25 else np.zeros((20, 20))

    search = search_penalty(TRAIN, path, np.random.default_rng(0), n_jobs=1)
    assert search.best == 0.25
    assert search.errors.shape == (5, len(search.strengths))
    assert sum(len(train) for train in seen) == 4 * len(TRAIN)


def test_prefers_the_stronger_penalty_among_equals():
    search = search_penalty(
        TRAIN, lambda _, strengths: [TRUE_GRAM] * len(strengths), np.random.default_rng(0), n_jobs=1
    )
    assert search.best == search.strengths.max()


@pytest.mark.parametrize("model", [od.DMOE(2, random_state=3), od.GramEmbedding(2, random_state=3)])
def test_the_choice_does_not_depend_on_the_number_of_jobs(model):
    one, two = (model.set_params(n_jobs=n).fit(TRAIN).search_ for n in (1, 2))
    np.testing.assert_array_equal(one.errors, two.errors)


def test_ties_count_one_half():
    gram = np.zeros((20, 20))
    assert half_tie_error(TRAIN, gram) == 0.5
    assert half_tie_error(TRAIN, TRUE_GRAM) == 0.0
    assert half_tie_error(TRAIN.reversed(), TRUE_GRAM) == 1.0


def test_fewer_answers_than_folds():
    search = search_penalty(
        TRAIN[:2], lambda _, s: [TRUE_GRAM] * len(s), np.random.default_rng(0), n_jobs=1
    )
    assert search.errors.shape[0] == 2


def test_answers_to_the_same_question_are_held_out_together():
    twice = od.Comparisons(np.vstack([TRAIN.rows, TRAIN.reversed().rows]))
    fold, n_folds = question_folds(twice, np.random.default_rng(0))
    assert n_folds == 5
    np.testing.assert_array_equal(fold[:100], fold[100:])
    assert question_folds(TRAIN[[0, 0, 0]], np.random.default_rng(0))[1] == 3


def test_a_fold_in_which_no_answer_counts_has_an_error_too():
    points = np.random.default_rng(0).normal(size=(8, 2))
    rows = od.sources.random_triplets(points, 40, random_state=0).rows
    weights = np.zeros(40)
    weights[:3] = 1
    model = od.DMOE(2, random_state=0).fit(od.Comparisons(rows, weights=weights))
    assert np.isfinite(model.search_.errors).all()
