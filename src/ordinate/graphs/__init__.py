"""Neighbour graphs and their local ordinal embedding."""
