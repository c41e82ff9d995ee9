"""Clicks in menus, closing them, and the creative inventory."""

from __future__ import annotations

from typing import Any

HANDLERS: dict[str, Any] = {}
