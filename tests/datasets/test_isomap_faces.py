from pathlib import Path

import numpy as np
from scipy.io import savemat

import ordinate as od

# five images of 2 x 2 pixels with pose and light, compressed by ncompress
PUBLISHED_FILE = Path(__file__).parents[1] / "data" / "face_data.mat.Z"


def check(dataset):
    # MATLAB writes columns first: pixels 0, 1 are the left column of the first image
    assert (dataset.points[0] * 20).tolist() == [0, 2, 1, 3]
    assert dataset.points.shape == (5, 4)
    assert dataset.image_shape == (2, 2)
    assert dataset.attributes["pose"].tolist() == [[0, 5], [1, 6], [2, 7], [3, 8], [4, 9]]
    assert dataset.attributes["light"].ravel().tolist() == [0, 1, 2, 3, 4]


def test_a_file_as_published_is_read(publish):
    home = publish(
        "isomap_faces",
        {"face_data.mat.Z": PUBLISHED_FILE.read_bytes()},
        images=5,
        values_of_pose_and_light=3,
    )
    check(od.datasets.load_isomap_faces(home))


def test_reduced_copy(tmp_path, recount):
    counts = {"images": 5, "values of pose and light": 3}
    recount("isomap_faces", counts)
    (tmp_path / "isomap_faces").mkdir()
    latent = np.vstack([np.arange(5.0), np.arange(10.0).reshape(2, 5)])
    savemat(
        tmp_path / "isomap_faces" / "face_1024.mat",
        {"dataY": np.arange(20.0).reshape(5, 4).T / 20, "dataT": latent},
    )
    check(od.datasets.load_isomap_faces(tmp_path))


def test_real_pose_and_light_are_seen_in_the_images(real_data):
    dataset = od.datasets.load_isomap_faces(real_data)
    height, width = dataset.image_shape
    images = dataset.points.reshape(-1, height, width)
    column = np.linspace(-1, 1, width)
    where_the_head_is = ((images > 0) * column).sum(axis=(1, 2)) / (images > 0).sum(axis=(1, 2))
    where_it_is_bright = (images * column).sum(axis=(1, 2)) / images.sum(axis=(1, 2))
    left_right = dataset.attributes["pose"][:, 0]
    light = dataset.attributes["light"].ravel()
    assert abs(np.corrcoef(left_right, where_the_head_is)[0, 1]) > 0.8
    assert abs(np.corrcoef(light, where_it_is_bright - where_the_head_is)[0, 1]) > 0.7
