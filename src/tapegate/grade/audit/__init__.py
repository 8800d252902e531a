"""The weekly audit: a few answers put before the judge, deterministic graders beside it, and the recordings' age."""
