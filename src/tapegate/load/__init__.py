"""Files to a suite, every problem at file:line."""
