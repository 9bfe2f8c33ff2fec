import io

import h5py
import numpy as np
import pytest
from scipy.io import savemat

import ordinate as od


def triplet_file(rows):
    file = io.BytesIO()
    savemat(file, {"triplets": np.array(rows, dtype=np.uint16)})
    return file.getvalue()


def label_file(tagged, tags):
    """Write like MATLAB 7.3: transposed, and text as references to arrays of letters."""
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        file["label_matrix"] = np.array(tagged, dtype=np.uint8).T
        references = np.empty((1, len(tags)), dtype=h5py.ref_dtype)
        for number, tag in enumerate(tags):
            letters = file.create_dataset(f"#refs#/{number}", data=[[ord(c)] for c in tag])
            references[0, number] = letters.ref
        file.create_dataset("lablist", data=references, dtype=h5py.ref_dtype)
    return buffer.getvalue()


ROWS = [[5, 1, 2], [1, 1, 2], [2, 5, 6]]
TAGS = [f"tag {number}" for number in range(57)] + ["r&amp;b"]


@pytest.fixture
def toolbox(zipped):
    tagged = np.zeros((6, 58), dtype=bool)
    tagged[0, [0, 9]] = True  # hiphop and pop: pop comes first
    tagged[1, 57] = True  # hiphop
    tagged[4, 1] = True  # rock
    return zipped(
        {
            "STE_Release/data/music_triplets.mat": triplet_file(ROWS),
            "STE_Release/data/music_labels.mat": label_file(tagged, TAGS),
        }
    )


COUNTS = {"rows": 3, "rows_that_repeat_an_artist": 1, "artists": 4, "tags": 58}


def test_an_archive_as_published_is_read(publish, toolbox):
    dataset = od.datasets.load_music400(publish("music400", {"STE_Release.zip": toolbox}, **COUNTS))
    # artists 1, 2, 5 and 6 are compared; the row that repeats one is left out
    assert dataset.comparisons.rows.tolist() == [[2, 0, 1], [1, 2, 3]]
    assert dataset.comparisons.n_objects == 4
    genres = [dataset.label_names[label] for label in dataset.labels]
    assert genres == ["pop", "hiphop", "rock", "other"]
    assert dataset.attributes["tags"].tolist() == ["tag 0|tag 9", "r&b", "tag 1", ""]
    assert dataset.names is None


def test_names_that_somebody_inferred(publish, toolbox):
    home = publish("music400", {"STE_Release.zip": toolbox}, **COUNTS)
    table = "id_1based,name_inferred\n" + "".join(f"{n},artist {n}\n" for n in range(1, 7))
    (home / "music400").mkdir(parents=True)
    (home / "music400" / "derived_artists.csv").write_text(table)
    dataset = od.datasets.load_music400(home)
    assert dataset.names == dataset.comparisons.names
    assert dataset.names == ("artist 1", "artist 2", "artist 5", "artist 6")
