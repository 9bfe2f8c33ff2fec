"""Ordinal embedding through a Gram matrix of inner products."""
