import json
from pathlib import Path

import numpy as np
import pytest

import ordinate as od
from ordinate.gram.dmoe import two_sided_proximal
from ordinate.gram.objective import MarginOperator
from papers.dmoe.published_splitting import published_splitting

FIXTURE = json.loads((Path(__file__).parents[1] / "data" / "dmoe.json").read_text())


@pytest.mark.parametrize(
    "run", FIXTURE["runs"], ids=lambda r: f"p{r['p']}-lambda{r['lambda']}-{r['iters']}"
)
def test_iterates_are_those_of_the_published_program(run):
    operator = MarginOperator(
        od.Comparisons(np.array(FIXTURE["triplets_1based"]) - 1, n_objects=12)
    )
    start = np.array(FIXTURE["init_X_d_by_n"])
    gram = published_splitting(
        operator,
        two_sided_proximal(run["p"], 0.0),
        start.T @ start,
        margin=-run["gamma0"],
        penalty=run["lambda"],
        n_iter=run["iters"],
        step=run["mu0"],
    )
    np.testing.assert_allclose(gram, run["G"], atol=1e-10)
