"""All fields of `--query-gpu` in the tool's order, and those of the narrower `--query-remapped-rows`."""

from __future__ import annotations

from engine.commands.gpu._nvidia_smi.devices import Device
from engine.commands.gpu._nvidia_smi.fields import Entry, Field, field
from engine.commands.gpu._nvidia_smi.fields_board import PLATFORM, identity_fields
from engine.commands.gpu._nvidia_smi.fields_errors import REMAPPED_ROWS, RETIRED_PAGES, ecc_fields
from engine.commands.gpu._nvidia_smi.fields_running import CLOCKS, FEATURES, MEMORY, POWER, REASONS, TEMPERATURE
from engine.commands.gpu._nvidia_smi.formats import query_time

GPU_FIELDS: tuple[Entry[Device], ...] = (
    *identity_fields(),
    *REASONS,
    *MEMORY,
    *ecc_fields(),
    *RETIRED_PAGES,
    *REMAPPED_ROWS,
    *TEMPERATURE,
    *POWER,
    *CLOCKS,
    *FEATURES,
    *PLATFORM,
    field("hostname", "The name given to the GPU."),
)

ABOUT_THE_GPU: tuple[Field[Device], ...] = (
    field("timestamp", "When the query was made.", lambda d: query_time(d.world.inventory, d.now)),
    field("gpu_name", "Product name.", lambda d: d.product.name),
    field("gpu_bus_id", "PCI address as domain:bus:device.function.", lambda d: d.bus_id),
    field("gpu_serial", "Serial number printed on the board.", lambda d: d.state.serial),
    field("gpu_uuid", "The GPU's unchangeable identifier.", lambda d: d.state.uuid),
)
"""The columns that the other queries share; there they bear these names."""

REMAPPED_ROW_FIELDS: tuple[Entry[Device], ...] = (*ABOUT_THE_GPU[1:], *REMAPPED_ROWS)
