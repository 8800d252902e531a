"""Serves an application with uvicorn, and says where, once it can be reached."""

from __future__ import annotations

import socket
import sys

import uvicorn
from starlette.types import ASGIApp


def serve(app: ASGIApp, host: str, port: int, name: str) -> None:
    """Serve until interrupted. Port 0 takes a free one; the line printed names it.

    Raises `OSError` when the address is taken.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family)
    where = f"[{host}]" if ":" in host else host
    print(f"{name} on http://{where}:{listener.getsockname()[1]}", flush=True)  # connections queue from here on
    config = uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=2)
    try:
        uvicorn.Server(config).run(sockets=[listener])
    except KeyboardInterrupt:
        sys.exit(130)
