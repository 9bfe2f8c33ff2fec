import io

import numpy as np
from PIL import Image
from scipy.io import savemat

import ordinate as od

IMAGES = np.arange(4 * 6, dtype=np.uint8).reshape(4, 2, 3) * 10


def png(image):
    file = io.BytesIO()
    Image.fromarray(image).save(file, "PNG")
    return file.getvalue()


def test_an_archive_as_published_is_read(publish, zipped):
    keys = [(1, 0), (1, 1), (2, 0), (2, 10)]
    members = {
        f"coil-20-proc/obj{thing}__{view}.png": png(image)
        for (thing, view), image in zip(keys, IMAGES, strict=True)
    }
    home = publish("coil20", {"coil-20-proc.zip": zipped(members)}, images=4, objects=2)
    dataset = od.datasets.load_coil20(home)
    np.testing.assert_array_equal(dataset.points, IMAGES.reshape(4, 6))
    assert dataset.image_shape == (2, 3)
    assert dataset.labels.tolist() == [0, 0, 1, 1]
    assert dataset.label_names == ("object 1", "object 2")
    assert dataset.attributes["angle"].tolist() == [0, 5, 0, 50]


def test_reduced_copy(tmp_path, recount):
    recount("coil20", {"images": 4, "objects": 2})
    squares = IMAGES[:, :, :2]
    (tmp_path / "coil20").mkdir()
    savemat(
        tmp_path / "coil20" / "COIL20.mat",
        {"X": squares.transpose(0, 2, 1).reshape(4, 4), "Y": np.array([[1], [1], [1], [2]])},
    )
    dataset = od.datasets.load_coil20(tmp_path)
    np.testing.assert_array_equal(dataset.points, squares.reshape(4, 4))
    assert dataset.labels.tolist() == [0, 0, 0, 1]
    assert dataset.attributes["angle"].tolist() == [0, 5, 10, 0]
