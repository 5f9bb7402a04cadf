"""What a crowd's process does: one program, imported once, that forks a child for each of its tasks.

    python -m tests.support.crowd '{"url": …, "tasks": [{"task": "write", …}, …]}'

Each child says what it has done, one JSON line at a time and only after the verb has returned: what a line
tells was acknowledged. A refusal that the task does not expect ends the child with its code.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from multiprocessing.synchronize import Barrier
from typing import Any, Final

from seihon import errors
from seihon.canonical.database import Options
from seihon.derived.worker import Settings
from seihon.memory import Derive, Memory

SECRET: Final = b"a secret of thirty-two bytes, or more"
OWNER: Final = "ann"
Tell = Callable[..., None]
Spec = Mapping[str, Any]


def opened(url: str, *, derive: str = "inline", busy_timeout: float = 60.0, pool_size: int = 2) -> Memory:
    """Open a memory as every process of a crowd does."""
    options = Options(busy_timeout=busy_timeout, pool_size=pool_size)
    return Memory.open(url, derive=Derive(derive), secret=SECRET, options=options)


def write(memory: Memory, spec: Spec, tell: Tell) -> None:
    """Append to an own and to the common conversation, edit, forget, and try to set a field next."""
    me, number = spec["me"], 0
    while time.monotonic() < spec["until"]:
        number += 1
        made = memory.append(OWNER, f"own-{me}", "user", f"line {number} of {me}")
        tell(appended=made.id)
        tell(appended=memory.append(OWNER, "common", "assistant", f"and {number} of {me}").id)
        correct(memory, me, number, tell)
        if number % 3 == 0:
            edited = memory.edit(OWNER, made.id, f"edited {number} of {me}", expect=1)
            tell(edited=edited.id)
        if number % 5 == 0:
            memory.forget_message(OWNER, made.id)
            tell(forgotten=made.id)
    memory.add_note(OWNER, f"the end of {me}")


def correct(memory: Memory, me: int, number: int, tell: Tell) -> None:
    """Set the field that everybody sets, on the version that was seen; coming second is no failure."""
    seen = memory.field(OWNER, "seats").version
    try:
        state = memory.set(OWNER, "seats", me * 1_000 + number % 1_000, expect=seen)
    except errors.VersionConflict as conflict:
        tell(lost=seen, to=conflict.details["current"])
    else:
        assert state.version == seen + 1
        tell(won=state.version)


def forget(memory: Memory, spec: Spec, tell: Tell) -> None:
    """Append, edit and forget without end, for somebody to cut off; the intent is told before each verb."""
    number = 0
    while time.monotonic() < spec["until"]:
        number += 1
        text = f"zq{number}x as it was said"
        tell(appending=text)
        made = memory.append(OWNER, "common", "user", text)
        tell(appended=made.id, text=text)
        if number % 3 == 1:
            tell(editing=made.id, text=f"zq{number}y as it was mended")
            memory.edit(OWNER, made.id, f"zq{number}y as it was mended", expect=1)
            tell(edited=made.id, text=f"zq{number}y as it was mended")
        if number % 3 == 2:
            tell(forgetting=made.id)
            tell(forgotten=made.id, receipt=memory.forget_message(OWNER, made.id).id, text=text)


def poll(memory: Memory, spec: Spec, tell: Tell) -> None:
    """Follow the owner's history, until every writer has ended, and tell each revision as it is seen."""
    since, ended = 0, 0
    while ended < spec["writers"] and time.monotonic() < spec["until"] + 120:
        page = memory.changes(OWNER, since=since, limit=500)
        if page.items:
            tell(saw=sorted({one.revision for one in page.items}))
            since = page.items[-1].revision
            ended += sum(one.kind == "note.added" for one in page.items)


def work(memory: Memory, spec: Spec, tell: Tell) -> None:
    """Work off the outbox and the open deletions, a little at a time, until nothing is left."""
    memory.copies.worker.settings = Settings(batch=5, owners=3)
    while True:
        done = memory.copies.worker.run_once()
        tell(settled=done.settled, failed=done.failed)
        if not done.owners and not memory.copies.advance().open:
            return


TASKS: Final[Mapping[str, Callable[[Memory, Spec, Tell], None]]] = {
    "write": write,
    "forget": forget,
    "poll": poll,
    "work": work,
}


def child(url: str, spec: Spec, gate: Barrier) -> None:
    """Do one task, from when everybody is ready, and tell its end."""

    def tell(**what: Any) -> None:
        line = json.dumps({"me": spec["me"], **what}) + "\n"
        os.write(1, line.encode())

    tell(pid=os.getpid())
    try:
        with opened(url, derive=spec.get("derive", "inline")) as memory:
            gate.wait(60)
            tell(ready=True)
            TASKS[spec["task"]](memory, {"until": time.monotonic() + spec["seconds"], **spec}, tell)
    except errors.SeihonError as error:
        tell(error=error.code, message=error.message)
        raise
    tell(done=True)


def fork(url: str, spec: Spec, gate: Barrier) -> int:
    """Start a child; return its process id."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        child(url, spec, gate)
        code = 0
    except BaseException:  # noqa: BLE001 - the child ends here whatever it was, and says so
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def main() -> None:
    """Start every child, wait for all, and end well if all did or were killed."""
    asked = json.loads(sys.argv[1])
    gate = multiprocessing.get_context("fork").Barrier(len(asked["tasks"]))
    children = [fork(asked["url"], {"me": me, **spec}, gate) for me, spec in enumerate(asked["tasks"])]
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children]
    sys.exit(max((code for code in codes if code >= 0), default=0))


if __name__ == "__main__":
    main()
