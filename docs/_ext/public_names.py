"""Fail the build when a public name has no place in the API reference."""

from types import ModuleType

from sphinx.util import logging

import ordinate


def public_names():
    """Every name that users may import, with the package they import it from."""
    packages = {"ordinate": ordinate}
    for name in ordinate.__all__:
        value = getattr(ordinate, name)
        if isinstance(value, ModuleType):
            packages[f"ordinate.{name}"] = value
    for package, module in packages.items():
        for name in module.__all__:
            if f"{package}.{name}" not in packages:
                yield f"{package}.{name}"


def check(app, env):
    documented = env.get_domain("py").objects
    for name in public_names():
        if name not in documented:
            logging.getLogger(__name__).warning("%s is public but in no page of docs/api", name)


def setup(app):
    app.connect("env-check-consistency", check)
    return {"parallel_read_safe": True}
