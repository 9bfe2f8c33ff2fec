"""Ordinal embedding: one loss summed over comparisons, minimised over coordinates."""
