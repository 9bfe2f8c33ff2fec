"""Fill in the templates of web pages."""

from __future__ import annotations

from importlib.resources import files


def fill_page(package: str, name: str, /, **values: object) -> str:
    """Fill in a template of Jinja; text is escaped unless the template says ``safe``."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    folder = files(package) / "page"
    templates = Environment(
        loader=FunctionLoader(lambda part: (folder / part).read_text(encoding="utf-8")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return templates.get_template(name).render(**values)
