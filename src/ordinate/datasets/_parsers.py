"""Read the published files of each data set: what was counted in them, and its content."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from html import unescape
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import degenerate_rows
from ordinate.comparisons.record import Comparisons
from ordinate.comparisons.trials import Trials
from ordinate.datasets._files import Parsed
from ordinate.datasets._readers import (
    find_member,
    import_extra,
    read_mat,
    read_member,
    read_members,
    upright,
)
from ordinate.ratings.record import Ratings
from ordinate.sources._statements import from_choices, from_most_central


def parse_food100(folder: Path) -> Parsed:
    """Food-100: dishes that taste alike."""
    experiments = [
        [
            (hit["worker_id"], screen)
            for hit in json.loads(content)
            for screen in hit["HIT_screens"]
            if not screen["is_catchtrial"]
        ]
        for _, content in sorted(read_members(folder, "raw-json/*.json"))
    ]
    names = sorted(
        {name for part in experiments for _, screen in part for name in screen["images"]}
    )
    first_trials = np.cumsum([0, *map(len, experiments)])
    comparisons = Comparisons.concatenate(
        [
            _ask(screens, int(first), names)
            for screens, first in zip(experiments, first_trials[:-1], strict=True)
        ]
    )
    found = {
        "screens": int(first_trials[-1]),
        "dishes": len(names),
        "triplets": len(comparisons),
        "distinct triplets": len(comparisons.merge_repeats()),
        "contradictions": len(comparisons.contradictions()),
    }
    return found, {"comparisons": comparisons, "names": comparisons.names}


def _ask(screens: list[tuple[int, Any]], first_trial: int, names: list[str]) -> Comparisons:
    """Turn the screens of one experiment, all of one size, into triplets."""
    return from_choices(
        [screen["probe"] for _, screen in screens],
        [screen["images"] for _, screen in screens],
        [screen["near_answer"] for _, screen in screens],
        participant=[worker for worker, _ in screens],
        trial=np.arange(first_trial, first_trial + len(screens)),
        names=names,
    )


GENRES = ("rock", "metal", "pop", "dance", "hiphop", "jazz", "country", "reggae", "other")


GENRE_OF_TAG = np.array(
    [
        *(5, 1, 1, 1, 1, 1, 1, 1, 5, 3, 3, 3, 3, 2, 1, 1, 4, 4, 4, 1, 4, 7, 7, 4, 1, 2, 2, 1, 5),
        *(6, 6, 6, 8, 1, 3, 4, 4, 1, 3, 1, 2, 2, 1, 7, 7, 1, 1, 1, 1, 1, 4, 5, 2, 3, 6, 2, 2, 5),
    ]
)


"""Which genre each of the 58 tags belongs to, counted from 1, as the toolbox assigns them."""


def parse_music400(folder: Path) -> Parsed:
    """Music artists (aset400): the one of two that is more like a third."""
    all_rows = read_mat(read_member(folder, "music_triplets.mat"))["triplets"]
    compared, numbers = np.unique(all_rows, return_inverse=True)
    rows = numbers.reshape(all_rows.shape).astype(np.int32)
    repeats = degenerate_rows(rows)
    tagged, tags = _read_tags(read_member(folder, "music_labels.mat"))
    tagged = tagged[compared - 1]
    found = {
        "rows": len(rows),
        "rows that repeat an artist": int(repeats.sum()),
        "artists": len(compared),
        "tags": len(tags),
    }
    names = _inferred_names(folder, compared)
    return found, {
        "comparisons": Comparisons(rows[~repeats], n_objects=len(compared), names=names),
        "names": names,
        "labels": _first_genre(tagged),
        "label_names": GENRES,
        "attributes": {"tags": np.array(["|".join(tags[row]) for row in tagged])},
    }


def _read_tags(content: bytes) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """Which of the tags each artist has, shape (n_artists, n_tags), and the tags."""
    with import_extra("h5py").File(BytesIO(content)) as file:
        tagged = file["label_matrix"][()].T == 1
        letters = [file[reference][()].ravel() for reference in file["lablist"][()].ravel()]
    return tagged, np.array([unescape("".join(map(chr, codes))) for codes in letters])


def _first_genre(tagged: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Take the first genre of GENRES that a tag speaks for, else the last, "other"."""
    has = np.ones((len(tagged), len(GENRES)), dtype=bool)
    for number in range(len(GENRES) - 1):
        has[:, number] = tagged[:, number + 1 == GENRE_OF_TAG].any(axis=1)
    first: NDArray[np.int64] = has.argmax(axis=1)
    return first


def _inferred_names(folder: Path, artists: NDArray[Any]) -> tuple[str, ...] | None:
    content = find_member(folder, "derived_artists.csv")
    if content is None:
        return None
    table = csv.DictReader(content.decode().splitlines())
    name = {int(row["id_1based"]): row["name_inferred"] for row in table}
    return tuple(name[artist] for artist in artists.tolist())


CARELESS_ROUNDS = (13, 16, 19, 20, 23, 26, 60)


"""Rounds of ``survey_data.csv`` that are not in ``T_ALL.csv``."""


CLASSES = {
    "ordinary": (
        *(2, 6, 7, 8, 9, 10, 11, 12, 16, 17, 25, 32, 35, 36, 37, 38, 39, 41, 44, 45, 46, 55),
        *(58, 60),
    ),
    "sports": (15, 19, 20, 28, 40, 42, 47, 48, 49, 50, 51, 52, 54, 56, 59),
    "off-road": (1, 3, 4, 5, 13, 14, 18, 22, 24, 26, 27, 29, 31, 33, 34, 43, 57),
    "outlier": (21, 23, 30, 53),
}


"""The authors' classes; cars count from 1."""


def parse_cars60(folder: Path) -> Parsed:
    """60 cars: the most central of three."""
    lines = read_member(folder, "survey_data.csv").decode().splitlines()
    survey = np.loadtxt(lines, delimiter=",", skiprows=1, usecols=range(5), dtype=np.int64)
    careful = survey[~np.isin(survey[:, 0], CARELESS_ROUNDS)]
    answers = from_most_central(careful[:, 2:] - 1, careful[:, 1] - 1)
    trial = answers.groups["trial"]
    comparisons = Comparisons(answers.rows, groups={"round": careful[trial, 0], "trial": trial})
    found = {
        "statements": len(survey),
        "rounds": len(np.unique(survey[:, 0])),
        "cars": comparisons.n_objects,
        "triplets": len(comparisons),
        "distinct triplets": len(comparisons.merge_repeats()),
    }
    labels = np.empty(comparisons.n_objects, dtype=np.int64)
    for number, members in enumerate(CLASSES.values()):
        labels[np.array(members) - 1] = number
    return found, {"comparisons": comparisons, "labels": labels, "label_names": tuple(CLASSES)}


def parse_movielens100k(folder: Path) -> Parsed:
    """MovieLens 100K: what people thought of films."""
    data = read_member(folder, "u.data").decode().splitlines()
    users, items, values = np.loadtxt(data, dtype=np.int32, usecols=(0, 1, 2)).T
    films = [
        line.split("|") for line in read_member(folder, "u.item").decode("latin-1").splitlines()
    ]
    found = {"ratings": len(values), "users": len(np.unique(users)), "films": len(films)}
    genre_lines = read_member(folder, "u.genre").decode().split()
    genres = np.array([line.split("|")[0] for line in genre_lines])
    flags = np.array([film[-len(genres) :] for film in films]) == "1"
    times = Counter(film[1] for film in films)
    titles = tuple(film[1] if times[film[1]] == 1 else f"{film[1]} [{film[0]}]" for film in films)
    return found, {
        "ratings": Ratings(
            users - 1,
            items - 1,
            values,
            user_names=tuple(str(number + 1) for number in range(users.max())),
            item_names=titles,
        ),
        "names": titles,
        "attributes": {"genres": np.array(["|".join(genres[row]) for row in flags])},
    }


def parse_lastfm2k(folder: Path) -> Parsed:
    """Last.fm-2k: how often people listened to artists."""
    plays = read_member(folder, "user_artists.dat").decode().splitlines()
    user, artist, weight = np.loadtxt(plays, dtype=np.int64, skiprows=1).T
    user_ids, users = np.unique(user, return_inverse=True)
    artist_ids, items = np.unique(artist, return_inverse=True)
    # only line feeds end a line here: some names hold other characters that Python splits at
    lines = read_member(folder, "artists.dat").decode().split("\n")[1:]
    name = {int(row[0]): row[1] for row in (line.split("\t") for line in lines if line)}
    found = {"counts": len(weight), "users": len(user_ids), "artists": len(name)}
    names = tuple(name[number] for number in artist_ids.tolist())
    return found, {
        "ratings": Ratings(
            users,
            items,
            weight,
            user_names=tuple(str(number) for number in user_ids.tolist()),
            item_names=names,
        ),
        "names": names,
    }


def parse_newsgroups20(folder: Path) -> Parsed:
    """20 Newsgroups, sorted by date."""
    members = sorted(read_members(folder, "20news-bydate-t*/*/*"))
    places = [PurePosixPath(name).parts[-3:] for name, _ in members]
    split = np.array([place[0].removeprefix("20news-bydate-") for place in places])
    groups, labels = np.unique([place[1] for place in places], return_inverse=True)
    found = {
        "training texts": int((split == "train").sum()),
        "test texts": int((split == "test").sum()),
        "groups": len(groups),
    }
    return found, {
        "texts": tuple(content.decode("latin-1") for _, content in members),
        "names": tuple(
            f"{part}/{group}/{number}"
            for part, (_, group, number) in zip(split, places, strict=True)
        ),
        "labels": labels,
        "label_names": tuple(groups.tolist()),
        "attributes": {"split": split},
    }


MNIST_FILES = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)


def parse_mnist(folder: Path) -> Parsed:
    """MNIST: handwritten digits."""
    train, train_labels, test, test_labels = (
        _read_idx(read_member(folder, name)) for name in MNIST_FILES
    )
    points = np.concatenate([train, test])
    height, width = points.shape[1:]
    found = {"training images": len(train), "test images": len(test), "pixels": height * width}
    return found, {
        "points": points.reshape(len(points), -1),
        "labels": np.concatenate([train_labels, test_labels]).astype(np.int64),
        "label_names": tuple("0123456789"),
        "image_shape": (height, width),
        "attributes": {
            "split": np.repeat(["train", "test"], [len(train_labels), len(test_labels)])
        },
    }


def _read_idx(content: bytes) -> NDArray[np.uint8]:
    """Decode LeCun's IDX format: two zeros, type, number of axes, their lengths, the bytes."""
    if content[:3] != b"\0\0\x08":
        raise ValueError("not an IDX file of unsigned bytes")
    n_axes = content[3]
    shape = np.frombuffer(content, dtype=">u4", count=n_axes, offset=4)
    return np.frombuffer(content, dtype=np.uint8, offset=4 + 4 * n_axes).reshape(shape)


Part: TypeAlias = tuple[NDArray[Any], NDArray[Any]]


def parse_usps(folder: Path) -> Parsed:
    """USPS: handwritten digits from envelopes."""
    hdf5 = find_member(folder, "usps.h5")
    (train, train_labels), (test, test_labels) = (
        _read_svmlight(folder) if hdf5 is None else _read_hdf5(hdf5)
    )
    found = {"training images": len(train), "test images": len(test), "pixels": train.shape[1]}
    return found, {
        "points": np.concatenate([train, test]).astype(np.float32),
        "labels": np.concatenate([train_labels, test_labels]).astype(np.int64),
        "label_names": tuple("0123456789"),
        "image_shape": (16, 16),
        "attributes": {"split": np.repeat(["train", "test"], [len(train), len(test)])},
    }


def _read_hdf5(content: bytes) -> tuple[Part, Part]:
    with import_extra("h5py").File(BytesIO(content)) as file:
        train, test = (
            (file[part]["data"][()], file[part]["target"][()]) for part in ("train", "test")
        )
    return train, test


def _read_svmlight(folder: Path) -> tuple[Part, Part]:
    """Read the publisher's files: pixels from -1 to 1, and 1 to 10 for the digits 0 to 9."""
    from sklearn.datasets import load_svmlight_files

    contents = [BytesIO(read_member(folder, name)) for name in ("usps", "usps.t")]
    train, train_labels, test, test_labels = load_svmlight_files(contents)
    return (
        ((train.toarray() + 1) / 2, train_labels - 1),
        ((test.toarray() + 1) / 2, test_labels - 1),
    )


DEGREES_PER_VIEW = 5


def parse_coil20(folder: Path) -> Parsed:
    """COIL-20: twenty things on a turntable."""
    reduced = find_member(folder, "COIL20.mat")
    images, objects, views = _read_pictures(folder) if reduced is None else _read_reduced(reduced)
    found = {"images": len(images), "objects": len(np.unique(objects))}
    height, width = images.shape[1:]
    return found, {
        "points": images.reshape(len(images), -1),
        "labels": objects - 1,
        "label_names": tuple(f"object {number}" for number in range(1, objects.max() + 1)),
        "image_shape": (height, width),
        "attributes": {"angle": views * DEGREES_PER_VIEW},
    }


def _read_reduced(content: bytes) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Images, objects and views of the reduced copy, whose views of one object are in order."""
    table = read_mat(content)
    objects = table["Y"].ravel().astype(np.int64)
    views = np.concatenate([np.arange(n) for n in np.unique(objects, return_counts=True)[1]])
    return upright(table["X"]), objects, views


def _read_pictures(folder: Path) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Images, objects and views of the published files ``obj<object>__<view>.png``."""
    from matplotlib.image import imread

    pictures = {}
    for name, content in read_members(folder, "obj*__*.png"):
        thing, view = map(int, re.findall(r"\d+", Path(name).stem))
        pictures[thing, view] = np.round(imread(BytesIO(content)) * 255).astype(np.uint8)
    objects, views = np.array(sorted(pictures)).T
    return np.stack([pictures[key] for key in sorted(pictures)]), objects, views


def parse_isomap_faces(folder: Path) -> Parsed:
    """ISOMAP faces: a head under changing pose and light."""
    reduced = find_member(folder, "face_1024.mat")
    if reduced is None:
        table = read_mat(read_member(folder, "face_data.mat"))
        pixels, pose, light = table["images"], table["poses"], table["lights"]
    else:
        table = read_mat(reduced)
        # the copy does not say which of its three values is which; the images do: the first moves
        # the shadow, the second turns the head left and right, the third up and down
        pixels, pose, light = table["dataY"], table["dataT"][1:], table["dataT"][:1]
    found = {"images": pixels.shape[1], "values of pose and light": len(pose) + len(light)}
    images = upright(pixels.T)
    height, width = images.shape[1:]
    return found, {
        "points": images.reshape(len(images), -1),
        "image_shape": (height, width),
        "attributes": {"pose": pose.T, "light": light.T},
    }


ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def parse_letters(folder: Path) -> Parsed:
    """Letters: printed capitals, described by sixteen numbers each."""
    text = read_member(folder, "letter-recognition.data").decode("ascii")
    rows = [line.split(",") for line in text.split()]
    labels = np.array([ALPHABET.index(letter) for letter, *_ in rows])
    points = np.array([features for _, *features in rows], dtype=np.uint8)
    counts = np.bincount(labels, minlength=len(ALPHABET)).tolist()
    found = {f"letters {letter}": n for letter, n in zip(ALPHABET, counts, strict=True)}
    return {"features": points.shape[1], **found}, {
        "points": points,
        "labels": labels,
        "label_names": tuple(ALPHABET),
    }


def parse_things(folder: Path) -> Parsed:
    """THINGS: which of three objects is the odd one."""
    table = read_member(folder, "items1854names.tsv").decode("utf-8-sig").splitlines()
    _, *objects = csv.reader(table, dialect="excel-tab")
    names = tuple(columns[5] for columns in objects)
    lines = read_member(folder, "data1854_batch5_test10.txt").decode("ascii").splitlines()
    rows = np.loadtxt(lines, ndmin=2).astype(np.int64)
    return {"trials": len(rows), "objects": len(names)}, {
        "trials": Trials(rows, n_objects=len(names), names=names),
        "names": names,
    }
