"""A PostgreSQL database for the page about PostgreSQL: migrated with roles, one login for each duty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageServer:
    """The addresses that the page's blocks read from the environment."""

    app_url: str
    worker_url: str
    maintenance_url: str
    admin_url: str

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables, by name."""
        return {
            "SEIHON_DB": self.app_url,
            "WORKER_URL": self.worker_url,
            "SEIHON_MAINTENANCE_URL": self.maintenance_url,
            "ADMIN_URL": self.admin_url,
        }
