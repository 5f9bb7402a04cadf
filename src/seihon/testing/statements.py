"""Every named statement of the store: what the golden files, the query plans and the guard look at.

A statement is a module-level name in capitals in ``seihon.canonical`` or ``seihon.derived``; new modules are
found by themselves.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

from sqlalchemy import Executable
from sqlalchemy.sql.functions import FunctionElement

from seihon.canonical.scope import ByDialect, Statement

SQLITE = "sqlite"
POSTGRESQL = "postgresql"
# Row-level security, roles, locks and the extension for vectors exist on PostgreSQL only.
_POSTGRESQL_ONLY = frozenset(
    {"seihon.canonical.pgvector", "seihon.canonical.roles", "seihon.canonical.security"}
)
_PACKAGES = ("seihon.canonical", "seihon.derived")
_NAME = re.compile(r"[A-Z][A-Z0-9_]*")


@dataclass(frozen=True, slots=True)
class Named:
    """One statement: its module, its name there, and the dialects that it is for."""

    module: str
    name: str
    statement: Statement
    dialects: tuple[str, ...]

    def on(self, dialect: str) -> Executable:
        """Return the construct for ``sqlite`` or ``postgresql``."""
        held = self.statement
        return getattr(held, dialect) if isinstance(held, ByDialect) else held


def named_statements() -> tuple[Named, ...]:
    """Return every named statement once, in the module that comes first by name."""
    found: dict[int, Named] = {}
    for module in _modules():
        for named in statements_of(module):
            found.setdefault(id(named.statement), named)
    return tuple(sorted(found.values(), key=lambda named: (named.module, named.name)))


def statements_of(module: ModuleType) -> tuple[Named, ...]:
    """Return the named statements of one module, those that it imports included."""
    dialects = (POSTGRESQL,) if module.__name__ in _POSTGRESQL_ONLY else (POSTGRESQL, SQLITE)
    return tuple(
        Named(module.__name__, name, value, dialects)
        for name, value in vars(module).items()
        if _NAME.fullmatch(name) and _is_statement(value)
    )


def _is_statement(value: object) -> bool:
    return isinstance(value, Executable | ByDialect) and not isinstance(value, FunctionElement)


def _modules() -> Iterator[ModuleType]:
    for package in _PACKAGES:
        if importlib.util.find_spec(package) is None:
            continue
        root = importlib.import_module(package)
        yield root
        for info in sorted(pkgutil.walk_packages(root.__path__, f"{package}."), key=lambda info: info.name):
            # Alembic imports its environment and the revisions itself, inside a run of its own.
            if not re.search(r"\.migrations\.", info.name):
                yield importlib.import_module(info.name)
