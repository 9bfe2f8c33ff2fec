import ordinate as od

FILES = {
    "user_artists.dat": b"userID\tartistID\tweight\r\n2\t51\t13883\r\n9\t7\t12\r\n2\t7\t1\r\n",
    # a name with a character at which str.splitlines would break, and one with quotes
    "artists.dat": 'id\tname\turl\tpictureURL\n7\tBj\u0085rk\tu\tp\n51\t"Weird"\tu\tp\n'.encode(),
}


def test_an_archive_as_published_is_read(publish, zipped):
    archive = {"hetrec2011-lastfm-2k.zip": zipped(FILES)}
    dataset = od.datasets.load_lastfm2k(publish("lastfm2k", archive, counts=3, users=2, artists=2))
    ratings = dataset.ratings
    assert ratings.users.tolist() == [0, 0, 1]
    assert ratings.items.tolist() == [0, 1, 0]
    assert ratings.values.tolist() == [1, 13883, 12]
    assert ratings.user_names == ("2", "9")
    assert ratings.item_names == dataset.names == ("Bj\u0085rk", '"Weird"')
