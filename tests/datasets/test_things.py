import ordinate as od

NAMES = (
    "Word\tWord synset\tWordnet ID\tWordnet ID2\tWordnet ID3\tuniqueID\n"
    "bat\tbat.n.01\tn1\t\t\tbat1\nbat\tbat.n.05\tn2\t\t\tbat2\ntea\ttea.n.01\tn3\t\t\ttea\n"
)


def test_files_as_published_are_read_with_the_odd_one_last(publish, tmp_path):
    files = {"data1854_batch5_test10.txt": b"0 1 2\n2 0 1\n", "items1854names.tsv": NAMES.encode()}
    dataset = od.datasets.load_things(publish("things", files, trials=2, objects=3))
    assert repr(dataset) == "Dataset(things: 2 trials, 3 objects)"
    assert dataset.names == tuple(dataset.trials.names) == ("bat1", "bat2", "tea")
    assert dataset.trials.rows[1].tolist() == [2, 0, 1]
    answers = dataset.tables()["answers"]
    assert [column[1] for column in answers.values()] == ["tea", "bat1", "bat2", "bat2"]
    path = tmp_path / "answers.csv"
    rows = zip(*answers.values(), strict=True)
    path.write_text("\n".join([",".join(answers), *(",".join(row) for row in rows)]))
    read = od.read_trials(path)
    assert read.names[read.rows[1, 2]] == "bat2"
