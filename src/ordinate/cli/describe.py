"""`ordinate describe`: what is in a file of answers, and whether it is enough."""

from __future__ import annotations

from ordinate.cli._options import AnswerFile, Json
from ordinate.cli._results import print_json


def describe(source: AnswerFile, json: Json = False) -> None:
    """Say what is in a file of answers, and whether it is enough for a map.

    Example: ordinate describe answers.csv
    """
    description = source.read().describe()
    if json:
        print_json(description.to_dict())
    else:
        print(description)
