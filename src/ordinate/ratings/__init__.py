"""Ratings, and maps of users and items together."""
