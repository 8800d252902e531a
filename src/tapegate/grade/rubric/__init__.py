"""The rubric's arithmetic: samples to scores, scores to a run's readiness. Exact from the first number to the last."""
