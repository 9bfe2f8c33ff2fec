import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import dask
import joblib
import numpy as np
import pytest
from dask.distributed import Client, Future, KilledWorker, LocalCluster, futures_of, wait

import ordinate as od
from ordinate.comparisons.dask_tasks import compute, memory, task
from ordinate.engine.cpu import CPUObjective
from ordinate.engine.partitioned import PartitionedObjective

CITIES = od.datasets.load_cities().comparisons
PATIENT = {
    "distributed.comm.timeouts.connect": "20 minutes",
    "distributed.deploy.lost-worker-timeout": "20 minutes",
    "distributed.scheduler.worker-ttl": "20 minutes",
}
"""A machine may be so busy that a worker is away for long."""


def ratio(near2, far2):
    """A loss that lives in this file alone, which workers cannot import."""
    total = near2 + far2 + 1.0
    return near2 / total, (far2 + 1.0) / total**2, -near2 / total**2


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("answers")
    for number, start in enumerate(range(0, len(CITIES), 2500)):
        od.write_comparisons(CITIES[start : start + 2500], folder / f"{number}.parquet")
    return folder


@pytest.fixture(scope="module")
def workers():
    """Two workers, each a process with one thread, forked from one that has Dask loaded."""
    methods = multiprocessing.get_all_start_methods()
    method = "forkserver" if "forkserver" in methods else "spawn"
    with (
        dask.config.set({"distributed.worker.multiprocessing-method": method, **PATIENT}),
        LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit="1GiB", dashboard_address=":0"
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture
def client(workers, monkeypatch):
    """Make the workers the ones that Dask uses."""
    monkeypatch.setattr("ordinate.comparisons.dask_tasks._PATIENCE", 1200.0)
    workers.wait_for_workers(2)
    with workers.as_current():
        yield workers


@pytest.mark.parametrize(
    ("loss", "parameters"),
    [(od.losses.soe, [1.0]), (od.losses.tete, [1.5, 1.0]), (ratio, [])],
    ids=["soe", "tete", "own"],
)
def test_it_equals_the_local_engine(folder, loss, parameters):
    points = np.random.default_rng(0).normal(size=(CITIES.n_objects, 2))
    value, gradient = PartitionedObjective(od.scan_parquet(folder), loss, parameters)(points)
    expected, slope = CPUObjective(CITIES, loss, parameters)(points)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(gradient, slope, rtol=1e-9, atol=1e-12 * np.abs(slope).max())


def test_other_parameters_leave_the_first_ones_alone(folder):
    points = np.random.default_rng(0).normal(size=(CITIES.n_objects, 2))
    objective = PartitionedObjective(od.scan_parquet(folder), od.losses.soe, [1.0])
    other = objective.with_parameters([2.0])
    assert objective(points)[0] == pytest.approx(
        CPUObjective(CITIES, od.losses.soe, [1.0])(points)[0]
    )
    assert other(points)[0] == pytest.approx(CPUObjective(CITIES, od.losses.soe, [2.0])(points)[0])


@pytest.fixture
def no_detours(monkeypatch):
    """Detours are made in memory alone; without them a fit in partitions is the same."""
    monkeypatch.setattr("ordinate.triplets.tournament._FOLLOWING_WORK", 0)


@pytest.mark.usefixtures("no_detours")
@pytest.mark.parametrize(
    "model",
    [od.SOE(), od.TETE(3), od.STE(init="random", n_init=2), od.OrdinalEmbedding(loss=ratio)],
    ids=["SOE", "TETE-3", "STE-random", "own-loss"],
)
def test_a_fit_equals_that_in_memory(folder, model):
    model.set_params(random_state=0, max_iter=8, tol=0.0)
    with pytest.warns(UserWarning, match="stopped after max_iter"):
        expected = model.fit(CITIES).embedding_
    answers = od.scan_parquet(folder)
    with pytest.warns(UserWarning, match="stopped after max_iter"):
        model.fit(answers)
    np.testing.assert_allclose(model.embedding_, expected, rtol=1e-6, atol=1e-7)
    assert model.score(answers) == pytest.approx(model.score(CITIES), abs=1e-12)
    np.testing.assert_array_equal(model.predict(answers), model.predict(CITIES))


def test_partial_fit_takes_answers_in_memory(folder):
    model = od.SOE(random_state=0).partial_fit(od.scan_parquet(folder))
    with pytest.raises(od.InputError, match=r"Fit all of them, from the map as init"):
        model.partial_fit(CITIES)
    with pytest.raises(od.InputError, match="memory"):
        model.partial_fit(od.scan_parquet(folder))


def test_workers_give_the_same_bits_as_threads(folder, client):
    points = np.random.default_rng(0).normal(size=(CITIES.n_objects, 2))
    objective = PartitionedObjective(od.scan_parquet(folder), od.losses.soe, [1.0])
    value, gradient = objective(points)
    with dask.config.set(scheduler="threads"):
        expected, slope = objective(points)
    assert value == expected
    np.testing.assert_array_equal(gradient, slope)


def test_the_memory_is_that_of_the_workers(client):
    assert memory() == 2 * 2**30


def test_partitions_are_kept_in_equal_shares_neighbours_together(folder, client):
    with od.scan_parquet(folder).kept() as held:
        wait(held._partitions)
        keys = [future.key for future in futures_of(held._partitions)]
        on_worker = [client.who_has()[key] for key in keys]
    assert len(keys) == 8
    assert len(set(on_worker[:4])) == len(set(on_worker[4:])) == 1
    assert on_worker[0] != on_worker[4]


@pytest.mark.usefixtures("no_detours")
def test_a_fit_survives_the_death_of_a_worker(folder, client):
    first, *_ = client.run(os.getpid).values()
    killed = []

    def kill_once(number, loss, points):
        if number == 3 and not killed:
            killed.append(first)
            os.kill(first, signal.SIGKILL)

    answers = od.scan_parquet(folder)
    model = od.SOE(random_state=0, callback=kill_once).fit(answers)
    assert first not in client.run(os.getpid).values()
    expected = od.SOE(random_state=0).fit(CITIES).embedding_
    np.testing.assert_allclose(model.embedding_, expected, atol=1e-8 * np.abs(expected).max())


@pytest.mark.usefixtures("no_detours")
def test_a_fit_survives_the_death_of_all_workers_at_once(folder, client):
    processes = list(client.run(os.getpid).values())
    killed = []

    def kill_all(number, loss, points):
        if number == 3 and not killed:
            for process in processes:
                os.kill(process, signal.SIGKILL)
                killed.append(process)

    model = od.SOE(random_state=0, callback=kill_all).fit(od.scan_parquet(folder))
    assert not set(processes) & set(client.run(os.getpid).values())
    expected = od.SOE(random_state=0).fit(CITIES).embedding_
    np.testing.assert_allclose(model.embedding_, expected, atol=1e-8 * np.abs(expected).max())


@pytest.fixture
def small_cluster(monkeypatch):
    """A worker in this process, and a computation that looks after its worker very often."""
    monkeypatch.setattr("ordinate.comparisons.dask_tasks._INTERVAL", 0.05)
    with (
        dask.config.set({**PATIENT, "distributed.deploy.lost-worker-timeout": "0s"}),
        LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def test_a_worker_that_its_cluster_gave_up_is_started_again(small_cluster):
    """Dask ends the process that starts a worker if it is away when an old timer runs out."""
    small_cluster.retire_workers()
    while small_cluster.cluster.workers:
        time.sleep(0.01)
    assert compute([task(max, 1, 2)]) == [2]


def test_a_cluster_without_workers_is_abandoned(small_cluster, monkeypatch):
    monkeypatch.setattr("ordinate.comparisons.dask_tasks._PATIENCE", 0.2)
    small_cluster.cluster.scale(0)
    while small_cluster.cluster.workers:
        time.sleep(0.01)
    with pytest.raises(od.InputError, match=r"no worker for .* Start workers, then fit again"):
        compute([task(max, 1, 2)])


def kill_workers():
    raise KilledWorker("a task", SimpleNamespace(address="tcp://127.0.0.1:1"), 3)


def test_a_task_that_kills_its_workers_is_abandoned(small_cluster):
    with pytest.raises(od.InputError, match=r"for want of memory.* smaller partitions"):
        compute([task(kill_workers)])


GO_ON = threading.Event()


def wait_for_the_word():
    GO_ON.wait()


def test_a_computation_that_the_scheduler_forgot_is_abandoned(small_cluster):
    """As after `client.restart()`, or when the scheduler is lost."""
    with ThreadPoolExecutor(1) as pool:
        try:
            computation = pool.submit(compute, [task(wait_for_the_word)])
            while not (keys := list(small_cluster.futures)):
                time.sleep(0.01)
            small_cluster.cancel([Future(key) for key in keys], force=True)
            with pytest.raises(od.InputError, match=r"restarted .* that is running, then fit"):
                computation.result()
        finally:
            GO_ON.set()


def test_an_interrupted_fit_leaves_nothing_on_the_cluster(folder, client):
    def interrupt(number, loss, points):
        if number == 2:
            raise KeyboardInterrupt

    answers = od.scan_parquet(folder)
    with pytest.raises(KeyboardInterrupt) as caught:
        od.SOE(random_state=0, callback=interrupt).fit(answers)
    # The traceback, as in a notebook, still holds on to everything the fit had.
    assert caught.tb is not None
    deadline = time.monotonic() + 1200
    while client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_methods_are_compared_on_the_workers(client):
    pids = set(client.run(os.getpid).values())
    answers = CITIES[:500]
    with joblib.parallel_backend("dask"):
        seen = joblib.Parallel(n_jobs=2, prefer="threads")(
            joblib.delayed(os.getpid)() for _ in "ab"
        )
        spread = od.compare(answers, ["STE"], [2], folds=2, random_state=0)
    assert set(seen) <= pids
    here = od.compare(answers, ["STE"], [2], folds=2, random_state=0)
    assert spread.rows[0].fold_errors == here.rows[0].fold_errors
