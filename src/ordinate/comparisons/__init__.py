"""The record every method takes: in memory or in partitions, and what is in it."""
