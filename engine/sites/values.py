"""Kinds of values that site and board files have in common."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from engine.kernel.errors import BreakfixError
from engine.kernel.hostlist import expand

Version = Literal[1]
Positive = Annotated[int, Field(ge=1)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,62}$")]
VariableName = Annotated[str, Field(pattern=r"^[A-Za-z_]\w{0,63}$")]


def _host_list(text: str) -> str:
    """A host list that can be expanded; pydantic wants a ValueError for one that can't."""
    try:
        expand(text)
    except BreakfixError as error:
        raise ValueError(error.message) from None
    return text


HostList = Annotated[str, Field(min_length=1, max_length=4000), AfterValidator(_host_list)]
