"""One analysis of a study: choose, fit, judge, say how sure, write it down."""
