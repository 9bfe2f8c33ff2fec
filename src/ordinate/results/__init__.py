"""What a verb found: statements, tables and figures, shown alike at every door."""
