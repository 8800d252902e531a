"""The runner: how subjects are started for a trial, and that no trial sees another."""

from __future__ import annotations

import copy
import json
import os
import sys

import pytest

from tapegate.doors.guard.levels import best
from tapegate.errors import LoadError
from tapegate.run import runner as runner_module
from tapegate.run import warm
from tapegate.run.replay import Replayer
from tapegate.run.runner import Runner


@pytest.fixture
def starts(monkeypatch):
    """The workers of Python subjects that were started, warm or not."""
    from tapegate.subject.python import PythonWorker

    made = []
    enter = PythonWorker.__enter__

    def counted(self):
        made.append("warm" if self._warm else "alone")
        return enter(self)

    monkeypatch.setattr(PythonWorker, "__enter__", counted)
    return made


def answers(kit) -> list[str]:
    """What every trial of the kit answers, in the order of its tasks."""
    suite = kit.suite()
    with Runner(suite) as runner:
        replayer = Replayer(suite, runner)
        return [replayer.replay(trial).text for trial in kit.trials(suite)]


def test_a_warm_worker_serves_all_trials_one_after_the_other(kit, starts):
    """Imported once; and what a trial changed in the module, in its variables or its folder, the next does not see."""
    kit.agent(
        "import os\nseen = []\ndef ask(input):\n    seen.append(input)\n    os.environ['SEEN'] = input\n"
        "    open('seen', 'a').write(input)\n"
        "    return f'{seen} {os.environ[\"SEEN\"]} {sorted(os.listdir())}'\n"
    )
    for name in ("T-1", "T-2", "T-3"):
        kit.task(name, input=name).pretend(name)
    assert answers(kit) == [f"['{name}'] {name} ['seen']" for name in ("T-1", "T-2", "T-3")]
    assert starts == ["warm"]


@pytest.mark.parametrize("import_time", ["threading.Thread(target=time.sleep, args=(60,), daemon=True).start()", "1/0"])
def test_an_agent_that_may_not_be_forked_is_started_for_each_trial(kit, starts, import_time):
    """Found out once; an import that fails is told by the trial that needs it."""
    kit.agent(f"import threading, time\n{import_time}\ndef ask(input):\n    return 'x'\n").task("T-2")
    for name in ("T-1", "T-2"):
        kit.pretend(name)
    kit.judge()
    assert starts == ["warm", "alone", "alone"]


def test_a_worker_whose_home_was_written_to_is_not_used_again(kit, starts):
    """A folder that the agent learned of while it was imported would carry what one trial wrote to the next."""
    kit.agent(
        "import pathlib\nCACHE = pathlib.Path.home() / 'cache'\ndef ask(input):\n"
        "    found = CACHE.exists()\n    CACHE.write_text(input)\n    return f'{found}'\n"
    )
    for name in ("T-1", "T-2"):
        kit.task(name).pretend(name)
    assert answers(kit) == ["False", "False"]
    assert starts == ["warm", "warm"]


def test_a_worker_that_was_too_slow_once_is_not_used_again(kit, starts):
    """Whatever kept it busy may still do so."""
    kit.agent("import time\ndef ask(input):\n    time.sleep(float(input))\n    return 'x'\n")
    kit.subject["timeout_s"] = 1
    for name, pause in (("T-1", "60"), ("T-2", "0")):
        kit.task(name, input=pause).pretend(name)
    answers(kit)
    assert starts == ["warm", "warm"]


def test_what_a_subject_sees_of_the_harness_is_the_same_in_every_run(kit):
    """The lane in its base URL names the trial, and nothing counts how many were before it."""
    kit.agent("import os\ndef ask(input):\n    return os.environ['MODEL_URL']\n").over_http()
    for name in ("T-1", "T-2"):
        kit.task(name, trials=1).pretend(name)
    first, second = answers(kit)
    assert first.endswith("/T-1~A1~1/model")
    assert second.endswith("/T-2~A1~1/model")
    if best("http") == "namespace":
        assert first.startswith("http://127.0.0.1:18400/")


@pytest.mark.parametrize("kind", ["python", "http", "command"])
def test_libraries_are_preloaded_for_every_kind_of_subject(kit, kind):
    """An agent of any kind starts with them imported, and its own modules are imported in its own process."""
    kit.agent("import sys\nKNOWN = 'wave' in sys.modules\ndef ask(input):\n    return f'{KNOWN} {input}'\n")
    kit.task("T-1", trials=1).pretend()
    if kind == "http":
        kit.over_http()
    elif kind == "command":
        (kit.root / "src" / "program.py").write_text("import agent, sys\nprint(agent.ask(sys.argv[1]), end='')\n")
        command = ["{python}", "{project}/src/program.py", "{input}"]
        kit.config["subjects"]["agent"] = {"kind": "command", "command": command, "stream": "text"}
    assert answers(kit) == ["False hello"]
    kit.config["preload"] = ["wave"]
    assert answers(kit) == [f"{sys.platform == 'linux'} hello"]


def test_a_module_of_the_agent_is_not_hidden_by_a_library_of_its_name(kit):
    """A worker whose agent has such a module is started afresh, and the agent sees no words of the harness's."""
    (kit.root / "src" / "wave.py").write_text("WHOSE = 'the agent'\n")
    kit.agent('import sys, wave\ndef ask(input):\n    return f\'{getattr(wave, "WHOSE", "")} {sys.argv}\'\n')
    kit.config["preload"] = ["wave"]
    kit.task("T-1", trials=1).pretend()
    assert answers(kit) == ["the agent ['-c']"]


CLIENTS = {
    "httpx": "import httpx\ndef post(url):\n    return httpx.post(url, content=BODY).text\n",
    "httpx2": "import httpx2\ndef post(url):\n    return httpx2.post(url, content=BODY).text\n",
    "requests": "import requests\ndef post(url):\n    return requests.post(url, data=BODY).text\n",
    "urllib.request": "import urllib.request\ndef post(url):\n    return urllib.request.urlopen(url, BODY).read()\n",
    "aiohttp": "import aiohttp, asyncio\nasync def one(url):\n    async with aiohttp.ClientSession() as session:\n"
    "        async with session.post(url, data=BODY) as answer:\n            return await answer.text()\n"
    "def post(url):\n    return asyncio.run(one(url))\n",
}


@pytest.mark.parametrize("client", CLIENTS)
def test_clients_that_are_preloaded_hear_their_recording(kit, client):
    """A door fits a client that was imported before it: in a warm worker, and past it nothing is reached."""
    pytest.importorskip(client)
    ask = (
        "import os\nBODY = b'{\"q\":\"hello\"}'\ndef ask(input):\n    return post(os.environ['MODEL_URL'] + '/chat')\n"
    )
    kit.agent(CLIENTS[client] + ask).pretend()
    kit.config["preload"] = [client]
    trace = kit.replay()
    assert (trace.text, trace.account.misses, trace.account.unplayed, trace.account.network) == ("ok", (), (), ())


def test_what_cannot_be_preloaded_is_said_once_where_it_is_named(kit):
    """Before any trial runs, with the line of the config."""
    kit.config["preload"] = ["json", "no_such_library"]
    with Runner(kit.suite()) as runner, pytest.raises(LoadError) as refused:
        runner.ready()
    (problem,) = refused.value.problems
    assert (problem.code, problem.file) == ("bad_preload", "evals/tapegate.yaml")
    assert (kit.root / problem.file).read_text().splitlines()[problem.line - 1] in ("preload:", "- json")
    assert "'no_such_library' cannot be imported by {python}: ModuleNotFoundError" in problem.message


@pytest.mark.parametrize("kind", ["python", "http"])
def test_no_secret_of_the_harness_reaches_a_subject(kit, key, monkeypatch, kind):
    """Neither a declared key nor any other variable that is not on the list."""
    monkeypatch.setenv("UNDECLARED", "a-secret-of-ci")
    kit.agent("import json, os\ndef ask(input):\n    return json.dumps(dict(os.environ))\n").pretend()
    if kind == "http":
        kit.over_http()
    (text,) = answers(kit)
    seen = json.loads(text)
    assert seen["MODEL_KEY"] == "REDACTED_MODEL_KEY"
    assert not {key, "a-secret-of-ci"} & set(seen.values())
    assert os.environ["MODEL_KEY"] == key


def test_the_level_of_a_task_is_that_of_its_subject(kit):
    """For the provenance, and for a profile that requires one."""
    suite = kit.suite()
    with Runner(suite) as runner:
        assert runner.level(suite.tasks[0]) == best("python")


@pytest.mark.parametrize("door", ["in process", "at the gateway"])
def test_a_machine_without_namespaces_guards_python_from_within(kit, monkeypatch, door):
    """The weaker guard refuses and tells the same, and a recording is played past it."""
    for module in (warm, runner_module):
        monkeypatch.setattr(module, "best", lambda kind: "in_process" if kind == "python" else "none")
    source = (
        "import os, threading, time, httpx\ndef ask(input):\n"
        "    try:\n        httpx.get('http://192.0.2.7:81/x', timeout=2)\n    except httpx.HTTPError:\n        pass\n"
        "    yield httpx.post(os.environ['MODEL_URL'] + '/chat', content=b'{\"q\":\"hello\"}').text\n"
    )
    if door == "at the gateway":
        source += "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
    kit.agent(source).pretend()
    trace = kit.replay()
    assert (trace.text, trace.account.misses, trace.account.unplayed) == ("ok", (), ())
    assert [attempt.address for attempt in trace.account.network] == ["192.0.2.7:81"]
    (finding,) = (each for each in kit.judge().tasks[0].findings if each.severity == "fail")
    assert finding.code == "network_attempt"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_machine_without_namespaces_still_sees_what_honours_proxies(kit, monkeypatch, scheme):
    """For a subject behind HTTP the gateway is the proxy: it refuses what is no service, and has it on the account."""
    monkeypatch.setattr(runner_module, "best", lambda _: "none")
    kit.agent(
        "import os, httpx\ndef ask(input):\n"
        f"    try:\n        said = httpx.get('{scheme}://elsewhere.example/x').status_code\n"
        "    except httpx.HTTPError as error:\n        said = type(error).__name__\n"
        "    return f'{said} ' + httpx.post(os.environ['MODEL_URL'] + '/chat', content=b'{\"q\":\"hello\"}').text\n"
    ).over_http().pretend()
    trace = kit.replay()
    assert trace.text == {"http": "403 ok", "https": "ProxyError ok"}[scheme]
    assert [attempt.address for attempt in trace.account.network] == [
        f"elsewhere.example:{ {'http': 80, 'https': 443}[scheme] }"
    ]


@pytest.mark.parametrize(("other", "started"), [("'b'", ["warm"]), ("1 / 0", ["warm", "warm", "warm", "alone"])])
def test_subjects_that_are_imported_alike_share_a_worker(kit, starts, other, started):
    """One import serves both; where one of them may not be imported so, each has a worker, as if it were alone."""
    kit.agent("def ask(input):\n    return 'a'\n")
    (kit.root / "src/other.py").write_text(f"SAID = {other}\ndef ask(input):\n    return SAID\n")
    kit.config["subjects"]["other"] = copy.deepcopy(kit.subject) | {"entry": "other:ask"}
    kit.task("T-2", subject="other")
    for name in ("T-1", "T-2"):
        kit.pretend(name)
    kit.judge()
    assert starts == started


def test_a_variable_that_an_import_may_see_keeps_workers_apart(kit, starts):
    """What a module reads while it is imported is that of its own subject."""
    kit.agent("import os\nSAID = os.environ['SAID']\ndef ask(input):\n    return SAID\n")
    kit.config["subjects"]["other"] = copy.deepcopy(kit.subject) | {"env": {"SAID": "b"}}
    kit.subject["env"] = {"SAID": "a"}
    kit.task("T-2", subject="other")
    for name in ("T-1", "T-2"):
        kit.pretend(name)
    assert answers(kit) == ["a", "b"]
    assert starts == ["warm", "warm"]
