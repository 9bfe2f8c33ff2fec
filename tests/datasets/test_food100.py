import json

import pytest

import ordinate as od


def screen(probe, images, chosen, catch=False):
    return {"probe": probe, "images": images, "near_answer": chosen, "is_catchtrial": catch}


HITS = [
    {
        "worker_id": 330,
        "HIT_screens": [
            screen("d.jpg", ["a.jpg", "b.jpg", "c.jpg"], ["b.jpg", "c.jpg"]),
            screen("a.jpg", ["b.jpg", "c.jpg"], ["c.jpg"], catch=True),
        ],
    },
    {
        "worker_id": 12,
        "HIT_screens": [screen("a.jpg", ["b.jpg", "c.jpg", "d.jpg"], ["b.jpg", "d.jpg"])],
    },
]
MORE_HITS = [{"worker_id": 330, "HIT_screens": [screen("d.jpg", ["a.jpg", "b.jpg"], ["a.jpg"])]}]
COUNTS = {
    "screens": 3,
    "dishes": 4,
    "triplets": 5,
    "distinct_triplets": 5,
    "contradictions": 1,
}


@pytest.fixture
def archive(zipped):
    folder = "food100-dataset/raw-json"
    return zipped(
        {
            "food100-dataset/README.md": b"",
            f"{folder}/grid4force1_rep1_food.json": json.dumps(MORE_HITS).encode(),
            f"{folder}/grid12force1_rep1_food.json": json.dumps(HITS).encode(),
            "food100-dataset/all-triplets.csv": b"a.jpg;b.jpg;c.jpg\n",
        }
    )


def test_an_archive_as_published_is_read(publish, archive):
    home = publish("food100", {"food100-dataset.zip": archive}, **COUNTS)
    dataset = od.datasets.load_food100(home)
    assert dataset.names == dataset.comparisons.names == ("a.jpg", "b.jpg", "c.jpg", "d.jpg")
    expected = [[3, 1, 0], [3, 2, 0], [0, 1, 2], [0, 3, 2], [3, 0, 1]]
    assert dataset.comparisons.rows.tolist() == expected
    assert dataset.comparisons.groups["participant"].tolist() == [330, 330, 12, 12, 330]
    assert dataset.comparisons.groups["trial"].tolist() == [0, 0, 1, 1, 2]


def test_a_truncated_copy_is_refused(publish, archive):
    home = publish("food100", {"food100-dataset.zip": archive}, **COUNTS | {"triplets": 6})
    with pytest.raises(od.InputError, match=r"Expected 6 triplets as published; .* have 5"):
        od.datasets.load_food100(home)


def test_another_form_is_refused(publish, zipped):
    strange = zipped({"food100-dataset/raw-json/one.json": b'[{"worker": 1}]'})
    home = publish("food100", {"food100-dataset.zip": strange}, **COUNTS)
    with pytest.raises(od.InputError, match=r"not as published \(KeyError: 'HIT_screens'\)"):
        od.datasets.load_food100(home)
