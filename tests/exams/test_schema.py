"""Schemas for editors."""

from __future__ import annotations

import json

from exams.schema import bank_schema, blueprint_schema


def test_schemas_are_plain_json_and_name_every_kind_of_item() -> None:
    bank, blueprint = json.dumps(bank_schema()), json.dumps(blueprint_schema())
    kinds = ("single", "multiple", "ordering", "matching", "numeric", "point", "hands-on")
    assert all(f'"const": "{kind}"' in bank for kind in kinds)
    assert '"in"' in bank and "in_" not in bank_schema()["$defs"]["ComponentChoice"]["properties"]
    assert set(blueprint_schema()["required"]) >= {"format", "id", "code", "items", "minutes", "domains"}
    assert blueprint.startswith('{"$schema"')
