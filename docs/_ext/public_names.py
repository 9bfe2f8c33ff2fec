"""Every public name, and a check that fails the build when one is in no page of the reference."""

import importlib
import inspect
import pkgutil

import ordinate


def public_names():
    """Yield every name that users may import, with the module they import it from."""
    modules = {info.name for info in pkgutil.iter_modules(ordinate.__path__)}
    for name in ordinate.__all__:
        if name in modules:
            module = importlib.import_module(f"ordinate.{name}")
            yield from (f"ordinate.{name}.{inner}" for inner in _names_in(module))
        else:
            yield f"ordinate.{name}"


def _names_in(module):
    if hasattr(module, "__all__"):
        return module.__all__
    functions = inspect.getmembers(module, inspect.isfunction)
    return [
        name
        for name, function in functions
        if function.__module__ == module.__name__ and not name.startswith("_")
    ]


def _check(app, env):
    from sphinx.util import logging

    spellings = {}
    for name in public_names():
        spellings.setdefault(id(pkgutil.resolve_name(name)), []).append(name)
    documented = env.get_domain("py").objects
    for names in spellings.values():
        if not any(name in documented for name in names):
            logging.getLogger(__name__).warning(
                "%s is public but in no page of docs/api", " or ".join(names)
            )


def setup(app):
    app.connect("env-check-consistency", _check)
    return {"parallel_read_safe": True}
