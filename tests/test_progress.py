import io
import subprocess
import sys
from contextlib import redirect_stderr

import pytest

from ordinate import _progress
from ordinate._progress import Stages, progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown_on_terminal(*, enabled, total=3):
    with redirect_stderr(Terminal()) as stream:
        work(enabled=enabled, total=total)
    return stream.getvalue()


def work(*, enabled, total=3):
    with progress("Fitting", total=total, enabled=enabled) as advance:
        for step in range(3):
            advance(1, note=f"loss [{step}]")
        advance(0)


def test_terminal_shows_title_count_and_last_note(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    shown = shown_on_terminal(enabled=True)
    assert "Fitting" in shown
    assert "3/3" in shown
    assert "loss [2]" in shown


def test_a_bar_says_which_stage_of_how_many_it_belongs_to(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stages = Stages(2)
    for expected in ("1 of 2: Fitting", "2 of 2: Fitting"):
        with stages.next():
            assert expected in shown_on_terminal(enabled=True)
    assert " of 2" not in shown_on_terminal(enabled=True)
    with Stages(1).next():
        assert " of 1" not in shown_on_terminal(enabled=True)


def test_unknown_total_counts(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    assert "3/?" in shown_on_terminal(enabled=True, total=None)


def test_disabled_writes_nothing():
    assert shown_on_terminal(enabled=False) == ""


def test_not_a_terminal_writes_nothing(capsys):
    work(enabled=True)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("per_step", "said"),
    [
        (2, ""),
        (3, "Simulating takes about 30 seconds.\n"),
        (12, "Simulating takes about 2 minutes.\n"),
    ],
)
def test_without_a_terminal_long_work_is_announced_once(monkeypatch, capsys, per_step, said):
    now = iter(range(0, 1000, per_step))
    monkeypatch.setattr(_progress, "monotonic", lambda: next(now))
    with progress("Simulating", total=20, announced=True) as advance:
        advance(0, note="the first")
        advance(1)
        assert capsys.readouterr().err == ""
        advance(1)  # the clock is looked at here: one tick for a tenth of the work
        assert capsys.readouterr().err == said
        advance(18)
    assert capsys.readouterr() == ("", "")


def test_an_error_in_the_block_comes_through():
    with pytest.raises(ZeroDivisionError), progress("Fitting"):
        raise ZeroDivisionError


def test_disabled_does_not_load_rich():
    code = (
        "import sys; from ordinate._progress import progress\n"
        "with progress('Fitting', enabled=False) as advance: advance()\n"
        "sys.exit('rich' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
