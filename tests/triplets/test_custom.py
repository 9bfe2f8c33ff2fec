"""A loss of one's own."""

import numpy as np

import ordinate as od


def test_own_loss_with_a_parameter(triplets):
    def hinge(near2, far2, margin):
        gap = margin + near2 - far2
        return np.maximum(gap, 0.0), np.where(gap > 0.0, 1.0, 0.0), np.where(gap > 0.0, -1.0, 0.0)

    own = od.OrdinalEmbedding(loss=hinge, loss_parameters=[1.0], random_state=0).fit(triplets)
    np.testing.assert_allclose(
        own.embedding_, od.GNMDS(random_state=0).fit(triplets).embedding_, rtol=1e-9
    )
