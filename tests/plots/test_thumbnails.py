import base64
import os
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

import ordinate as od
from ordinate.plots import plot_map
from ordinate.plots._thumbnails import SIDE, as_data_uri, draw_thumbnails, load_thumbnails

RED = np.broadcast_to(np.array([255, 0, 0], dtype=np.uint8), (200, 400, 3))


def test_files_and_arrays_become_small_and_keep_their_shape(tmp_path):
    Image.fromarray(np.ascontiguousarray(RED)).save(tmp_path / "red.png")
    from_file, from_bytes, from_floats, missing = load_thumbnails(
        [tmp_path / "red.png", RED, np.ones((10, 5)), None], 4
    )
    assert from_file.size == from_bytes.size == (SIDE, SIDE // 2)
    assert np.asarray(from_bytes)[0, 0].tolist() == [255, 0, 0]
    assert np.asarray(from_floats)[0, 0].tolist() == [255, 255, 255]
    assert missing is None


def test_a_data_uri_holds_the_picture():
    (thumbnail,) = load_thumbnails([RED], 1)
    head, data = as_data_uri(thumbnail).split(",")
    assert head == "data:image/webp;base64"
    decoded = Image.open(BytesIO(base64.b64decode(data)))
    assert decoded.size == thumbnail.size
    assert as_data_uri(None) is None


def test_only_pictures_that_do_not_overlap_are_drawn():
    points = np.array([[0.0, 0.0], [0.001, 0.0], [1.0, 1.0], [2.0, 2.0]])
    ax = plot_map(points)
    shown = draw_thumbnails(ax, load_thumbnails([RED, RED, RED, None], 4), points)
    assert shown.tolist() == [0, 2]


@pytest.mark.parametrize("n", [10, 20_000])
def test_a_map_with_pictures(n):
    points = np.random.default_rng(0).normal(size=(n, 2))
    ax = plot_map(points, images=[RED[:8, :8]] * n)
    assert 5 <= len(ax.artists) <= 500


def test_bad_arguments_are_refused(tmp_path):
    with pytest.raises(od.InputError, match="images must have one entry per object, 2 of them"):
        load_thumbnails([RED], 2)
    with pytest.raises(od.InputError, match=r"There is no picture .*gone.png"):
        load_thumbnails([tmp_path / "gone.png"], 1)
    (tmp_path / "text.png").write_text("not a picture")
    with pytest.raises(od.InputError, match=r"text.png is not a picture that can be read"):
        load_thumbnails([tmp_path / "text.png"], 1)
    with pytest.raises(od.InputError, match=r"Image 0 must be grey .*got shape \(4,\)"):
        load_thumbnails([np.zeros(4)], 1)


def test_refuses_damaged_and_strange_files(tmp_path, monkeypatch):
    noise = np.random.default_rng(0).integers(0, 255, (40, 40, 3), dtype=np.uint8)
    for name in ("cut.png", "cut.jpg", "cut.gif"):
        Image.fromarray(noise).save(tmp_path / name)
        data = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(data[: len(data) // 2])
        with pytest.raises(od.InputError, match=rf"{name} is not a picture .*: damaged, or of an"):
            load_thumbnails([tmp_path / name], 1)
    Image.fromarray(noise).save(tmp_path / "large.png")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1000)  # up to twice as many only warn
    with pytest.raises(od.InputError, match=r"large\.png has more than 1,000 pixels; make"):
        load_thumbnails([tmp_path / "large.png"], 1)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 500)
    with pytest.raises(od.InputError, match=r"large\.png has more than 500 pixels; make it small"):
        load_thumbnails([tmp_path / "large.png"], 1)
    with pytest.raises(od.InputError, match=r"is not a file"):
        load_thumbnails([tmp_path], 1)
    with pytest.raises(od.InputError, match=r"can be read: File name too long"):
        load_thumbnails([tmp_path / ("x" * 300)], 1)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.png")
    with pytest.raises(od.InputError, match=r"pipe\.png is not a file"):
        load_thumbnails([tmp_path / "pipe.png"], 1)
