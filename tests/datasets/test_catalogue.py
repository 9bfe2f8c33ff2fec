import json
import re
from dataclasses import asdict

import numpy as np
import pytest

import ordinate as od
from ordinate.datasets._about import files_of, names_of


def test_every_loader_and_maker_is_listed_once():
    names = [name for name in od.datasets.__all__ if name.startswith(("load_", "make_"))]
    listed = [entry.loader for entry in od.datasets.catalogue()]
    assert sorted(listed) == sorted(names)


@pytest.mark.parametrize("entry", od.datasets.catalogue(), ids=lambda entry: entry.name)
def test_entries_say_everything(entry):
    texts = (entry.title, entry.size, entry.description, entry.citation, entry.terms)
    assert all(text and text == text.strip() for text in texts)
    assert entry.loader.endswith(entry.name)
    assert json.loads(json.dumps(asdict(entry))) == asdict(entry)


@pytest.mark.parametrize("name", names_of(from_files=True))
def test_downloads_are_verified_or_say_that_they_are_not(name):
    for remote in files_of(name).published:
        assert all(url.startswith(("http://", "https://")) for url in remote.urls)
        if remote.checksum is None:
            assert "No checksum" in files_of(name).about.description
        else:
            algorithm, digest = remote.checksum.split(":")
            assert len(bytes.fromhex(digest)) == {"sha256": 32, "md5": 16}[algorithm]


FILES_TO_READ = [
    *(("food100", name) for name in ("food100-dataset.zip", "raw-json/one.json")),
    *(("music400", name) for name in ("STE_Release.zip", "music_triplets.mat")),
    *(("cars60", name) for name in ("60_cars_data.zip", "survey_data.csv")),
    *(("movielens100k", name) for name in ("ml-100k.zip", "u.data")),
    *(("lastfm2k", name) for name in ("hetrec2011-lastfm-2k.zip", "user_artists.dat")),
    *(("newsgroups20", name) for name in ("20news-bydate.tar.gz", "20news-bydate-train/a/1")),
    *(("mnist", name) for name in ("train-images-idx3-ubyte", "train-images-idx3-ubyte.gz")),
    *(("usps", name) for name in ("usps.bz2", "usps", "usps.h5")),
    *(("coil20", name) for name in ("coil-20-proc.zip", "COIL20.mat", "obj1__0.png")),
    *(("isomap_faces", name) for name in ("face_data.mat.Z", "face_data.mat", "face_1024.mat")),
]


@pytest.mark.parametrize("content", [b"", b"<html>404 Not Found</html>\n" * 20])
@pytest.mark.parametrize(("dataset", "name"), FILES_TO_READ)
def test_files_of_another_form_are_refused(dataset, name, content, tmp_path, monkeypatch):
    folder = tmp_path / files_of(dataset).folder
    path = folder / name
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    monkeypatch.setattr("ordinate.datasets._files.Files.are_present", lambda *_: True)
    with pytest.raises(od.InputError, match=re.escape(str(folder))):
        getattr(od.datasets, f"load_{dataset}")(tmp_path)


def test_what_is_there(tmp_path, monkeypatch):
    monkeypatch.setenv("ORDINATE_DATA", str(tmp_path))
    (tmp_path / "movielens100k").mkdir()
    (tmp_path / "movielens100k" / "ml-100k.zip").touch()
    (tmp_path / "usps").mkdir()
    (tmp_path / "usps" / "usps.bz2").touch()  # one of two
    entries = {entry.name: entry for entry in od.datasets.catalogue()}
    present = {name for name, entry in entries.items() if entry.present}
    computed = {"gaussian", "two_squares", "mixture", "sphere", "swiss_roll"}
    assert present == {"cities", "movielens100k"} | computed
    assert entries["usps"].folder == str(tmp_path / "usps")
    assert entries["cities"].folder is None
    elsewhere = od.datasets.catalogue(tmp_path / "other")
    assert not any(entry.present for entry in elsewhere if entry.folder)


CLASSES = {
    "cars60": [24, 15, 17, 4],
    "coil20": [72] * 20,
    "mnist": [6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958],
    "music400": [237, 16, 68, 19, 29, 3, 10, 4, 14],
    "usps": [1553, 1269, 929, 824, 852, 716, 834, 792, 708, 821],
}
"""Objects of each class, as published."""


@pytest.mark.parametrize("name", names_of(from_files=True))
def test_the_real_data_are_as_published(name, real_data):
    if not files_of(name).are_present(real_data):
        pytest.skip(f"{name} is not in ORDINATE_DATA")
    dataset = getattr(od.datasets, f"load_{name}")(real_data)  # which checks the published counts
    if name in CLASSES:
        assert np.bincount(dataset.labels).tolist() == CLASSES[name]
    if name == "food100":  # all questions of one screen are one trial of one participant
        groups = (dataset.comparisons.groups[of] for of in ("participant", "trial"))
        assert len(set(zip(*groups, strict=True))) == 15_320
    if name == "coil20":  # the cup stands upright: its rows are alike from left to right
        cup = dataset.points[dataset.labels == 11].reshape(-1, *dataset.image_shape).mean(axis=0)
        assert np.abs(cup - cup[:, ::-1]).mean() < 0.5 * np.abs(cup - cup[::-1]).mean()


def test_real_data_are_all_there(real_data):
    absent = {entry.name for entry in od.datasets.catalogue(real_data) if not entry.present}
    assert absent <= {"letters", "things"}  # which nobody has put there
