"""Read and write: formats, tables, layouts of answers, labels, coordinates."""
