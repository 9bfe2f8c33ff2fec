"""The list of breaks follows the code: each line is where the list says, once."""

import importlib.util
from pathlib import Path

import pytest

_PATH = Path(__file__).with_name("mutants.py")
_SPEC = importlib.util.spec_from_file_location("mutants", _PATH)
mutants = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(mutants)


@pytest.mark.parametrize("mutant", mutants.MUTANTS, ids=lambda mutant: mutant.line)
def test_the_line_to_break_occurs_once(mutant):
    text = (mutants.FOLDER / mutant.file).read_text("utf-8")
    assert text.count(mutant.line) == 1
    assert mutant.line != mutant.broken
    assert (_PATH.parent / mutant.tests.split()[0]).is_file()
