"""`python -m paperdesk.scripted_model`: rules behind the API of a model provider, no language model."""

from __future__ import annotations

import argparse
import sys

from paperdesk.loopback import serve
from paperdesk.scripted_model.server import create_app
from paperdesk.scripted_model.wire import MODEL


def main() -> int:
    """Serve on 127.0.0.1 until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m paperdesk.scripted_model", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one (default: %(default)s)")
    parser.add_argument("--pace", type=float, default=1, help="multiplies the pauses between chunks")
    options = parser.parse_args()
    try:
        serve(create_app(options.pace), "127.0.0.1", options.port, f"{MODEL} (scripted rules, no LLM)")
    except OSError as error:
        print(f"scripted_model: port {options.port} cannot be used: {error.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
