"""The JSON Schema of scenario files, for editors (`breakfix author schema`)."""

from __future__ import annotations

from typing import Any

from scenarios.model import Scenario

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def scenario_schema() -> dict[str, Any]:
    """The schema as data. The keys are those of the file (`in`, not the model's own name for it)."""
    return {"$schema": DIALECT, **Scenario.model_json_schema(by_alias=True), "title": "breakfix scenario"}
