"""One dimension: a scale of items from answers about two of them."""
