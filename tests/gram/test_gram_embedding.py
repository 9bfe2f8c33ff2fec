import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import ordinate as od
from ordinate.engine.cpu import CPUObjective
from ordinate.gram.gram_embedding import LOSSES

POINTS = od.datasets.load_cities().points[:20]
# every loss converges on these
TRAIN = od.sources.random_triplets(POINTS, 300, random_state=np.random.default_rng([0]))


@pytest.mark.parametrize("loss", LOSSES)
def test_result_has_the_rank_asked_for_and_predicts(loss):
    model = od.GramEmbedding(2, loss=loss, penalty=0.1).fit(TRAIN)
    assert np.linalg.matrix_rank(model.gram_, tol=1e-8) <= 2
    assert np.linalg.eigvalsh(model.gram_).min() > -1e-9
    # equal margins are no property of distances: DMOE with a small penalty pays for that
    assert model.score(od.sources.all_triplets(POINTS)) > (0.75 if loss == "dmoe" else 0.85)
    assert loss in ("gnmds", "dmoe") or (np.diff(model.history_) <= 0).all()
    assert model.history_[-1] == pytest.approx(model.loss_)
    assert model.converged_


@pytest.mark.parametrize("loss", LOSSES)
def test_the_loss_is_that_of_the_factored_form(loss):
    model = od.GramEmbedding(2, loss=loss, penalty=0.0, tol=1e-3, max_iter=5000).fit(TRAIN)
    parameters = {"tste": [1.0], "dmoe": [1.0, 1.0, 1.0]}.get(loss, [])
    value, _ = CPUObjective(TRAIN, LOSSES[loss], parameters)(model.embedding_)
    assert value == pytest.approx(model.loss_, rel=1e-6)


def test_alpha_reaches_the_loss():
    one, ten = (
        od.GramEmbedding(2, loss="tste", alpha=alpha, penalty=1.0).fit(TRAIN).loss_
        for alpha in (1.0, 10.0)
    )
    assert one != pytest.approx(ten, rel=1e-2)


def test_chooses_the_penalty_by_cross_validation():
    model = od.GramEmbedding(2, loss="ste", random_state=0).fit(TRAIN)
    assert model.search_.best in model.search_.strengths
    assert model.score(od.sources.all_triplets(POINTS)) > 0.85


def test_warns_short_of_convergence():
    with pytest.warns(ConvergenceWarning, match="max_iter=2 iterations before it converged"):
        od.GramEmbedding(2, penalty=1.0, max_iter=2).fit(TRAIN)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"loss": "soe"}, "loss must be one of 'gnmds', 'ste', 'tste', 'dmoe'; got 'soe'"),
        ({"loss": "tste", "alpha": 0.0}, "alpha must be"),
        ({"loss": "dmoe", "nu": 1.5}, "nu must be"),
        ({"penalty": -1.0}, "penalty must be"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(od.InputError, match=message):
        od.GramEmbedding(**parameters).fit(TRAIN)
