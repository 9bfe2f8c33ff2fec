"""BLAS is held to one thread inside the block and released after it."""

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from ordinate._checks import InputError
from ordinate._threads import effective_n_jobs, one_blas_thread


def blas_threads():
    """Threads of the BLAS that solvers call; other packages may bring more of their own."""
    return {
        library["filepath"]: library["num_threads"]
        for library in threadpool_info()
        if library["user_api"] == "blas"
        and any(f"{owner}.libs" in library["filepath"] for owner in ("numpy", "scipy"))
    }


def test_one_thread_inside_and_the_former_number_after():
    with one_blas_thread():
        pass
    with threadpool_limits(2, "blas"):  # there may be one alone, as in `make test`
        before = blas_threads()
        assert set(before.values()) == {2}
        with one_blas_thread():
            assert set(blas_threads().values()) == {1}
        assert blas_threads() == before


@pytest.mark.parametrize("n_jobs", [float("nan"), 0, 1.5, True, "all"])
def test_a_number_of_threads_is_a_whole_number(n_jobs):
    with pytest.raises(InputError, match="n_jobs must be None or an integer other than 0"):
        effective_n_jobs(n_jobs)


def test_threads_as_joblib_counts_them():
    assert effective_n_jobs(None) == 1
    assert effective_n_jobs(2) == 2
    assert effective_n_jobs(-1) >= 1


def test_no_number_of_threads_is_too_large():
    assert effective_n_jobs(10**30) == 1024
