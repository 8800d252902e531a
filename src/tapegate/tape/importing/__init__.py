"""Recordings of other tools, read without trust and written as ours."""
