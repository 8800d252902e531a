"""One file a format, each a pure function of a frozen run."""
