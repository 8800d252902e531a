"""The process that has imported what `preload` names, and forks the launchers of trials (see `fork_server`).

Started as `python -c` with a Unix socket as standard output. It says {"ready": true} when all is imported, or
{"failed": text}; then the harness sends two descriptors for each launcher, its channel and its standard error, and
hears {"pid": number}. What a launcher forked here is told to start goes on in a fork of it where that is the same as
starting it afresh (`Start.fits`); everything else is executed as by any launcher.

Runs in the agent's Python and imports the standard library only.
"""

from __future__ import annotations

import builtins
import ctypes
import gc
import importlib
import os
import random
import signal
import socket
import sys
import sysconfig
import time
from itertools import chain
from types import ModuleType

from tapegate.doors import late_imports
from tapegate.doors.guard import launcher
from tapegate.doors.guard.children import children
from tapegate.doors.guard.messages import Messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import ClassVar

_READ_AT_START = ("PYTHON", "LD_", "LC_", "LANG", "MALLOC_", "GLIBC_")
"""Variables that an interpreter, or the C library below it, reads once: when it starts."""
_LONGEST_WORD, _MOST_WORDS = 100_000, 500_000
"""Bytes that any kernel takes as a word, and as all words, of a command with its environment."""
_OURS = "tapegate"
_CAPABILITIES_V3 = 0x20080522


class _Watched(type(os.environ)):  # type: ignore[misc]
    """The environment, while modules are imported: it remembers which variables they read."""

    names: ClassVar[set[str]] = set()
    """Those asked for by name, or copied; who goes through `items()` means none in particular."""

    def __getitem__(self, name: str) -> str:
        self.names.add(name)
        return str(super().__getitem__(name))

    def __iter__(self) -> Iterator[str]:
        before = frozenset(self.names)
        yield from super().__iter__()
        self.names.intersection_update(before)


class _Missed:
    """The last of the finders, while modules are imported: it remembers what was looked for and is not there."""

    names: ClassVar[set[str]] = set()
    """Without what follows the first dot."""

    @classmethod
    def find_spec(cls, name: str, *_: object) -> None:
        """As a finder that finds nothing."""
        cls.names.add(name.partition(".")[0])


class Start:
    """A way to start this interpreter; a fork can take `-m MODULE`, `-P -c PROGRAM` and a script."""

    def __init__(self, argv: list[str], env: dict[str, str]) -> None:
        self.argv, self.env = argv, env
        self._words = argv[1:]

    def fits(self) -> bool:
        """Whether a fork would run as a fresh interpreter would, but for what is imported already."""
        if self.argv[0] != sys.executable or not self._words or _read_before(self.env) != _read_before(os.environ):
            return False
        first, *rest = self._words
        known = {"-m": len(rest) > 0 and not _is_run(rest[0]), "-P": rest[:1] == ["-c"] and len(rest) > 1}
        if not known.get(first, first.endswith(".py") and os.path.isfile(first)):  # noqa: PTH113
            return False
        return not self._shadowed() and not self._refused()

    def prepare(self) -> Callable[[], None]:
        """Make this process the program's, as far as its stack does not matter; what is returned runs it."""
        if os.geteuid() != 0:
            _give_up_capabilities()
        os.environ.clear()
        os.environ.update(self.env)
        time.tzset()
        beside, named = self._folders()
        sys.path[:] = [*beside, *named, *(folder for folder in sys.path if folder not in named)]
        sys.orig_argv = self.argv
        for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # as an interpreter does when it starts
            signal.signal(ignored, signal.SIG_IGN)
        # The program's own, should it have one of that name.
        for name in [name for name in sys.modules if name.partition(".")[0] == _OURS]:
            del sys.modules[name]
        sys.modules["__main__"] = _main()
        return self._run

    def _run(self) -> None:
        main = sys.modules["__main__"].__dict__
        first, *rest = self._words
        if first == "-m":
            import runpy

            sys.argv = ["-m", *rest[1:]]
            # What the interpreter itself calls for `-m`; the public `run_module` would end the module with its run.
            runpy._run_module_as_main(rest[0])  # type: ignore[attr-defined]
        elif first == "-P":
            sys.argv = ["-c", *rest[2:]]
            exec(compile(rest[1], "<string>", "exec", dont_inherit=True), main)  # noqa: S102  as the interpreter does
        else:
            from importlib.machinery import SourceFileLoader

            sys.argv = self._words
            file = os.path.join(os.getcwd(), first)  # noqa: PTH109, PTH118
            loader = SourceFileLoader("__main__", file)
            main |= {"__file__": file, "__loader__": loader}
            if sys.version_info < (3, 15):
                main["__cached__"] = None
            exec(compile(loader.get_data(file), file, "exec", dont_inherit=True), main)  # noqa: S102

    def _folders(self) -> tuple[list[str], list[str]]:
        """What this start puts before the interpreter's own path: the folder of the program, and those of the user."""
        first = self._words[0]
        beside = {"-m": [os.getcwd()], "-P": []}.get(first, [os.path.dirname(os.path.realpath(first))])  # noqa: PTH109, PTH120
        named = self.env.get("PYTHONPATH", "")
        listed = [os.path.abspath(folder) for folder in named.split(os.pathsep)] if named else []  # noqa: PTH100
        return beside, list(dict.fromkeys(listed))

    def _refused(self) -> bool:
        """Whether the kernel may refuse to execute it: what no program can have, or too much of it."""
        words = [*self.argv, *(f"{name}={value}" for name, value in self.env.items())]
        sizes = [len(os.fsencode(word)) for word in words]
        return any("\0" in word for word in words) or max(sizes) > _LONGEST_WORD or sum(sizes) > _MOST_WORDS

    def _shadowed(self) -> bool:
        """Whether one of these folders holds what an import here would have found first, or would have found at all."""
        taken = {name.partition(".")[0] for name in sys.modules} - {_OURS, "__main__"}
        taken |= {"sitecustomize", "usercustomize", *_Missed.names}
        # A worker is told the folders of its agent, which it puts first by itself.
        told = self._words[3:] if self._words[0] == "-P" else []
        for folder in chain(*self._folders(), told):
            try:
                found = os.listdir(folder)  # noqa: PTH208
            except FileNotFoundError:
                continue
            except OSError:
                return True  # an archive, or nothing that can be looked into
            if not taken.isdisjoint(entry.partition(".")[0] for entry in found):
                return True
        return False


def main(modules: list[str], project: str) -> Callable[[], None]:
    """Import `modules`, then serve the harness at standard output until it hangs up.

    In a fork that goes on as the program of a trial, returns what runs it: to be called where nothing of ours is on the
    stack any more. Otherwise it does not return.
    """
    harness = Messages(socket.socket(fileno=os.dup(1)))
    printed = os.memfd_create("printed")
    os.dup2(printed, 1)
    random.seed(0)
    failed = _load(modules, project)
    if not failed and os.fstat(printed).st_size:
        failed = "what is imported prints to standard output, where each trial's answer may be"
    os.dup2(2, 1)
    os.close(printed)
    harness.send({"failed": failed} if failed else {"ready": True})
    gc.collect()
    gc.freeze()
    while not failed and (received := harness.receive()) is not None:
        _, (channel, log) = received
        pid = os.fork()
        if pid == 0:
            harness.channel.close()
            return _launch(channel, log)
        os.close(channel)
        os.close(log)
        harness.send({"pid": pid})
        _reap()
    os._exit(0)


def _reap() -> None:
    """Collect launchers that have ended; that they have, the harness hears by their standard error."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def _launch(channel: int, log: int) -> Callable[[], None]:
    os.setsid()
    for target, descriptor in ((0, channel), (1, os.open(os.devnull, os.O_WRONLY)), (2, log)):
        os.dup2(descriptor, target)
        os.close(descriptor)
    os.chdir("/")
    try:
        launcher.main(_become)
    except launcher.Became as became:
        return became.run
    raise AssertionError("a launcher ends its process")


def _become(argv: list[str], env: dict[str, str]) -> Callable[[], None]:
    start = Start(argv, env)
    return start.prepare() if start.fits() else launcher.execute(argv, env)


def _main() -> ModuleType:
    """The main module of a program that has not begun."""
    fresh = ModuleType("__main__")
    known = vars(sys.modules["__main__"])
    vars(fresh).update({"__builtins__": builtins, **({"__annotations__": {}} if "__annotations__" in known else {})})
    return fresh


def _read_before(env: Mapping[str, str]) -> dict[str, str]:
    """What the interpreter, and the modules imported here, have read of `env` when a program begins.

    But HOME, of which each trial has its own: what is kept of it does no harm unless somebody writes there
    (`ForkServer.launch`).
    """
    names = {name for name in env if name.startswith(_READ_AT_START)} | _Watched.names
    return {name: env[name] for name in names - {"PYTHONPATH", "HOME"} if name in env}


def _is_run(module: str) -> bool:
    """Whether `-m` would run again what is imported: that is warned of. Of a package, it runs another module."""
    return module in sys.modules and not hasattr(sys.modules[module], "__path__")


def _give_up_capabilities() -> None:
    """As executing a program does, for all users but root: the namespace gave them to its launcher."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.capset((ctypes.c_uint32 * 2)(_CAPABILITIES_V3, 0), (ctypes.c_uint32 * 6)()) != 0:
        raise OSError(ctypes.get_errno(), "capabilities cannot be given up")


def _shared() -> set[str]:
    """What forks have in common with this process, and so with each other: open files and memory."""
    with open("/proc/self/maps") as maps:  # noqa: PTH123
        memory = {fields[-1] for fields in map(str.split, maps) if fields[1] == "rw-s"}
    return memory | set(os.listdir("/proc/self/fd"))  # noqa: PTH208


def _load(modules: list[str], project: str) -> str | None:
    """Import them; what is wrong with that, where it is."""
    plain, before = type(os.environ), dict(os.environ)
    os.environ.__class__ = _Watched
    sys.meta_path.append(_Missed)
    try:
        failed = _import(modules, project)
    finally:
        sys.meta_path.remove(_Missed)
        os.environ.__class__ = plain
    if not failed and dict(os.environ) != before:
        return "what is imported changes the environment, which each trial must see changed"
    return failed


def _import(modules: list[str], project: str) -> str | None:
    before, shared = set(sys.modules), _shared()
    gc.disable()  # all of it is kept
    for module in modules:
        try:
            importlib.import_module(module)
        except BaseException as error:  # noqa: BLE001  whatever an import raises is the harness's to report
            return f"{module!r} cannot be imported by {{python}}: {type(error).__name__}: {error}"
    late_imports.catch_up()
    gc.enable()
    packages = [f"{os.path.realpath(sysconfig.get_path(name))}/" for name in ("purelib", "platlib", "stdlib")]
    for name in sorted(set(sys.modules) - before):
        file = os.path.realpath(getattr(sys.modules[name], "__file__", None) or "/")
        if file.startswith(f"{os.path.realpath(project)}/") and not file.startswith(tuple(packages)):
            return f"{name!r} is of this project: a change of it must be seen by each trial, which imports it itself"
    if len(os.listdir("/proc/self/task")) > 1 or children():  # noqa: PTH208
        return "what is imported leaves a thread or a process running, which no fork takes with it"
    if _shared() - shared:
        return "what is imported leaves a file or shared memory open, which all trials would share"
    return None
