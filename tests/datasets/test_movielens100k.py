import ordinate as od

FILES = {
    "ml-100k/u.data": b"2\t1\t5\t881250949\n1\t3\t2\t891717742\n2\t2\t4\t878887116\n",
    "ml-100k/u.item": (
        b"1|Twins (1988)|d||u|0|1\n2|Am\xe9lie|d||u|1|1\n3|Twins (1988)|d||u|0|0\n"  # latin-1
    ),
    "ml-100k/u.genre": b"Action|0\nChildren's|1\n\n",
}


def test_an_archive_as_published_is_read(publish, zipped):
    archive = {"ml-100k.zip": zipped(FILES)}
    dataset = od.datasets.load_movielens100k(
        publish("movielens100k", archive, ratings=3, users=2, films=3)
    )
    ratings = dataset.ratings
    assert ratings.users.tolist() == [0, 1, 1]
    assert ratings.items.tolist() == [2, 0, 1]
    assert ratings.values.tolist() == [2, 5, 4]
    assert ratings.user_names == ("1", "2")
    assert ratings.item_names == ("Twins (1988) [1]", "Amélie", "Twins (1988) [3]")
    assert dataset.names == ratings.item_names
    assert dataset.attributes["genres"].tolist() == ["Children's", "Action|Children's", ""]
