"""The tables of the workspace, as SQLAlchemy sees them; `migrations/` creates them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Column, Float, MetaData, Table, Text

__all__ = [
    "accounts",
    "annotators",
    "audit",
    "categories",
    "decisions",
    "documents",
    "edges",
    "events",
    "jobs",
    "label_categories",
    "labels",
    "leases",
    "models",
    "models_in_use",
    "projects",
    "sessions",
    "tokens",
]

_DATA = MetaData()


def _table(name: str, *, key: bool = False, numbers: str = "", texts: str = "", floats: str = "") -> Table:
    columns: list[Column[Any]] = [Column("id", BigInteger, primary_key=True)] if key else []
    columns += [Column(column, BigInteger) for column in numbers.split()]
    columns += [Column(column, Text) for column in texts.split()]
    columns += [Column(column, Float) for column in floats.split()]
    return Table(name, _DATA, *columns)


projects = _table("projects", key=True, texts="name kind", floats="created")
categories = _table("categories", numbers="project position", texts="name")
edges = _table("edges", numbers="project", texts="parent child")
documents = _table("documents", key=True, numbers="project place", texts="name title text", floats="created")
annotators = _table("annotators", numbers="project", texts="name", floats="created")
events = _table(
    "events", key=True, numbers="project document undoes", texts="kind annotator sender data", floats="created"
)
labels = _table("labels", numbers="project document event", texts="annotator labels")
label_categories = _table("label_categories", numbers="project document", texts="category annotator")
models = _table("models", key=True, numbers="project number", texts="file summary", floats="created")
models_in_use = _table("models_in_use", numbers="project model")
decisions = _table(
    "decisions", numbers="model document stratum turn", texts="labels", floats="confidence suspect useful"
)
leases = _table("leases", numbers="document", texts="annotator", floats="until")
jobs = _table(
    "jobs",
    key=True,
    numbers="project done total cancel attempts",
    texts="kind state message data",
    floats="created heartbeat ended",
)
accounts = _table("accounts", texts="name role password", floats="created")
tokens = _table("tokens", texts="digest account", floats="created")
sessions = _table("sessions", texts="digest account csrf", floats="expires")
audit = _table("audit", key=True, numbers="status", texts="who client method path about", floats="created")
