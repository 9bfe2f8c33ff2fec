"""A loss of one's own."""

import numpy as np

import ordinate as od


def test_own_loss_with_a_parameter(triplets):
    def squared_hinge(near2, far2, margin):
        near, far = np.sqrt(near2), np.sqrt(far2)
        gap = np.maximum(near + margin - far, 0.0)
        return gap * gap, gap / np.maximum(near, 1e-150), -gap / np.maximum(far, 1e-150)

    own = od.OrdinalEmbedding(loss=squared_hinge, loss_parameters=[2.0], random_state=0)
    model = od.SOE(delta=2.0, random_state=0).fit(triplets)
    np.testing.assert_allclose(own.fit(triplets).embedding_, model.embedding_, rtol=1e-9)
