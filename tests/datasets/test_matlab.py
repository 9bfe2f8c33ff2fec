import io

import numpy as np
from scipy.io import savemat

from ordinate.datasets._matlab import read_mat, upright


def test_variables_come_by_name():
    file = io.BytesIO()
    savemat(file, {"x": np.arange(6).reshape(2, 3)})
    np.testing.assert_array_equal(read_mat(file.getvalue())["x"], [[0, 1, 2], [3, 4, 5]])


def test_columns_become_columns_again():
    images = np.array([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])
    written = np.array([image.flatten(order="F") for image in images])
    np.testing.assert_array_equal(upright(written), images)
