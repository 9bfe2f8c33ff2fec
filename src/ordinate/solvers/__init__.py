"""Solvers minimise callables; they know neither methods nor comparisons."""
