"""Directive `command-help`: the help text of a command, asked from the command itself."""

import os
from unittest import mock

from docutils import nodes
from docutils.parsers.rst import Directive
from typer.testing import CliRunner

from ordinate.cli import app


class CommandHelp(Directive):
    """Shows what `ordinate <verb> --help` prints, so that the page cannot fall behind."""

    optional_arguments = 2

    def run(self):
        plain = {"TERMINAL_WIDTH": "88", "COLUMNS": "88", "NO_COLOR": "1", "TERM": "dumb"}
        with mock.patch.dict(os.environ, plain):
            result = CliRunner().invoke(app, [*self.arguments, "--help"], prog_name="ordinate")
        if result.exit_code != 0:
            raise self.error(f"ordinate {self.arguments} --help failed: {result.output}")
        text = "\n".join(line.rstrip() for line in result.output.strip("\n").splitlines())
        block = nodes.literal_block(text, text)
        block["language"] = "text"
        return [block]


def setup(app):
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True}
