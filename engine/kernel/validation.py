"""Documents checked against a model: every mistake at once, in plain words, with its line and what to write.

Importing this module imports pydantic, so only what reads people's files imports it. Values are checked by pydantic's
strict rules for JSON: text is no number and no number is text, while lists fill tuples and text fills enumerations.
"""

from __future__ import annotations

import json
from typing import TypeVar

import pydantic

from engine.kernel.complaints import complaints
from engine.kernel.documents import Document, DocumentError


class StrictModel(pydantic.BaseModel):
    """What sites, scenarios and exams derive from: no unknown keys, no conversions, no changes after reading."""

    # Validators are built when a file is first read: those of nested models go into the outermost one's.
    model_config = pydantic.ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, defer_build=True)


Model = TypeVar("Model", bound=pydantic.BaseModel)


def validate(document: Document, model: type[Model]) -> Model:
    """The document as an instance of the model, or a `DocumentError` that lists all that is wrong with it.

    A validator in a model reports a mistake by raising ValueError with a sentence for people.
    """
    try:
        return model.model_validate_json(json.dumps(document.data))
    except pydantic.ValidationError as error:
        raise DocumentError(complaints(document, model, error)) from None
