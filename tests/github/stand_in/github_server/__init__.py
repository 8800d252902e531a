"""A small GitHub on loopback, for tests: see `server`."""

from github_server.server import GitHubServer
from github_server.state import Pull, Repository, Token

__all__ = ["GitHubServer", "Pull", "Repository", "Token"]
