import subprocess
import sys
from base64 import b64encode
from io import BytesIO

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

import ordinate as od
from ordinate.plots import plot_map, save_figure
from ordinate.plots._figures import check_figure_path, figure_of, render_for_page

MAP = [[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]]
SIGNATURES = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


@pytest.mark.parametrize("suffix", SIGNATURES)
def test_same_figure_same_bytes(tmp_path, suffix):
    first, second = tmp_path / f"first{suffix}", tmp_path / f"second{suffix.upper()}"
    save_figure(plot_map(MAP, names=["a", "b", "c"]), first)
    save_figure(plot_map(MAP, names=["a", "b", "c"]).figure, second)
    assert first.read_bytes().startswith(SIGNATURES[suffix])
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("name", ["map.bmp", "map", "map.csv"])
def test_refuses_other_formats(tmp_path, name):
    with pytest.raises(od.InputError, match=r"must end in \.png, \.svg, \.pdf"):
        save_figure(plot_map(MAP), tmp_path / name)
    with pytest.raises(od.InputError, match=name):
        check_figure_path(name)
    assert list(tmp_path.iterdir()) == []


def test_axes_of_a_part_save_the_whole(tmp_path):
    whole = Figure()
    left, right = whole.subfigures(1, 2)
    right.add_subplot()
    assert figure_of(left.add_subplot()) is whole


def test_refuses_axes_without_a_figure(tmp_path):
    ax = plot_map(MAP)
    ax.remove()
    with pytest.raises(od.InputError, match="removed from their figure"):
        save_figure(ax, tmp_path / "map.png")


def test_a_failure_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "map.png"
    path.write_text("old")
    ax = plot_map(MAP)

    def fail(self, target, **options):
        target.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(Figure, "savefig", fail)
    with pytest.raises(KeyboardInterrupt):
        save_figure(ax, path)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["map.png"]


def test_plots_leave_pyplot_alone(tmp_path):
    code = (
        "import sys, ordinate as od\n"
        "ax = od.plots.plot_map([[0, 0], [1, 2]])\n"
        f"od.plots.save_figure(ax, {str(tmp_path / 'map.png')!r})\n"
        "sys.exit('matplotlib.pyplot' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.filterwarnings("ignore:No font of this computer has")  # the browser may have one
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_page_a_figure_has_its_letters_and_follows_its_scheme(browser, scheme):
    ax = plot_map(MAP, names=["a<b>", "b & c", "名"], labels=["x", "y", "y"])
    drawn = render_for_page(ax)
    assert drawn == render_for_page(ax)
    assert b"<text" in drawn
    assert b"DejaVu" in drawn, "what a font gives way to"
    picture = "data:image/svg+xml;base64," + b64encode(drawn).decode()
    page = browser.new_page(color_scheme=scheme)
    page.set_content('<meta name="color-scheme" content="light dark"><body style="margin:0">')
    page.evaluate(
        "async (source) => { const image = new Image(); image.src = source; await image.decode();"
        " document.body.append(image); }",
        picture,
    )
    pixels = np.asarray(Image.open(BytesIO(page.screenshot())).convert("L"))
    page.close()
    paper = np.bincount(pixels.ravel()).argmax()
    ink = pixels.min() if scheme == "light" else pixels.max()
    assert (paper > 200, ink < 60) == ((True, True) if scheme == "light" else (False, False))
    assert abs(int(paper) - int(ink)) > 150
