"""The Typer application: every group of commands, registered in the order in which help lists them."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from seihon.entry.cli.session import Asked, Db, Json, Quiet, Tenant


def application() -> Any:
    """Return the whole command line as one callable command."""
    from seihon.entry.cli import (
        contexts,
        conversations,
        deletions,
        journal,
        notes,
        operations,
        profiles,
        receipts,
        schemas,
        summaries,
        transfers,
        working,
    )

    app = typer.Typer(
        name="seihon",
        help="The system of record for what an AI application knows about its users.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_everywhere)
    modules = (
        operations,
        working,
        transfers,
        conversations,
        profiles,
        notes,
        summaries,
        contexts,
        deletions,
        receipts,
        journal,
        schemas,
    )
    for module in modules:
        module.register(app)
    return typer.main.get_command(app)


def _show_version(context: typer.Context, asked: bool) -> None:
    if asked:
        from seihon import __version__
        from seihon.entry.cli import failing, output

        # Read before the other options are: what was typed says whether a program asks.
        if failing.wants_json(context.obj or ()):
            output.write_json({"version": __version__})
        else:
            typer.echo(f"seihon {__version__}")
        raise typer.Exit


def _everywhere(
    context: typer.Context,
    json: Json = False,
    quiet: Quiet = False,
    db: Db = None,
    tenant: Tenant = None,
    version: Annotated[  # noqa: ARG001 - acts when it is read
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    context.obj = Asked(json, quiet, db, tenant)


def group(app: typer.Typer, name: str, told: str) -> typer.Typer:
    """Add a group of commands, such as ``seihon note …``."""
    made = typer.Typer(help=told, no_args_is_help=True, rich_markup_mode=None)
    app.add_typer(made, name=name)
    return made
