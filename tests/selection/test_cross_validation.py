import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import ordinate as od
from ordinate.methods import names_of
from ordinate.selection._cross_validation import (
    as_estimator,
    fit_all,
    from_one_start,
    label_of,
)
from ordinate.solvers.folds import make_folds, rows_to_fit

RECORD = od.sources.random_triplets(
    np.random.default_rng(0).normal(size=(15, 2)), 300, random_state=0
)


def test_methods_have_the_names_of_their_classes():
    for name in names_of(is_comparable=True):
        assert type(as_estimator(name)) is getattr(od, name)


def test_estimators_are_taken_as_they_are():
    model = od.TETE(t=1.7)
    assert as_estimator(model) is model
    assert label_of(model) == "TETE(t=1.7)"
    assert label_of("SOE") == "SOE"


def test_folds_are_fitted_from_one_start_unless_a_number_is_asked_for():
    asked = od.STE(n_init=4, penalty=3)
    assert from_one_start(asked) is asked
    assert (
        from_one_start(od.STE(penalty=3)).get_params() == od.STE(n_init=1, penalty=3).get_params()
    )
    one, usual = (
        od.compare(RECORD, od.SOE(n_init=n_init), 2, random_state=0).rows[0]
        for n_init in (1, "auto")
    )
    assert usual.fold_errors == one.fold_errors
    assert usual.estimator.n_init == "auto"  # the map of all answers has its own starts


def test_a_loss_of_your_own_is_called_by_its_name():
    def cautious(near2, far2):
        return near2, near2, far2

    label = label_of(od.OrdinalEmbedding(loss=cautious))
    assert label.startswith("OrdinalEmbedding(loss=")
    assert label.endswith("cautious)")
    assert "0x" not in label


@pytest.mark.parametrize("wrong", [3, LogisticRegression(), od.SOE, None])
def test_other_things_are_refused(wrong):
    with pytest.raises(od.InputError, match=r"A method must be one of SOE, .* or an estimator"):
        as_estimator(wrong)
    with pytest.raises(od.InputError, match=r"method must be one of 'SOE'.*got 'MDS'"):
        as_estimator("MDS")


def test_each_split_is_another():
    rng = np.random.default_rng(0)
    folds = make_folds(RECORD, 3, None, rng) + make_folds(RECORD, 3, None, rng)
    assert len(folds) == 6
    assert folds[0].held_out.tolist() != folds[3].held_out.tolist()
    assert len({fold.seed for fold in folds}) == 6


def test_fits_leave_out_answers_to_questions_that_groups_share():
    rows = [np.random.default_rng(i % 90).permutation(40)[:3] for i in range(120)]
    # thirty questions are asked again, in other trials
    trial = np.random.default_rng(0).permutation(120) // 10
    record = od.Comparisons(rows, groups={"trial": trial})
    question = record.question_groups()
    for fold in make_folds(record, 3, "trial", 0):
        held_out = set(trial[fold.held_out].tolist())
        assert not held_out & set(np.delete(trial, fold.held_out).tolist())
        fitted = rows_to_fit(record, fold)
        assert fitted.sum() == 120 - len(fold.held_out) - len(fold.left_out)
        assert not set(question[fold.held_out].tolist()) & set(question[fitted].tolist())
        assert len(fold.left_out) > 0


def test_new_participants_may_be_asked_the_same_questions():
    rows = np.tile([[0, 1, 2], [1, 2, 3], [2, 3, 0], [3, 0, 1]], (6, 1))
    record = od.Comparisons(rows, groups={"participant": np.arange(24) // 4})
    for fold in make_folds(record, 3, "participant", 0):
        assert (len(fold.held_out), len(fold.left_out)) == (8, 0)


def test_fits_see_only_what_is_left_and_keep_the_estimator_clean():
    seen = []

    class Spy(od.SOE):
        def fit(self, X, y=None):
            seen.append((self.n_components, self.random_state, self.n_jobs, len(X)))
            return super().fit(X, y)

    spy = Spy()
    folds = make_folds(RECORD, 3, None, 0)
    tasks = [(spy, 3, fold) for fold in folds]
    results = list(fit_all(RECORD, tasks, lambda model, rest: len(rest), n_jobs=1, verbose=False))
    sizes = [len(fold.held_out) for fold in folds]
    assert [size for size, _ in results] == sizes
    assert all(seconds > 0 for _, seconds in results)
    assert seen == [(3, fold.seed, 1, 300 - len(fold.held_out)) for fold in folds]
    assert not hasattr(spy, "embedding_")
