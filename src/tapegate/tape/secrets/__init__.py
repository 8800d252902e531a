"""Secrets: the known key formats, the values that a project declares, and the encodings that either may wear."""
