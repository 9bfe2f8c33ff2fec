"""Directive `estimator-table`: which methods every public estimator has."""

import inspect

from docutils.parsers.rst.directives.tables import CSVTable
from docutils.statemachine import StringList

import ordinate
from ordinate._estimator import BaseEstimator

METHODS = ("fit", "predict", "predict_proba", "score", "transform", "partial_fit", "to_frame")


class EstimatorTable(CSVTable):
    """A table made from the classes, so that it cannot fall behind."""

    has_content = False

    def run(self):
        public = {name: getattr(ordinate, name) for name in sorted(ordinate.__all__)}
        rows = [
            ",".join([name, *("yes" if hasattr(kind, method) else "" for method in METHODS)])
            for name, kind in public.items()
            if inspect.isclass(kind) and issubclass(kind, BaseEstimator)
        ]
        self.options["header"] = ",".join(["estimator", *METHODS])
        self.content = StringList(rows, source=__file__)
        return super().run()


def setup(app):
    app.add_directive("estimator-table", EstimatorTable)
    return {"parallel_read_safe": True}
