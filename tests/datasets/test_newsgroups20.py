import ordinate as od

FILES = {
    "20news-bydate-test/sci.space/60000": b"Lift-off",
    "20news-bydate-test/alt.atheism/53068": "Café".encode("latin-1"),
    "20news-bydate-train/sci.space/60001": b"From: me\n\nOrbit",
}
COUNTS = {"training_texts": 1, "test_texts": 2, "groups": 2}


def check(dataset):
    assert dataset.texts == ("Café", "Lift-off", "From: me\n\nOrbit")
    assert dataset.names == (
        "test/alt.atheism/53068",
        "test/sci.space/60000",
        "train/sci.space/60001",
    )
    assert dataset.labels.tolist() == [0, 1, 1]
    assert dataset.label_names == ("alt.atheism", "sci.space")
    assert dataset.attributes["split"].tolist() == ["test", "test", "train"]


def test_an_archive_as_published_is_read(publish, tarred):
    archive = {"20news-bydate.tar.gz": tarred(FILES)}
    check(od.datasets.load_newsgroups20(publish("newsgroups20", archive, **COUNTS)))


def test_an_unpacked_archive_is_read(recount, tmp_path):
    for name, content in FILES.items():
        path = tmp_path / "newsgroups20" / name
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
    counts = {"training texts": 1, "test texts": 2, "groups": 2}
    recount("newsgroups20", counts)
    check(od.datasets.load_newsgroups20(tmp_path))
