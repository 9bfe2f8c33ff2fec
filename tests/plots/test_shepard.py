import numpy as np
import pytest

import ordinate as od
from ordinate.plots import plot_shepard

LINE = np.arange(30.0)[:, None]


@pytest.mark.parametrize("n", [40, 20_000])
def test_answers_lie_above_the_diagonal_where_the_map_agrees(n):
    answers = od.sources.random_triplets(LINE, n, random_state=0)
    ax = plot_shepard(answers, LINE)
    assert ax.get_title().startswith("100.0% of the answers")
    near, far = ax.collections[0].get_offsets().T
    assert (far >= near - 0.1).all()
    assert plot_shepard(answers.swapped(), LINE).get_title().startswith("0.0% of")
