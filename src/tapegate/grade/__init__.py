"""Outcomes to verdicts, verdicts to the gate."""
