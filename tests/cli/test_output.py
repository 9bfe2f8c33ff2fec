"""JSON on standard output."""

import json

import pytest

from ordinate.cli._output import print_json


def test_prints_one_json_object(capsys):
    print_json({"name": "Zürich", "error": None})
    assert json.loads(capsys.readouterr().out) == {"name": "Zürich", "error": None}


def test_numbers_that_json_does_not_have_are_a_bug():
    with pytest.raises(ValueError, match="not JSON compliant"):
        print_json({"error": float("nan")})
