"""The rules of the architecture page: import direction, rooms apart, a light import."""

import ast
import doctest
import inspect
import pickle
import pkgutil
import runpy
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import ordinate

SRC = Path(ordinate.__file__).parent
TESTS = Path(__file__).parent
PUBLIC_NAMES = runpy.run_path(str(TESTS.parent / "docs" / "_ext" / "public_names.py"))

BELOW = {"comparisons", "tasks", "io", "sources", "losses", "engine", "solvers", "prior"}
"""What several rooms need."""
ROOMS = {"triplets", "gram", "kernels", "dimensions", "graphs", "ratings", "features"}
"""A room per problem: its record, its compiled loops, its solver, its estimators."""

LAYERS = {
    "comparisons": set(),
    "tasks": set(),
    "sources": {"comparisons", "tasks"},
    "io": {"comparisons", "tasks"},
    "losses": set(),
    "engine": {"comparisons", "losses"},
    "solvers": {"comparisons", "losses", "engine"},
    "prior": {"comparisons", "engine", "solvers"},
    **dict.fromkeys(ROOMS, BELOW),
    "scales": BELOW,
    "people": BELOW | {"triplets"},  # begins with the map of everybody's answers
    "methods": set(),
    "metrics": BELOW | ROOMS,
    "datasets": BELOW | ROOMS,
    "selection": BELOW | {"kernels", "features", "people", "methods", "metrics"},
    "uncertainty": BELOW | {"metrics"},
    "plots": BELOW
    | ROOMS
    | {"scales", "people", "metrics", "selection", "uncertainty", "questions"},
    "questions": BELOW,
    # a study's live map or ranking, next questions
    "collect": BELOW | {"triplets", "scales", "selection", "questions", "features"},
    "results": BELOW | {"plots", "uncertainty"},
    "verbs": BELOW
    | ROOMS
    | {
        "scales",
        "people",
        "methods",
        "metrics",
        "selection",
        "uncertainty",
        "questions",
        "plots",
        "results",
    },
    "analysis": BELOW
    | ROOMS
    | {
        "verbs",
        "scales",
        "people",
        "methods",
        "metrics",
        "selection",
        "uncertainty",
        "plots",
        "results",
    },
    "cli": BELOW
    | ROOMS
    | {
        "scales",
        "analysis",
        "results",
        "verbs",
        "people",
        "methods",
        "metrics",
        "datasets",
        "selection",
        "uncertainty",
        "plots",
        "collect",
    },
    "__main__": {"cli"},
}
"""What each part may import besides itself and the private helpers at the top."""

HEAVY = [
    "numba",
    "torch",
    "pyarrow",
    "matplotlib",
    "sklearn",
    "scipy",
    "pooch",
    "h5py",
    "rich",
    "typer",
]

OPTIONAL = [
    "anndata",
    "arviz",
    "cvxpy",
    "dask",
    "distributed",
    "h5py",
    "httptools",
    "httpx",
    "igraph",
    "networkx",
    "nh3",
    "openTSNE",
    "pandas",
    "playwright",
    "polars",
    "rsatoolbox",
    "segno",
    "segno",
    "starlette",
    "torch",
    "triton",
    "unlzw3",
    "uvicorn",
]
"""What only an extra installs."""


def modules():
    return sorted(SRC.rglob("*.py"))


def part(path):
    """Name the part a file belongs to: the first folder or file name below the package."""
    return path.relative_to(SRC).parts[0].removesuffix(".py")


@cache
def tree_of(path):
    return ast.parse(path.read_text())


@cache
def imports_in(path):
    tree = tree_of(path)
    return [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]


def imported_parts(path):
    """Parts of the package that a file imports, anywhere in it."""
    for node in imports_in(path):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "ordinate":
            names = [f"ordinate.{alias.name}" for alias in node.names]
        else:
            assert node.level == 0, f"{path}:{node.lineno}: write imports in full"
            names = [node.module]
        yield from (name.split(".")[1] for name in names if name.startswith("ordinate."))


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SRC)))
def test_imports_go_downwards_only(path):
    own = part(path)
    imported = {name for name in imported_parts(path) if not name.startswith("_")} - {own}
    if own.startswith("_") and own not in LAYERS:
        assert not imported, f"private helpers stand below everything; {own} imports {imported}"
    else:
        assert own in LAYERS, f"{own} has no place yet: add it to LAYERS and to docs/architecture"
        assert imported <= LAYERS[own], f"{own} must not import {imported - LAYERS[own]}"


def test_no_module_imports_itself_by_a_detour():
    """Also not when it runs: what is only for annotations does not count."""
    named = {module_name(path): path for path in modules()}
    graph = {}
    for name, path in named.items():
        shown = {id(node) for node in for_annotations_only(path)}
        targets = {
            target
            for node in imports_in(path)
            if isinstance(node, ast.ImportFrom) and id(node) not in shown
            for alias in node.names
            for target in (f"{node.module}.{alias.name}", node.module)
            if target in named and target != "ordinate"
        }
        graph[name] = targets - {name}
    TopologicalSorter(graph).prepare()  # says which modules, if there is a cycle


def module_name(path):
    parts = ("ordinate", *path.relative_to(SRC).with_suffix("").parts)
    return ".".join(parts).removesuffix(".__init__")


def for_annotations_only(path):
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield from ast.walk(node)


@pytest.mark.parametrize("module", ["ordinate", "ordinate.sources", "ordinate.datasets"])
def test_import_is_light(module):
    code = f"import {module}, sys; print(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(HEAVY) & set(run.stdout.split())


WITHOUT_OPTIONAL = """
import sys
import pytest

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in sys.argv[2:]:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
arguments = ["--collect-only", "-q", "-p", "no:cacheprovider", "-W", "ignore::DeprecationWarning"]
sys.exit(pytest.main([*arguments, sys.argv[1]]))
"""


def test_no_module_needs_an_optional_library():
    command = [sys.executable, "-c", WITHOUT_OPTIONAL, str(SRC), *OPTIONAL]
    run = subprocess.run(command, capture_output=True, text=True, cwd=TESTS.parent)
    assert run.returncode == 0, run.stdout + run.stderr


def test_help_of_the_command_line_needs_no_numerics():
    code = (
        "import sys\nfrom ordinate.cli import main\n"
        "try:\n    main(['embed', '--help'])\nexcept SystemExit:\n"
        "    print('LOADED', *sorted({name.split('.')[0] for name in sys.modules}))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = run.stdout.split("LOADED")[1].split()
    assert not (set(HEAVY) - {"rich", "typer"}) & set(loaded)


def test_tests_mirror_the_rooms():
    rooms = {path.parent.name for path in SRC.glob("*/__init__.py")}
    assert not {room for room in rooms if not list((TESTS / room).glob("test_*.py"))}


@pytest.mark.parametrize("name", list(PUBLIC_NAMES["public_names"]()))
def test_public_names_say_what_they_do(name):
    value = pkgutil.resolve_name(name)
    document = inspect.getdoc(value)
    assert document, "no docstring"
    if value.__module__.startswith("ordinate"):
        assert "Examples\n--------" in document, "no runnable example"


def public_exceptions():
    for name in PUBLIC_NAMES["public_names"]():
        value = pkgutil.resolve_name(name)
        if isinstance(value, type) and issubclass(value, Exception):
            yield name


@pytest.mark.parametrize("name", list(public_exceptions()))
def test_exceptions_show_where_users_find_them(name):
    kind = pkgutil.resolve_name(name)
    assert f"{kind.__module__}.{kind.__qualname__}" == name
    assert type(pickle.loads(pickle.dumps(kind("said")))) is kind
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for example in doctest.DocTestFinder().find(kind, name, module=False, globs={}):
        assert runner.run(example).failed == 0
