"""Templates: text of users is escaped, and nothing is left out silently."""

import jinja2
import pytest

from ordinate._pages import fill_page

PARTS = {"style": "", "contents": "", "scripts": ["1 < 2"]}


def test_titles_are_escaped_and_scripts_are_not():
    page = fill_page("ordinate.plots", "map.html", title="<b>&", **PARTS)
    assert "<title>&lt;b&gt;&amp;</title>" in page
    assert "<script>1 < 2</script>" in page


def test_a_missing_part_is_an_error():
    with pytest.raises(jinja2.UndefinedError, match="title"):
        fill_page("ordinate.plots", "map.html", **PARTS)
