"""Messages of the library in the words of the command line."""

from __future__ import annotations

import re

_OPTION_OF_PARAMETER = {
    "columns=[...]": "--columns A,B,C",
    "header=False": "--no-header",
    "names=[...]": "--objects FILE",
    "Say so with question=.": "Say so with --question.",
    "say which with coding=.": "say which.",
    "Name it with answer=.": "Name it with --answer.",
    "pass on_duplicate='mean' or 'last'": "use --on-duplicate mean or last",
    "test_size ": "--test-size ",
    "with user=.": "with --user.",
    "with item=.": "with --item.",
    "with value=.": "with --value.",
    "say how many neighbours each gets.": "say how many neighbours each gets with --neighbors.",
    "raise max_iter or tol.": "try --starts 10, or raise max_iter or tol with --set.",
    "; raise max_iter.": "; raise max_iter with --set.",
    "try another random_state, more starts": "try another --seed, more --starts",
    "the groups are: none.": "name columns of labels with --group.",
}
"""How what a message proposes is written in Python, and on the command line."""
_OPTIONS = {
    "coding",
    "device",
    "encoding",
    "method",
    "metric",
    "normalize",
    "on_invalid",
    "per",
    "probability",
    "question",
}
"""Parameters that are options of the same name; others are given with ``--set``."""
_ASSIGNMENT = re.compile(r"""\b([a-z_]+)=(['"])([^'"]*)\2""")


def in_shell_words(message: str) -> str:
    """Return a message that proposes options instead of arguments.

    Parameters
    ----------
    message : str
        What the library says.

    Returns
    -------
    str
        What a user of the command line can act on.

    Examples
    --------
    >>> in_shell_words("For text without a header line pass header=False.")
    'For text without a header line pass --no-header.'
    """
    for in_python, as_option in _OPTION_OF_PARAMETER.items():
        message = message.replace(in_python, as_option)
    return _ASSIGNMENT.sub(_as_option, message)


def _as_option(assignment: re.Match[str]) -> str:
    name, _, value = assignment.groups()
    return f"--{name.replace('_', '-')} {value}" if name in _OPTIONS else f"--set {name}={value}"


def reason_of(error: Exception) -> str:
    """Return what went wrong in one sentence; of the system's errors, which file and why.

    Parameters
    ----------
    error : Exception
        A mistake that the library explains, or one that the system reports.

    Returns
    -------
    str
        A sentence.

    Examples
    --------
    >>> reason_of(OSError(28, "No space left on device", "map.csv"))
    'map.csv: No space left on device.'
    """
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'standard output'}: {error.strerror}."
    if isinstance(error, MemoryError):
        return "There is not enough memory for this."
    return in_shell_words(str(error))
