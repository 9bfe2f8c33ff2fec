"""BLAS is held to one thread inside the block and released after it."""

from threadpoolctl import threadpool_info

from ordinate._threads import one_blas_thread


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
    before = blas_threads()
    with one_blas_thread():
        assert set(blas_threads().values()) <= {1}
    assert blas_threads() == before
