"""Dimensions that people can name: sparse and non-negative, from odd-one-out trials."""
