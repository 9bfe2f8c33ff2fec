import numpy as np
import pytest
from scipy.stats import ttest_1samp

from ordinate.selection._nadeau_bengio import fold_mean

VALUES = np.array([0.12, 0.10, 0.15, 0.11, 0.13, 0.09, 0.14, 0.12, 0.10, 0.13])


def test_standard_error_is_that_of_nadeau_and_bengio():
    result = fold_mean(VALUES, folds=5)
    assert result.mean == pytest.approx(VALUES.mean())
    assert result.standard_error == pytest.approx(np.sqrt((1 / 10 + 1 / 4) * VALUES.var(ddof=1)))
    assert result.degrees == 9


def test_without_overlap_it_is_the_ordinary_t_test():
    # so many folds that the test part is negligible beside the training part
    result = fold_mean(VALUES, folds=10**9)
    ordinary = ttest_1samp(VALUES, 0.11, alternative="greater")
    assert fold_mean(VALUES - 0.11, 10**9).p_above_zero() == pytest.approx(ordinary.pvalue)
    assert result.interval() == pytest.approx(
        tuple(ttest_1samp(VALUES, 0).confidence_interval(0.95))
    )


def test_correction_widens_the_interval():
    low, high = fold_mean(VALUES, folds=5).interval()
    plain_low, plain_high = fold_mean(VALUES, folds=10**9).interval()
    assert high - low > 1.5 * (plain_high - plain_low)


@pytest.mark.parametrize(("value", "p"), [(0.1, 0.0), (0.0, 1.0), (-0.1, 1.0)])
def test_folds_that_all_agree_leave_no_doubt(value, p):
    assert fold_mean([value] * 4, folds=4).p_above_zero() == p
