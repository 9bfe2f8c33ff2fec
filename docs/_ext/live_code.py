"""Directives `shell` and `python`: run their content while the page is read, and show what it gave.

Each page has a folder of its own, docs/auto_pages/<page>, empty at the page's first directive. The
commands and the Python code of a page share it, so a file that one of them writes can be read by
the next, and a picture can be shown with ``.. image:: /auto_pages/<page>/picture.png``. A command
or a line of Python that fails, fails the build.
"""

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import traceback
from pathlib import Path
from typing import ClassVar
from unittest import mock

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective
from typer.testing import CliRunner

from ordinate.cli import app

FOLDER = "auto_pages"
PLAIN = {"COLUMNS": "96", "NO_COLOR": "1", "TERM": "dumb"}


class LiveDirective(SphinxDirective):
    """Runs its content in the page's folder; `:hidden:` shows nothing of it."""

    has_content = True
    option_spec: ClassVar = {"hidden": directives.flag}

    def run(self):
        shown = self.execute(self.page())
        return [] if "hidden" in self.options else shown

    def page(self):
        """Return the page's folder and Python names, made when first asked for."""
        if "live_code" not in self.env.temp_data:
            folder = Path(self.env.srcdir, FOLDER, self.env.docname)
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            if "matplotlib.pyplot" in sys.modules:
                sys.modules["matplotlib.pyplot"].close("all")
            self.env.temp_data["live_code"] = folder, {"__name__": "__main__"}
        return self.env.temp_data["live_code"]

    def block(self, text, language):
        block = nodes.literal_block(text, text, classes=[f"live-{language}"])
        block["language"] = language
        return block


class Shell(LiveDirective):
    """Runs each line with bash; ``$HERE`` is the folder of the page's source."""

    def execute(self, page):
        folder, _ = page
        commands = re.sub(r"\\\n\s*", "", "\n".join(self.content)).splitlines()
        said = [f"$ {command}\n{self.output_of(command, folder)}" for command in commands]
        return [self.block("\n".join(said).rstrip(), "console")]

    def output_of(self, command, folder):
        if re.fullmatch(r"ordinate [^|><&;]+", command):
            return self.output_of_ordinate(command, folder)
        here = str(Path(self.env.doc2path(self.env.docname)).parent)
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=os.environ | PLAIN | {"HERE": here, "PATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return self.checked(command, done.returncode, done.stdout)

    def output_of_ordinate(self, command, folder):
        """Run our own command in this process, where its imports are paid for already."""
        with contextlib.chdir(folder), mock.patch.dict(os.environ, PLAIN):
            done = CliRunner().invoke(app, shlex.split(command)[1:], prog_name="ordinate")
        return self.checked(command, done.exit_code, done.output or str(done.exception))

    def checked(self, command, code, output):
        if code != 0:
            raise self.error(f"{command!r} ended with {code}: {output}")
        return "".join(f"{line.rstrip()}\n" for line in output.splitlines())


class Python(LiveDirective):
    """Runs Python code, in the same namespace all over the page, and shows what it printed."""

    def execute(self, page):
        folder, namespace = page
        code, printed = "\n".join(self.content), io.StringIO()
        try:
            with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
                exec(compile(code, self.env.docname, "exec"), namespace)
        except Exception as error:
            raise self.error(f"{code}\n{traceback.format_exc()}") from error
        blocks = [self.block(code, "python")]
        if printed.getvalue():
            blocks.append(self.block(printed.getvalue().rstrip(), "text"))
        return blocks


def setup(app):
    app.add_directive("shell", Shell)
    app.add_directive("python", Python)
    return {"parallel_read_safe": True}
