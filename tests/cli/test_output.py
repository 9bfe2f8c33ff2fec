"""JSON on standard output."""

import json

import numpy as np
import pytest

from ordinate.cli._output import print_json, print_report


def test_prints_one_json_object(capsys):
    print_json({"name": "Zürich", "error": None})
    assert json.loads(capsys.readouterr().out) == {"name": "Zürich", "error": None}


def test_numbers_that_json_does_not_have_are_a_bug():
    with pytest.raises(ValueError, match="not JSON compliant"):
        print_json({"error": float("nan")})


class Weather:
    def to_dict(self):
        return {"sky": "blue"}

    def __str__(self):
        return "The sky is blue."


def test_a_report_alone_goes_to_standard_output(capfd):
    print_report(Weather(), {}, json=False)
    assert capfd.readouterr() == ("The sky is blue.\n", "")


def test_a_table_has_standard_output_to_itself(capfd):
    print_report(Weather(), {"hours": {"sun": np.array([3, 4])}}, json=False)
    assert capfd.readouterr() == ('"sun"\n3\n4\n', "The sky is blue.\n")


def test_in_json_a_table_is_part_of_the_report(capfd):
    print_report(Weather(), {"hours": {"sun": np.array([3, 4])}}, json=True)
    assert json.loads(capfd.readouterr().out) == {"sky": "blue", "hours": {"sun": [3, 4]}}
