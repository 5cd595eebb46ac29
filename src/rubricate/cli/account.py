"""`rubricate account`: who may use a workspace."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from rubricate.errors import MissingExtra
from rubricate.registry import command

if TYPE_CHECKING:
    from rubricate.service.accounts import Accounts

__all__ = ["account"]

account = command("account")(
    typer.Typer(help="Add, list and remove the accounts of a workspace.", no_args_is_help=True)
)

_Name = Annotated[str, typer.Argument(help="The name of the account.")]
_Workspace = Annotated[Path, typer.Option(help="The folder of the workspace.")]
_Database = Annotated[
    str | None, typer.Option(help="The database of the workspace, if not in its folder.", envvar="RUBRICATE_DATABASE")
]
_Role = Annotated[str, typer.Option(help="read, label (add documents and labels) or admin.")]

_Last = Annotated[bool, typer.Option("--last", help="Remove the account even if it is the last one.")]


def _accounts(workspace: Path, database: str | None) -> Accounts:
    try:
        from rubricate.service.workspace.workspace import Workspace
    except ImportError as error:
        raise MissingExtra("serve", "The commands of the service") from error
    return Workspace(workspace, database).accounts


@account.command("add")
def add(name: _Name, *, workspace: _Workspace, database: _Database = None, role: _Role = "label") -> None:
    """Add an account, or give it another password and role, which ends its sessions and revokes its tokens.

    The password is asked for, or read from a pipe.
    """
    accounts = _accounts(workspace, database)
    if sys.stdin.isatty():
        password = typer.prompt("Password", hide_input=True, confirmation_prompt=True)
    else:
        password = sys.stdin.readline().rstrip("\n")
    accounts.add(name, password, cast(Any, role))
    typer.echo(f"{name}: {role}", err=True)


@account.command("token")
def token(name: _Name, *, workspace: _Workspace, database: _Database = None) -> None:
    """Print a new token for programs, with the role of the account; only its hash is kept."""
    typer.echo(_accounts(workspace, database).add_token(name))


@account.command("list")
def list_(*, workspace: _Workspace, database: _Database = None) -> None:
    """List the accounts and their roles."""
    for entry in _accounts(workspace, database).all():
        typer.echo(f"{entry['name']}\t{entry['role']}")


@account.command("remove")
def remove(name: _Name, *, workspace: _Workspace, database: _Database = None, last: _Last = False) -> None:
    """Remove an account with its sessions and tokens; its labels stay."""
    accounts = _accounts(workspace, database)
    accounts.remove(name, last=last)
    if not accounts.any():
        warning = "no account is left: a local service is open to everybody on its machine, any other closed to all"
        typer.echo(f"rubricate: {warning} unless it has a --token", err=True)
