import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import ordinate as od
from ordinate.methods import names_of
from ordinate.selection._cross_validation import as_estimator, deal, fit_all, label_of

RECORD = od.sources.random_triplets(
    np.random.default_rng(0).normal(size=(15, 2)), 300, random_state=0
)


def test_methods_have_the_names_of_their_classes():
    for name in names_of(is_comparable=True):
        assert type(as_estimator(name)) is getattr(od, name)


def test_estimators_are_taken_as_they_are():
    model = od.TETE(t=1.5)
    assert as_estimator(model) is model
    assert label_of(model) == "TETE(t=1.5)"
    assert label_of("SOE") == "SOE"


def test_a_loss_of_ones_own_is_called_by_its_name():
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


def test_each_repetition_deals_anew():
    folds = deal(RECORD, 3, 2, None, 0)
    assert len(folds) == 6
    assert folds[0].held_out.tolist() != folds[3].held_out.tolist()
    assert len({fold.seed for fold in folds}) == 6
    with pytest.raises(od.InputError, match="repeats must be an integer >= 1"):
        deal(RECORD, 3, 0, None, 0)


def test_fits_see_only_what_is_left_and_keep_the_estimator_clean():
    seen = []

    class Spy(od.SOE):
        def fit(self, X, y=None):
            seen.append((self.n_components, self.random_state, self.n_jobs, len(X)))
            return super().fit(X, y)

    spy = Spy()
    folds = deal(RECORD, 3, 1, None, 0)
    tasks = [(spy, 3, fold) for fold in folds]
    results = list(fit_all(RECORD, tasks, lambda model, rest: len(rest), n_jobs=1, verbose=False))
    assert [size for size, _ in results] == [100, 100, 100]
    assert all(seconds > 0 for _, seconds in results)
    assert seen == [(3, fold.seed, 1, 200) for fold in folds]
    assert not hasattr(spy, "embedding_")
