"""What several rooms minimise, sample or place new objects with."""
