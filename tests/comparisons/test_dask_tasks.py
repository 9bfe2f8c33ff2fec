import functools
import operator
import subprocess
import sys
import threading

import numpy as np
import pytest
from dask.base import is_dask_collection
from distributed.comm import CommClosedError

import ordinate as od
from ordinate.comparisons import dask_tasks as _dask
from ordinate.comparisons.dask_tasks import (
    compute,
    import_dask,
    kept_with_workers,
    memory,
    share,
    share_if_large,
    task,
    tree,
)


def test_absent_dask_gives_the_install_command(monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(_dask, "import_module", absent)
    with pytest.raises(ImportError, match=r'pip install "ordinate\[cluster\]"'):
        import_dask()


def test_a_task_waits_for_the_tasks_it_is_given():
    assert compute([task(sum, [task(abs, -1), task(abs, -2)])]) == [3]


@pytest.mark.parametrize("n_tasks", [1, 15, 16, 17, 300])
def test_a_tree_keeps_the_order(n_tasks):
    leaves = [task(list, [number]) for number in range(n_tasks)]
    joined = compute([tree(leaves, lambda parts: functools.reduce(operator.iadd, parts, []))])
    assert joined == [list(range(n_tasks))]


def test_a_shared_value_is_one_object():
    value = object()
    shared = share(value)
    assert all(result is value for result in compute([task(lambda v: v, shared) for _ in "ab"]))


def test_only_a_large_value_becomes_a_task():
    small, large = np.zeros(10), np.zeros(100_000)
    assert share_if_large((small, 1))[0] is small
    assert compute([share_if_large((large, 1))])[0][0] is large
    assert is_dask_collection(share_if_large((large, 1)))


def test_n_threads_bounds_the_threads():
    names = compute([task(lambda: threading.current_thread().name)] * 8, n_threads=1)
    assert len(set(names)) == 1


def test_results_are_kept_and_not_computed_again():
    calls = []
    with kept_with_workers([task(lambda: calls.append(1) or "result")]) as (held,):
        assert compute([held]) == compute([held]) == ["result"]
    assert calls == [1]


def test_memory_is_that_of_this_machine_without_a_client():
    assert 2**26 < memory() < float("inf")


def test_memory_is_what_a_limit_leaves():
    """Under `ulimit -v` a process may not take what the machine has free."""
    pytest.importorskip("resource")
    code = (
        "import resource\nresource.setrlimit(resource.RLIMIT_AS, (2**32, 2**32))\n"
        "from ordinate.comparisons.dask_tasks import memory\nprint(int(memory()))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 0 < int(run.stdout) < 2**32


def test_memory_is_what_the_container_leaves(monkeypatch, tmp_path):
    (tmp_path / "memory.max").write_text("1000000\n")
    (tmp_path / "memory.current").write_text("400000\n")
    (tmp_path / "unlimited").write_text("max\n")
    found = [(tmp_path / "memory.max", "memory.current"), (tmp_path / "unlimited", "missing")]
    monkeypatch.setattr(_dask, "_limit_files", lambda: iter(found))
    assert memory() == 600_000


def test_a_lost_scheduler_is_reported_by_the_first_error_alone(monkeypatch):
    """Nothing can be cancelled then, which must not hide why the computation ended."""

    class Lost:
        def cancel(self, held):
            raise CommClosedError("the connection is closed")

        def compute(self, tasks):
            raise CommClosedError("the connection is closed")

    monkeypatch.setattr(_dask, "_client", Lost)
    monkeypatch.setattr(_dask, "_spread", lambda tasks, client: list(tasks))
    with (
        pytest.raises(od.InputError, match="scheduler left"),
        kept_with_workers([1]) as held,
    ):
        compute(held)
