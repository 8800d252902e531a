"""The evaluation standard as checks."""
