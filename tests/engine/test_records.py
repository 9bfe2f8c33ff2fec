import dask.array
import numpy as np
import pytest

import ordinate as od
from ordinate.engine.distances import squared_distances
from ordinate.engine.records import record_distances, share_that_holds

POINTS = np.array([[0.0], [1.0], [3.0], [7.0]])
ROWS = np.array([[0, 1, 2], [0, 2, 1], [1, 2, 3]])
IN_PARTITIONS = od.from_dask(dask.array.from_array(ROWS, chunks=(2, 3)))


@pytest.mark.parametrize(
    "record", [od.Comparisons(ROWS), IN_PARTITIONS], ids=["memory", "partitions"]
)
def test_rows_are_measured_wherever_they_are(record):
    np.testing.assert_array_equal(record_distances(record, POINTS), squared_distances(POINTS, ROWS))
    assert share_that_holds(record, POINTS) == 2 / 3


def test_the_share_counts_weights():
    assert share_that_holds(od.Comparisons(ROWS, weights=[1, 2, 5]), POINTS) == 0.75
