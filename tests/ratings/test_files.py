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


def test_mistakes_name_the_file(tmp_path):
    path = tmp_path / "r.csv"
    FRAME.to_csv(path, index=False)
    with pytest.raises(od.InputError, match=r"r\.csv: There is no column 'user'"):
        od.read_ratings(path)
    with pytest.raises(od.InputError, match=r"none\.csv: There is no such file"):
        od.read_ratings(tmp_path / "none.csv")
    with pytest.raises(od.InputError, match="not that of a known format"):
        od.read_ratings(tmp_path / "r.xlsx")
