import pandas as pd
import pytest

import ordinate as od

FRAME = pd.DataFrame({"who": ["b", "a", "a"], "what": [10, 10, 20], "stars": [1.5, 4, 3]})


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "parquet"])
def test_all_formats_give_the_same_ratings(tmp_path, ending):
    path = tmp_path / f"ratings.{ending}"
    if ending == "parquet":
        FRAME.to_parquet(path)
    else:
        FRAME.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
    ratings = od.read_ratings(path, user="who", item="what", value="stars")
    assert ratings.user_names == ("a", "b")
    assert ratings.item_names == (10, 20)
    assert ratings.values.tolist() == [4, 3, 1.5]


def test_labels_are_kept_in_natural_order(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text("user,item,rating\n017,item10,1\n2,item2,3\n017,item2,2\n2,item10,5\n")
    ratings = od.read_ratings(path)
    assert ratings.user_names == ("2", "017")
    assert ratings.item_names == ("item2", "item10")
    path.write_text("user,item,rating\n1500000000,7,1\n1500000000,30,2\n")
    assert od.read_ratings(path).item_names == (7, 30)


def test_mistakes_name_the_file_and_the_line(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("# remark\nuser,item,rating\na,b,1\na,,2\n")
    with pytest.raises(od.InputError, match=r"r\.csv: Line 4 has no entry in column 'item'"):
        od.read_ratings(path)


def test_mistakes_name_the_file(tmp_path):
    path = tmp_path / "r.csv"
    FRAME.to_csv(path, index=False)
    with pytest.raises(od.InputError, match=r"r\.csv: There is no column 'user'"):
        od.read_ratings(path)
    with pytest.raises(od.InputError, match=r"none\.csv: There is no such file"):
        od.read_ratings(tmp_path / "none.csv")
    with pytest.raises(od.InputError, match="not that of a known format"):
        od.read_ratings(tmp_path / "r.pickle")


@pytest.mark.parametrize("times", ["", "\t881250949"])
def test_bare_columns_are_users_items_values_and_times(tmp_path, times):
    path = tmp_path / "u.data"
    path.write_text("".join(f"{row}{times}\n" for row in ("196\t242\t3", "186\t302\t3")))
    found = od.read_ratings(path)
    assert found.user_names == (186, 196)
    assert found.item_names == (242, 302)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("userId,movieId,rating,timestamp\n1,31,2.5,1260759144\n7,10,3,1260759179\n", [2.5, 3]),
        ("userID\tartistID\tweight\n1\t31\t13883\n7\t10\t11690\n", [13883, 11690]),
        ("1::31::5::978300760\n7::10::3::978302109\n", [5, 3]),
        ("user_id,item\n1,31\n7,10\n", [1, 1]),
        ("1\t31\n7\t10\n", [1, 1]),
    ],
    ids=["MovieLens", "Last.fm", "MovieLens 1M", "pairs", "bare pairs"],
)
def test_files_of_published_sets_are_read_as_they_are(tmp_path, text, values):
    path = tmp_path / "ratings.dat"
    path.write_text(text)
    found = od.read_ratings(path)
    assert found.user_names == (1, 7)
    assert found.item_names == (10, 31)
    assert found.values.tolist() == values


def test_two_columns_that_may_be_meant_are_refused(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text("user,item,count,weight\n1,31,2,4\n7,10,3,4\n")
    with pytest.raises(od.InputError, match="no column 'rating'; there are 'user', 'item'"):
        od.read_ratings(path)
    with pytest.raises(od.InputError, match="no column 'stars'"):
        od.read_ratings(path, value="stars")
