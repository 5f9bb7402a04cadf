"""A tenant's schemas, settings and counts of field reads; none of it is a user's text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select

from seihon.canonical import tables as t
from seihon.canonical.scope import NOW, TENANT, Handle, by_dialect, p

SCHEMA = (
    select(t.schemas.c.version, t.schemas.c.body)
    .where(t.schemas.c.tenant == TENANT)
    .order_by(t.schemas.c.version.desc())
    .limit(1)
)
SCHEMA_VERSION = select(t.schemas.c.version, t.schemas.c.body).where(
    t.schemas.c.tenant == TENANT, t.schemas.c.version == p("version")
)
ADD_SCHEMA = by_dialect(
    lambda insert: (
        insert(t.schemas)
        .values(tenant=TENANT, version=p("version", t.Big), body=p("body"), registered_at=NOW)
        .on_conflict_do_nothing()
        .returning(t.schemas.c.version)
    )
)
READS = select(t.field_reads.c.field, t.field_reads.c.reads, t.field_reads.c.last_read_at).where(
    t.field_reads.c.tenant == TENANT
)
RETENTION = select(t.tenants.c.retain_us).where(t.tenants.c.tenant == TENANT)


def _count_reads(insert: Any) -> Any:
    new = insert(t.field_reads).values(
        tenant=TENANT, field=p("field"), reads=p("reads", t.Big), last_read_at=NOW
    )
    return new.on_conflict_do_update(
        index_elements=["tenant", "field"],
        set_={
            "reads": t.field_reads.c.reads + new.excluded.reads,
            "last_read_at": new.excluded.last_read_at,
        },
    )


COUNT_READS = by_dialect(_count_reads)


def _set_retention(insert: Any) -> Any:
    new = insert(t.tenants).values(tenant=TENANT, retain_us=p("retain", t.Big), created_at=NOW, revision=1)
    return new.on_conflict_do_update(
        index_elements=["tenant"],
        set_={"retain_us": new.excluded.retain_us, "revision": t.tenants.c.revision + 1},
    )


SET_RETENTION = by_dialect(_set_retention)


def add_reads(handle: Handle, reads: Mapping[str, int]) -> None:
    """Add counts of reads by code, per field."""
    for field, count in sorted(reads.items()):
        handle.execute(COUNT_READS, {"field": field, "reads": count})
