"""No verb loses a file or ends in a traceback when its results have nowhere to go."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ordinate.cli import VERBS, main
from ordinate.selection import _compare

QUICK = ["--method", "SOE", "--dim", "1", "--folds", "2"]
SOE = ["--method", "SOE"]
FIXED = [*SOE, "-d", "1", "--error-folds", "0"]
RUNS = {
    "demo": ["--answers", "500", "-o", "demo"],
    "describe": ["answers.csv", "-o", "plain.csv"],
    "report": ["answers.csv", *QUICK, "-o", "report.html"],
    "embed": ["answers.csv", *FIXED, "-o", "map.csv", "--plot", "map.png"],
    "people": ["answers.csv", "--folds", "2", "-o", "people.csv", "--plot", "people.png"],
    "scale": ["differences.csv", "-o", "scale.csv", "--plot", "scale.png"],
    "rank": ["votes.csv", "-o", "scores.csv", "--plot", "scores.png"],
    "dimensions": [
        *("trials.txt", "--max-dimensions", "2", "--penalty", "0.1,0.1", "--starts", "1"),
        *("-o", "dimensions.csv", "--plot", "dimensions.html"),
    ],
    "cluster": ["answers.csv", "-k", "2", "-o", "clusters.csv", "--plot", "clusters.png"],
    "questions": ["objects.txt", "-l", "2", "-o", "questions.csv"],
    "graph": ["edges.csv", "-o", "layout.csv", "--plot", "layout.png"],
    "coembed": ["ratings.csv", "--set", "draws_per_object=50", "-o", "both", "--plot", "both.png"],
    "place": ["placed.csv", "--features", "described.csv", "-o", "new.csv"],
    "align": [
        "answers.csv",
        "described.csv",
        "--dim",
        "",
        "-o",
        "aligned.csv",
        "--plot",
        "models.png",
    ],
    "reduce": ["features.csv", "-o", "features-map.csv", "--plot", "features-map.png"],
    "datasets": ["cities", "-o", "cities.csv"],
    "doctor": [],
}
"""A quick run of each verb; with ``-o`` where it has that option, and with a picture."""
WRITES = [verb for verb, arguments in RUNS.items() if "-o" in arguments]
DRAWS = [verb for verb, arguments in RUNS.items() if "--plot" in arguments]


@pytest.fixture
def folder(answers, monkeypatch):
    """The current folder, with an input for each verb; what verbs choose from is short."""
    monkeypatch.chdir(answers.parent)
    monkeypatch.setattr(_compare, "USUAL_METHODS", ("SOE",))
    monkeypatch.setattr(_compare, "USUAL_DIMENSIONS", (1,))
    names = [f"o{number:02}" for number in range(12)]
    Path("objects.txt").write_text("\n".join(names))
    edges = [f"{a},{b}" for a, b in zip(names, names[1:] + names[:1], strict=True)]
    Path("edges.csv").write_text("\n".join(["from,to", *edges]) + "\n")
    trials = [f"{a} {a + 2} {(a + 1) % 12}" for a in range(10)] * 9
    Path("trials.txt").write_text("\n".join(trials) + "\n")
    ratings = [f"u{u},i{i},{(u * i) % 5 + 1}" for u in range(6) for i in range(6)]
    Path("ratings.csv").write_text("\n".join(["user,item,rating", *ratings]) + "\n")
    votes = [f"{names[a]},{names[b]}" for a in range(6) for b in range(6) if a < b or a == b + 1]
    Path("votes.csv").write_text("\n".join(["winner,loser", *votes]) + "\n")
    asked = ["0,1,1,3,second", "0,2,2,3,first", "1,2,0,3,second", "0,1,2,3,first"] * 9
    Path("differences.csv").write_text("\n".join(["i,j,k,l,answer", *asked]) + "\n")
    features = [f"{a},{a * a % 7},{a * 3 % 11}" for a in range(40)]
    Path("features.csv").write_text("\n".join(["a,b,c", *features]) + "\n")
    placed = [f"{name},{a % 4},{a % 3}" for a, name in enumerate(names)]
    Path("placed.csv").write_text("\n".join(["object,x1,x2", *placed]) + "\n")
    described = [f"{name},{a % 4},{a % 3}" for a, name in enumerate([*names, "new"])]
    Path("described.csv").write_text("\n".join(["object,a,b", *described]) + "\n")
    return answers.parent


def leave(arguments):
    with pytest.raises(SystemExit) as left:
        main(arguments)
    return left.value.code


def option(verb, name):
    """Return what a verb's run gives an option."""
    return RUNS[verb][RUNS[verb].index(name) + 1]


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def without_files(verb):
    """Return a run that prints what it finds."""
    arguments = list(RUNS[verb])
    for name in ("-o", "--plot"):
        if name in arguments and verb not in ("demo", "report"):  # which always write files
            del arguments[arguments.index(name) : arguments.index(name) + 2]
    return [verb, *arguments]


def test_every_verb_is_tried():
    names = [verb.__name__ for verbs in VERBS.values() for verb in verbs]
    assert {name.replace("_", "-") for name in names} == set(RUNS)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
@pytest.mark.parametrize("verb", RUNS)
def test_output_that_is_full_is_one_sentence(folder, capfd, monkeypatch, verb):
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        code = leave(without_files(verb))
    assert code == 1
    err = capfd.readouterr().err
    assert err.splitlines()[-1] == "Error: standard output: No space left on device."
    assert "Traceback" not in err


@pytest.mark.parametrize("verb", ["describe", "embed", "graph", "doctor"])
def test_a_closed_pipe_ends_it_quietly(folder, capfd, monkeypatch, verb):
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w") as pipe:
        monkeypatch.setattr(sys, "stdout", pipe)
        assert leave(without_files(verb)) == 1
    err = capfd.readouterr().err
    assert "Error" not in err
    assert "Traceback" not in err


def test_a_process_whose_pipe_is_closed_says_nothing_as_it_leaves(folder):
    command = [sys.executable, "-m", "ordinate", "describe", "answers.csv"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        err = process.stderr.read()
    assert (process.returncode, err) == (1, b"")


def test_a_process_without_output_continues(folder):
    command = f"{sys.executable} -m ordinate describe answers.csv >&-"
    assert subprocess.run(command, shell=True, check=True).returncode == 0


@pytest.mark.parametrize("verb", WRITES)
def test_a_full_disk_is_one_sentence_and_old_files_stay(folder, full_disk, capfd, verb):
    target = Path(option(verb, "-o"))
    if target.suffix:
        target.write_text("old")
    before = contents(folder)
    code = leave([verb, *RUNS[verb]])
    out, err = capfd.readouterr()
    assert (code, out) == (1, "")
    assert err.splitlines()[-1].startswith(f"Error: {target}")
    assert err.endswith(": No space left on device.\n")
    assert contents(folder) == before


@pytest.mark.parametrize("verb", DRAWS)
def test_a_picture_that_fails_leaves_the_table(folder, monkeypatch, capfd, verb):
    picture = Path(option(verb, "--plot"))
    picture.write_text("old")

    def fail(*_):
        raise OSError(28, "No space left on device", str(picture))

    monkeypatch.setattr("ordinate.plots._figures.render_figure", fail)
    monkeypatch.setattr("ordinate.plots._page.Page.save", fail)
    code = leave([verb, *RUNS[verb]])
    out, err = capfd.readouterr()
    assert code == 1
    if verb in WRITES:
        written = Path(option(verb, "-o"))
        assert (written / "users.csv" if verb == "coembed" else written).exists()
    else:
        assert "held-out error" in out.lower()
    assert picture.read_text() == "old"
    assert str(picture) not in out
    assert err.endswith(
        f"Error: The picture {picture} was not written, all other results were:"
        f" {picture}: No space left on device.\n"
    )


@pytest.mark.parametrize("verb", [verb for verb in WRITES if verb not in ("demo", "datasets")])
def test_the_input_is_never_replaced(folder, capfd, verb):
    source = RUNS[verb][0]
    target = Path(option(verb, "-o"))
    if verb == "coembed":
        target.mkdir()
        Path(target / "items.csv").symlink_to(Path(source).resolve())
    else:
        target.symlink_to(source)
    before = contents(folder)
    code = leave([verb, *RUNS[verb]])
    out, err = capfd.readouterr()
    assert (code, out) == (1, "")
    assert err.startswith(f"Error: Cannot write {target}")
    assert err.endswith("it is read too; choose another name.\n")
    assert contents(folder) == before


@pytest.mark.parametrize("verb", WRITES)
def test_a_folder_that_is_read_only_is_refused_before_any_work(folder, monkeypatch, capfd, verb):
    Path(option(verb, "-o")).mkdir() if verb in ("demo", "coembed") else None
    before = contents(folder)
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)  # root always may
    code = leave([verb, *RUNS[verb]])
    out, err = capfd.readouterr()
    assert (code, out) == (1, "")
    assert "no permission to write in" in err
    assert err.count("\n") == 1
    assert contents(folder) == before


@pytest.mark.parametrize("verb", WRITES)
def test_a_name_that_is_too_long_is_refused(folder, capfd, verb):
    arguments = list(RUNS[verb])
    target = Path(option(verb, "-o"))
    arguments[arguments.index("-o") + 1] = "x" * 300 + target.suffix
    code = leave([verb, *arguments])
    out, err = capfd.readouterr()
    assert (code, out) == (1, "")
    assert err.endswith("File name too long.\n")
    assert err.count("\n") == 1
