"""Runs a program whose clients hear a recording in this process, and nothing else: `inside.py PROGRAM TAPE`.

TAPE is a JSON file: the cassette's bytes in base64, and the address of each service. The last line on standard output
holds the facts of the replay.
"""

import base64
import json
import os
import runpy
import sys
from pathlib import Path

from tapegate.doors import in_process
from tapegate.tape.ledger import Ledger

program, tape = sys.argv[1:]
job = json.loads(Path(tape).read_bytes())
facts = []
ledger = Ledger(facts.append)
in_process.install()
in_process.shut(ledger.attempted)
matching = {
    "routes": job["routes"],
    "normalisers": [],
    "secrets": [],
    "faults": [],
    "lanes": {},
    "pace": "at_once",
    "match": "exact",
}
in_process.hear(matching, base64.b64decode(job["cassette"]), ledger)
runpy.run_path(program, run_name="__main__")
print(json.dumps(facts))
sys.stdout.flush()
os._exit(0)
