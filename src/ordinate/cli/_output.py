"""What a command prints: JSON for machines, plain lines for people."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def print_json(figures: Mapping[str, Any]) -> None:
    """Print one JSON object on standard output.

    Parameters
    ----------
    figures : mapping of str to JSON values
        What the command found.
    """
    print(json.dumps(figures, indent=2, allow_nan=False))
