"""Wire formats of providers and agents, read into trace events."""
