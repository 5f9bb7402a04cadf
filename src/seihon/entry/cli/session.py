"""One run of a command: its settings, its memory, and where its answer goes."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from seihon.entry.cli import output, wording
from seihon.entry.cli.output import Screen
from seihon.errors import CODES, InvalidArgument, SeihonError

if TYPE_CHECKING:
    from seihon.entry.settings import Settings
    from seihon.memory import Memory
    from seihon.model import Derive

PANEL = "Everywhere"
Json = Annotated[bool, typer.Option("--json", help="One JSON value on stdout.", rich_help_panel=PANEL)]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No messages on stderr.", rich_help_panel=PANEL)]
Db = Annotated[
    str | None,
    typer.Option(metavar="PATH|URL", help="SQLite file or postgresql:// URL.", rich_help_panel=PANEL),
]
Tenant = Annotated[
    str | None, typer.Option(metavar="NAME", help="Application the owners belong to.", rich_help_panel=PANEL)
]


@dataclass(frozen=True, slots=True)
class Asked:
    """The options that every command takes, before or after its name."""

    json: bool = False
    quiet: bool = False
    db: str | None = None
    tenant: str | None = None

    def over(self, outer: Asked) -> Asked:
        """Return these options, completed by those given before the command's name."""
        return Asked(
            self.json or outer.json,
            self.quiet or outer.quiet,
            self.db if self.db is not None else outer.db,
            self.tenant if self.tenant is not None else outer.tenant,
        )


class Session:
    """What a command works with. ``asked``: the options that every command takes."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.screen = Screen()
        self.aside = Screen(stderr=True)

    @cached_property
    def settings(self) -> Settings:
        """Return the settings, read once."""
        from seihon.entry import settings

        found = settings.load(db=self.asked.db, tenant=self.asked.tenant)
        _set_up_log(found.log_level.value)
        return found

    @contextmanager
    def memory(self, *, writes: bool = False, derive: Derive | None = None) -> Generator[Memory]:
        """Open the memory; a SQLite file is made by commands that write only."""
        from seihon.entry.opening import open_memory

        self.tell(f"Database: {self.settings.shown_database}")
        with open_memory(self.settings, new_file=writes, derive=derive) as memory:
            yield memory

    def answer(self, result: object, view: Callable[[Screen], object]) -> None:
        """Give the answer: as JSON, or as ``view`` shows it."""
        if self.asked.json:
            output.write_json(result)
        else:
            view(self.screen)

    def tell(self, sentence: str) -> None:
        """Say something beside the answer, on stderr."""
        if not self.asked.json and not self.asked.quiet:
            self.aside.line(sentence, style="dim", wrap=False)

    def more(self, cursor: str | None) -> None:
        """Say how to get the next page, if there is one."""
        if cursor is not None:
            self.tell(f"There is more: --cursor '{cursor}'")

    def confirm(self, act: str, *, yes: bool) -> None:
        """Ask before something that cannot be undone; ``act`` names what is done, to whom.

        Raises:
            InvalidArgument: nobody can be asked, and ``--yes`` was not given.
        """
        if yes:
            return
        if self.asked.json or not sys.stdin.isatty():
            raise InvalidArgument("This cannot be undone; confirm it with --yes.")
        # Asked in one piece: Typer hands the end of its question to readline, which then redraws the line.
        sys.stderr.write(output.safe(f"{act}, in {self.settings.shown_database}? [y/N] "))
        sys.stderr.flush()
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            raise typer.Exit(1)

    @contextmanager
    def progress(self, what: str, total: int | None = None) -> Generator[Callable[[int], None]]:
        """Show a bar on a terminal's stderr; what is given is called with how many more are done."""
        if self.asked.json or self.asked.quiet or not sys.stderr.isatty():
            yield lambda _count: None
            return
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=self.aside.console, transient=True) as bar:
            task = bar.add_task(what, total=total)
            yield lambda count: bar.advance(task, count)


def exit_with(error: type[SeihonError]) -> typer.Exit:
    """Return the exit of an answer that was given and still is a failure, such as a difference found."""
    return typer.Exit(CODES[error.code].exit)


def command(group: typer.Typer, name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a function that takes a ``Session`` first; the options of every command are added to it.

    A parameter whose annotation is a dataclass stands for a group of options, one for each of its fields.
    """

    def register(verb: Callable[..., None]) -> Callable[..., None]:
        own = _parameters(verb)
        grouped: dict[str, Any] = {p.name: p.annotation for p in own if is_dataclass(p.annotation)}

        @wraps(verb)
        def run(*, context: typer.Context, **given: Any) -> None:
            asked = Asked(given.pop("json"), given.pop("quiet"), given.pop("db"), given.pop("tenant"))
            outer = context.obj if isinstance(context.obj, Asked) else Asked()
            for group_name, kind in grouped.items():
                given[group_name] = kind(**{one.name: given.pop(one.name) for one in fields(kind)})
            with wording.of_options(context.command):
                verb(Session(asked.over(outer)), **given)

        run.__signature__ = _signature(own)  # type: ignore[attr-defined]  # Typer reads the signature
        run.__annotations__ = {p.name: p.annotation for p in inspect.signature(run).parameters.values()}
        group.command(name)(run)
        return verb

    return register


def _parameters(verb: Callable[..., None]) -> list[inspect.Parameter]:
    hints = get_type_hints(verb, include_extras=True)
    own = list(inspect.signature(verb).parameters.values())[1:]
    return [p.replace(annotation=hints[p.name], kind=inspect.Parameter.KEYWORD_ONLY) for p in own]


def _signature(own: Iterable[inspect.Parameter]) -> inspect.Signature:
    context = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    single = [one for p in own for one in (_options(p.annotation) if is_dataclass(p.annotation) else [p])]
    return inspect.Signature([context, *single, *_everywhere()])


def _options(group: Any) -> Iterable[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for one in fields(group):
        default = inspect.Parameter.empty if one.default is MISSING else one.default
        yield inspect.Parameter(
            one.name, inspect.Parameter.KEYWORD_ONLY, annotation=hints[one.name], default=default
        )


def _everywhere() -> Iterable[inspect.Parameter]:
    kinds: dict[str, tuple[Any, Any]] = {
        "json": (Json, False),
        "quiet": (Quiet, False),
        "db": (Db, None),
        "tenant": (Tenant, None),
    }
    for name, (annotation, default) in kinds.items():
        yield inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def _set_up_log(level: str) -> None:
    import logging

    logging.basicConfig(stream=sys.stderr, level=level.upper(), format="%(levelname)s %(name)s: %(message)s")
