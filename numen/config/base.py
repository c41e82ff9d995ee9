"""What every section of numen.yaml has in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A section: unknown keys are mistakes, values don't change, and no input is shown in an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)
