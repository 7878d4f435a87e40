"""The JSON Schemas of blueprints and bank files, for editors."""

from __future__ import annotations

from typing import Any

from engine.kernel.validation import StrictModel
from exams.blueprint import Blueprint
from exams.item import BankFile
from scenarios.schema import DIALECT


def blueprint_schema() -> dict[str, Any]:
    """The schema of blueprints as data."""
    return _schema(Blueprint, "breakfix blueprint")


def bank_schema() -> dict[str, Any]:
    """The schema of bank files as data. The keys are those of the file (`in`, not the model's own name for it)."""
    return _schema(BankFile, "breakfix bank")


def _schema(model: type[StrictModel], title: str) -> dict[str, Any]:
    return {"$schema": DIALECT, **model.model_json_schema(by_alias=True), "title": title}
