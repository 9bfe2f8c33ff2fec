"""Mathematics as MathML: browsers draw it themselves, without a script, a font or a network."""

import latex2mathml.converter
from docutils import nodes


def convert(node, display):
    """Return a formula as MathML."""
    latex = node.astext().strip()
    if "\\\\" in latex or "&" in latex:
        latex = rf"\begin{{aligned}}{latex}\end{{aligned}}"
    return latex2mathml.converter.convert(latex, display=display)


def write_inline(self, node):
    """Write a formula within a line."""
    self.body.append(convert(node, "inline"))
    raise nodes.SkipNode


def write_display(self, node):
    """Write a formula of its own, which may be wider than a phone."""
    self.body.append(f'<div class="math">{convert(node, "block")}</div>')
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (write_inline, None), (write_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
