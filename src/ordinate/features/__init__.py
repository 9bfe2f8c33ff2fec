"""Feature vectors, and their reduction to a map."""
