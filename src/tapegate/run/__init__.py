"""Plan, trial, workers: from tasks to traces."""
