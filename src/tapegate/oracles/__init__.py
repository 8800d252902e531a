"""Deterministic checks of a trace: one file a metric, one catalog."""
