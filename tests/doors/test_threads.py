"""Threads that an agent starts hear its tape, each agent its own."""

from __future__ import annotations

import _thread
import asyncio
import queue
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing.pool import ThreadPool

import httpx2
import pytest

from tapegate.doors import armed, httpx_door, threads
from tapegate.doors.current import TAPE, Heard, hearing

URL = "https://api.openai.com/v1"
REQUESTS = 12


@pytest.fixture(autouse=True)
def installed():
    """Installed, twice; and armed, so that a thread that hears nothing is refused."""
    httpx_door.install()
    threads.install()
    threads.install()
    strays: list[str] = []
    armed.arm(strays.append)
    yield
    armed.disarm()
    assert strays == []


def by_thread(job, turns):
    started = [threading.Thread(target=job, args=(turn,)) for turn in turns]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()


def by_subclass(job, turns):
    class Worker(threading.Thread):
        def __init__(self, turn):
            super().__init__()
            self.turn = turn

        def run(self):
            job(self.turn)

    started = [Worker(turn) for turn in turns]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()


def by_timer(job, turns):
    for turn in turns:
        timer = threading.Timer(0, job, (turn,))
        timer.start()
        timer.join()


def by_raw_thread(job, turns):
    done: queue.Queue[int] = queue.Queue()

    def run(turn, *, extra):
        job(turn)
        done.put(extra)

    for turn in turns:
        _thread.start_new_thread(run, (turn,), {"extra": 1})
        done.get(timeout=20)


def by_pool(job, turns):
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(job, turns))


def by_old_pool(job, turns):
    with ThreadPool(2) as pool:
        pool.map(job, turns)


def by_queue(job, turns):
    jobs: queue.Queue[int | None] = queue.Queue()

    def work():
        while (turn := jobs.get()) is not None:
            job(turn)

    worker = threading.Thread(target=work)
    worker.start()
    for turn in turns:
        jobs.put(turn)
    jobs.put(None)
    worker.join()


def by_loop(job, turns):
    async def agent():
        loop = asyncio.get_running_loop()
        for turn in turns:
            await (loop.run_in_executor(None, job, turn) if turn % 2 else asyncio.to_thread(job, turn))

    asyncio.run(agent())


WAYS = [by_thread, by_subclass, by_timer, by_raw_thread, by_pool, by_old_pool, by_queue, by_loop]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_eight_agents_start_threads_that_hear_their_own_tape(way, tapes):
    """Eight agents at once, the same requests from threads they start: every answer is of the agent's own tape."""
    players = [
        tapes.player(*(tapes.interaction("/q", b"%d" % turn, b"%d of %d" % (turn, number)) for turn in range(REQUESTS)))
        for number in range(8)
    ]
    answers: list[dict[int, bytes]] = [{} for _ in range(8)]
    together = threading.Barrier(8)
    with httpx2.Client() as session:

        def agent(number):
            def job(turn):
                answers[number][turn] = session.post(f"{URL}/q", content=b"%d" % turn).content

            together.wait()
            with hearing(Heard(players[number], tapes.routes)):
                way(job, range(REQUESTS))

        agents = [threading.Thread(target=agent, args=(number,)) for number in range(8)]
        for thread in agents:
            thread.start()
        for thread in agents:
            thread.join()
    assert answers == [{turn: b"%d of %d" % (turn, number) for turn in range(REQUESTS)} for number in range(8)]
    assert all(player.account.complete for player in players)


def test_a_pool_older_than_the_trial_hears_each_job_s_own_tape(tapes):
    """Threads of one long-lived pool keep nothing of the job before: afterwards they hear nothing."""
    players = [tapes.player(tapes.interaction("/q", b"1", b"of %d" % number)) for number in range(4)]
    with ThreadPoolExecutor(1) as pool, httpx2.Client() as session:
        pool.submit(int).result()
        heard = []
        for player in players:
            with hearing(Heard(player, tapes.routes)):
                heard.append(pool.submit(session.post, f"{URL}/q", content=b"1").result().content)
        assert pool.submit(TAPE.get).result() is None
    assert heard == [b"of 0", b"of 1", b"of 2", b"of 3"]


def test_a_thread_that_outlives_its_trial_is_refused(tapes):
    """A worker started in one trial plays nothing of it once the trial is over."""
    armed.disarm()
    player = tapes.player(tapes.interaction("/q", b"1", b"late"))
    jobs: queue.Queue[Future[object] | None] = queue.Queue()

    def work():
        while (job := jobs.get()) is not None:
            try:
                job.set_result(httpx2.post(f"{URL}/q", content=b"1"))
            except httpx2.ConnectError as error:
                job.set_result(str(error))

    with hearing(Heard(player, tapes.routes)):
        worker = threading.Thread(target=work)
        worker.start()
    late: Future[object] = Future()
    jobs.put(late)
    assert "the trial whose tape it heard has ended" in str(late.result(20))
    jobs.put(None)
    worker.join()
    assert player.account.played == 0
    armed.arm(lambda address: None)


def test_only_our_variable_is_carried():
    """What the agent's own context variables hold in a new thread is what they always held: the default."""
    from contextvars import ContextVar

    mine = ContextVar("mine", default="default")
    mine.set("changed")
    seen = []
    with hearing(Heard(None, None)) as heard:
        thread = threading.Thread(target=lambda: seen.append((mine.get(), TAPE.get())))
        thread.start()
        thread.join()
    assert seen == [("default", heard)]


def test_a_thread_is_left_as_it_was():
    """Afterwards `run` is the class's own again, and a second start is the error it always was."""
    with hearing(Heard(None, None)):
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()
        assert "run" not in vars(thread)
        with pytest.raises(RuntimeError, match="only be started once"):
            thread.start()
        assert "run" not in vars(thread)
