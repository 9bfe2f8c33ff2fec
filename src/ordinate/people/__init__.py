"""People who differ: an own weight of every axis, groups with a map each, several views."""
