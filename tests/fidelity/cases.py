"""Cases of comparison: which capture, which command of ours, in which condition, what is masked. Read from YAML files.

    format: 1
    defaults: {site: dgx-h100-4, host: dgx-04, user: alex}
    cases:
      - capture: nvidia-smi/h100-idle-nvidia-smi.txt
        command: nvidia-smi -i 0
        masks: [ctime, bus_id, temperature]
        score: 20

`score` is how many lines were equal when the case was last looked at; a change must not lower it. `conditions` at the
top of a file are parts of cases by name, which `condition: NAME` takes in; `captures` names the folder of captures
beside which the folder given with --corpus stands (`realtools/linux`), if it is not that folder itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from engine.kernel.documents import DocumentError, read_document
from engine.kernel.validation import StrictModel, validate
from tests.fidelity.masks import MASKS

Range = Annotated[list[int], Field(min_length=2, max_length=2)]


class ProcessModel(StrictModel):
    """A process on GPUs that the capture's machine had and a new site has not; one on a MIG device (`instance`, ids of
    its GPU instance and compute instance) starts after the setup lines.
    """

    command: str
    user: str = "priya"
    gpus: list[int] = Field(default_factory=list)
    gpu_memory: int = 0
    workload: str | None = None
    instance: Range | None = None


class CaseModel(StrictModel):
    """One capture and how we make ours. What stands in `defaults` need not be repeated.

    `settings` are values of --set, `faults` lines of --fault, `setup` lines that the user runs first (`root: LINE`
    as root), `wait` a duration that passes afterwards. With `shell` all lines are typed into one terminal of the
    user's. `{fields}` in the command stands for the names in the capture's first line, a csv header. `lines` is a
    range of the capture (from 1, both ends included), `own_lines` one of ours; `only` and `skip` are patterns of
    lines on both sides; `split` makes a line of each part of a line, `extract` one of each match, sorted and
    without repetition. `head` ends ours after so many lines.
    """

    capture: str
    command: str
    site: str = "dgx-h100-4"
    host: str = "dgx-04"
    user: str = "alex"
    seed: int = 1
    settings: dict[str, str] = Field(default_factory=dict)
    faults: list[str] = Field(default_factory=list)
    processes: list[ProcessModel] = Field(default_factory=list)
    setup: list[str] = Field(default_factory=list)
    shell: bool = False
    wait: str = "0s"
    masks: list[str] = Field(default_factory=list)
    lines: Range | None = None
    own_lines: Range | None = None
    only: str | None = None
    skip: str | None = None
    split: str | None = None
    extract: str | None = None
    head: int | None = None
    expand_tabs: bool = False
    score: int | None = None
    note: str = ""
    captures: str = "corpus"

    @field_validator("masks")
    @classmethod
    def known_masks(cls, names: list[str]) -> list[str]:
        wrong = [name for name in names if name not in MASKS]
        if wrong:
            raise ValueError(f"there is no mask '{wrong[0]}'; there are {', '.join(MASKS)}")
        return names


class CasesModel(StrictModel):
    """A file of cases."""

    format: Literal[1]
    captures: str = "corpus"
    defaults: dict[str, Any] = Field(default_factory=dict)
    conditions: dict[str, dict[str, Any]] = Field(default_factory=dict)
    cases: list[dict[str, Any]]


class _WholeModel(StrictModel):
    format: Literal[1]
    captures: str
    defaults: dict[str, Any]
    conditions: dict[str, dict[str, Any]]
    cases: list[CaseModel]


def read_cases(path: Path) -> list[CaseModel]:
    """The cases of a file. Raises DocumentError with file and line of what is wrong."""
    document = read_document(path.read_text("utf-8"), str(path))
    plain = validate(document, CasesModel)
    data: Any = document.data
    for index, case in enumerate(data["cases"]):
        name = case.pop("condition", None)
        if name is not None and name not in plain.conditions:
            raise DocumentError([document.problem(("cases", index), f"there is no condition '{name}'")])
        given = {"captures": plain.captures, **plain.defaults, **plain.conditions.get(name or "", {})}
        for key, value in given.items():
            case.setdefault(key, value)
    data.setdefault("captures", "corpus")
    data.setdefault("defaults", {})
    data.setdefault("conditions", {})
    return validate(document, _WholeModel).cases
