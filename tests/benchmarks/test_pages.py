"""Tables that benchmarks write for pages, from made-up rows."""

import csv
import importlib
import json
from pathlib import Path

import pytest


@pytest.fixture
def script(tmp_path, monkeypatch):
    """Load a script of benchmarks/ whose tables go to an empty folder."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    monkeypatch.setattr(importlib.import_module("pages"), "RESULTS", tmp_path)
    return importlib.import_module


@pytest.fixture
def written(tmp_path):
    """Read the rows of a table that was written."""

    def rows_of(name):
        lines = (tmp_path / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        return list(csv.DictReader(line.strip() for line in lines[3:-2]))

    return rows_of


def test_a_table_is_written_with_where_it_comes_from(script, tmp_path):
    rows = [{"n": "1,000", "seconds": 2}, {"n": "2,000", "seconds": 3}]
    script("pages").write_table("a-b", "a caption", rows, "python benchmarks/a.py")
    text = (tmp_path / "a-b.txt").read_text(encoding="utf-8")
    assert '.. csv-table:: a caption\n   :header-rows: 1\n\n   n,seconds\n   "1,000",2\n' in text
    assert text.splitlines()[-1].startswith("20")
    assert text.endswith("; python benchmarks/a.py.\n")


def test_means_have_standard_errors(script):
    with_error = script("pages").with_error
    assert with_error([0.1, 0.3]) == "0.200 ± 0.100"
    assert with_error([0.125], 2) == "0.12 ± nan"
    assert with_error([]) == "–"


def test_ranges_and_rows_of_earlier_runs(script, tmp_path):
    pages = script("pages")
    assert pages.ranged([0.95, 0.9481, 0.9484]) == "0.948 to 0.950"
    assert pages.ranged([0.6351, 0.6349]) == "0.635"
    path = tmp_path / "rows.json"
    assert pages.earlier_rows(path) == pages.earlier_rows(None) == []
    path.write_text('[{"n": 1}]')
    assert pages.earlier_rows(path) == [{"n": 1}]


def test_fits_of_reduce(script, written):
    reduce = script("reduce")
    row = {"data": "mnist", "size": 10_000, "threads": 2, "library": "pacmap", "version": "0.9.1"}
    row |= {"fresh": 4.284, "warm": 2.541, "warm_cpu": 4.9, "peak_mib": 536.2}
    row |= dict.fromkeys(reduce.QUALITY, 0.9463)
    alone = row | {"threads": 1, "warm": None}
    reduce.publish("time", [row | {"fresh": 9.0}, alone, row], "python benchmarks/reduce.py")
    first, second = written("benchmarks_reduce-time")
    assert (first["data"], first["library"]) == ("mnist, 10,000", "pacmap 0.9.1")
    assert [first[name] for name in ("fresh, s", "MiB", "10-NN")] == ["4.28", "536", "0.946"]
    assert (second["threads"], second["warm, s"]) == ("1", "")


def test_fits_of_gpu_reduce(script, written):
    gpu_reduce = script("gpu_reduce")
    row = {"task": "clouds", "rows": 1_000_000, "features": 50, "method": "ordinate"}
    row |= {"device": "cpu", "seed": 0, "seconds": 10.0, "search_s": 5.8, "gpu_gib": None}
    row |= dict.fromkeys(gpu_reduce.QUALITY, 0.995)
    rows = [row, row | {"seed": 1, "seconds": 10.4}, row | {"method": "PACMAP"}]
    gpu_reduce.publish(rows, "python benchmarks/gpu_reduce.py")
    first, second = written("benchmarks_reduce-gpu")
    assert (first["rows"], first["seeds"]) == ("clouds, 1,000,000 × 50", "2")
    assert (first["seconds"], first["trust"]) == ("10 to 10.4", "0.995")
    assert second["method"] == "TorchDR's PACMAP"


def test_tables_of_features(script, written):
    features = script("features")
    errors = {"STE": (0.22, ""), "axes and answers": (0.2, 0.5)}
    errors |= {"features alone": (0.25, 0.32), "both": (0.15, 0.31)}
    rows = [
        {"data": data, "seed": str(seed), "method": method, "seen": seen, "unseen": unseen}
        for data, seeds in (("simulated/0.75/2000", (0, 1)), ("music", (0, 5, 6)))
        for seed in seeds
        for method, (seen, unseen) in errors.items()
    ]
    features.publish(rows)
    (simulated,) = written("features-simulated")
    assert (simulated["features explain"], simulated["seeds"]) == ("75%", "2")
    assert simulated["both, unseen"] == "0.310 ± 0.000"
    assert "STE, unseen" not in simulated
    assert [row["unseen"][:5] for row in written("features-music")] == [
        "–",
        "0.500",
        "0.320",
        "0.310",
    ]
    seen, unseen = written("features-splits")
    assert seen["mean difference"] == "-0.050 ± 0.000"
    assert unseen["worse in"] == "0 of 2"


def test_time_of_uncertainty(script, written):
    script("uncertainty").speed([(10, 200, "bootstrap", 10, 5)])
    (row,) = written("uncertainty-speed")
    assert row["what"] == "n = 10, 200 answers, bootstrap, 10 draws"
    assert float(row["seconds"]) >= 0


def test_tables_of_the_engine(script, written):
    engine = script("engine")
    read = engine.reading(100)
    engine.publish({"import ordinate, s": 0.00812}, read)
    assert written("benchmarks_triplets-engine") == [
        {"figure": "import ordinate, s", "found": "0.00812"}
    ]
    rows = written("benchmarks_triplets-reading")
    assert [row["file"].split(",")[0] for row in rows][-1] == "participant"
    assert {"ordinate", "PyArrow alone"} <= set(rows[0])


def test_tables_of_loe(script, written):
    loe = script("loe")
    rows = [loe._row(1000, "LOE (L-BFGS)", 0.0759, 0.131, loe.RECORDED[1000])]
    report = {"fifty iterations": rows, "more dimensions": loe.more_dimensions(60, (2,))}
    loe.publish(report | {"full fits": [loe.full_fit(100)]}, "--large")
    (iterations,) = written("benchmarks_loe-iterations")
    assert (iterations["faster by"], iterations["R's lowest stress"]) == ("209", "3285")
    (dimensions,) = written("benchmarks_loe-dimensions")
    assert 24 < int(dimensions["objects within reach"]) <= 60
    (fit,) = written("benchmarks_loe-fits")
    assert fit["n"] == "100"
    assert 0.9 < float(fit["GARI"]) <= 1


def test_tables_of_defaults(script, written, tmp_path):
    defaults = script("defaults")
    row = {"setting": "another", "old": 0.2, "new": 0.1, "choice": "SOE 2"}
    row |= {"errors": {"SOE 2": 0.1}, "new_seconds": 2.0, "held_out": [0.3, 0.2, 0.4]}
    row |= {"fresh": 0.3, "at_least": 0.1, "at_most": 0.2, "wrong": 0.15}
    rows = [row, row | {"fresh": 0.31}, row | {"setting": defaults.FEWEST, "fresh": 0.4}]
    path, page = tmp_path / "rows.jsonl", tmp_path / "page.rst"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    page.write_text("".join(f".. {n}: begin\n.. {n}: end\n" for n in ("settings", "goals")))
    for _ in range(2):  # the second time finds everything there
        methods = {name: defaults.od.SOE(n_init=1) for name in defaults.BY_TEMPERATURE}
        quick = {"cars, 300": defaults.QUICK["20 objects"]}
        defaults.sweep(methods, quick, [0], tmp_path / "temperatures.jsonl")
    assert len(defaults.read(tmp_path / "temperatures.jsonl")) == 1
    defaults.publish(page, path)
    assert "0.00 points, former default 10.00" in page.read_text()
    differences = [row["difference"] for row in written("defaults-printed")]
    assert differences == ["-3.7 ± 3.2", "-10.0 ± nan", "-0.5 ± 0.5"]
    assert written("defaults-temperatures")[0]["answers"] == "cars, 300"
    assert {row["1 settings of people"] for row in written("defaults-distances")} == {"0.0"}


def test_sweeps_of_defaults_become_tables(script):
    defaults = script("defaults")
    errors = {
        f"{name} {d}": 0.3 + 0.01 * d for name in defaults.BY_TEMPERATURE for d in range(1, 5)
    }
    people = {"setting": "cars, 300", "errors": errors | {"1.5, 1.5 2": 0.25}}
    simulated = {"setting": defaults.FEWEST, "errors": errors | {"STE 3": 0.21}}
    (row,) = defaults.temperature_rows([people, simulated])
    assert (row["draws"], row["SOE"], row["1.5, 1.5"]) == (1, "31.0", "25.0")
    best, *others = defaults.distance_rows([people, simulated])
    assert list(best.values()) == ["1.5, 1.5", "0.0", "10.0"]
    assert len(others) == len(defaults.BY_TEMPERATURE) - 1
    errors = {f"{name} {d}": 0.3 for name in defaults.BY_PENALTY for d in range(1, 5)}
    errors |= {"SOE 3": 0.28, "STE 4 4": 0.25}
    rows = {row["penalty, 1 draws"]: row for row in defaults.penalty_rows([{"errors": errors}])}
    assert rows["STE, 4-D (2-D)"]["4"] == "-3.0 (2.0)"


def test_tables_of_people(script, written, tmp_path, capsys):
    people = script("people")
    row = {"part": "recovery", "setting": "s = 1", "pooled": 0.1, "weighted": 0.05, "tau": 0.7}
    rows = [
        row | {"repeat": number, "weighted": 0.04 + 0.02 * (number % 2)} for number in range(20)
    ]
    rows += [{"part": "speed", "setting": "food100", "repeat": 0, "seconds": 2.4}]
    path = tmp_path / "people.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    people.publish(path)
    (row,) = written("people-recovery")
    assert (row["repeats"], row["difference"]) == ("20", "-50.0%")
    assert row["WeightedSpaces"] == "0.0500 ± 0.0048"
    assert row["the first ten"] == "0.1000, 0.0500"
    people.table(path)
    assert "{'seconds': '2.4000'}" in capsys.readouterr().out


def test_tables_of_partitions(script, written):
    pytest.importorskip("dask.distributed")
    cluster = script("cluster")
    row = {"engine": "in memory", "cores": 1, "seconds": 0.68, "value differs by": 0.0}
    cluster.publish("iteration", {"rows": [row]})
    assert written("benchmarks_cluster-iteration") == [
        {"engine": "in memory", "cores": "1", "seconds": "0.68"}
    ]
    cluster.publish("overhead", [{"objects": 1000, "partitions": 16, "seconds": 0.04}])
    assert written("benchmarks_cluster-overhead")[0]["objects"] == "1,000"
    names = ("seconds to scan", "seconds to fit", "seconds per iteration", "iterations")
    names += ("processor seconds per iteration", "share of answers that hold")
    result = dict.fromkeys(names, 3.0)
    result |= {f"most memory of {who}, bytes": 4.2e8 for who in ("a worker", "the client")}
    cluster.publish("fit", result)
    first, *_ = written("benchmarks_cluster-fit")
    assert first == {"what": "most memory of a worker, GB (goal: 3)", "found": "0.42"}


def test_tables_of_a_gpu(script):
    pytest.importorskip("torch")
    gpu = script("gpu")
    assert [gpu.short(number) for number in (1000, 10**5, 5 * 10**7)] == ["10³", "10⁵", "5·10⁷"]
    rates = [{"task": list(task), "what": "SOE", "rate": 2e10, "share": 0.05} for task in gpu.TASKS]
    _, goal, soe, share = gpu.evaluation_table(rates)
    assert goal["10³, 2, 10⁷"] == 5.4
    assert soe["10⁵, 10, 5·10⁷"] == 20
    assert share["10⁶, 2, 10⁸"] == "5.0%"
    fit = {"task": [1000, 2, 10**7], "device": "cuda", "settings": ["init"], "seconds": 0.1}
    fit |= {"iterations": 46, "held_out_error": 0.0002}
    (row,) = gpu.fit_table([*rates, fit, fit | {"device": "cpu", "seconds": 0.6}])
    assert row["fit"] == "10³ objects, 10⁷ triplets, given start"
    assert (row["GPU, s"], row["CPU, s"], row["GPU, error"]) == (0.1, 0.6, "0.0002")
