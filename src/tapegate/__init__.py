"""Gate pull requests that change an LLM agent, by replaying recorded provider traffic."""

__version__ = "0.1.0"
