"""Engines sum a loss and its gradient over all comparisons."""
