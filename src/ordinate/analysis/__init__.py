"""One analysis of a study: choose, fit, judge, measure the uncertainty, report."""
