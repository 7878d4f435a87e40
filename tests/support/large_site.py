"""A site document of 2,048 DGX H100 with a rail-optimised three-tier fat tree, and worlds of it.

64 scalable units of 32 nodes with 8 leaves each; 16 pods of 4 units,
     32 leaves and 32 spines; 256 core switches. Every
switch has 64 ports, half of a leaf's and a spine's towards the nodes; each spine has four cables to each of the eight
core switches of its number.
"""

from __future__ import annotations

from functools import cache

from engine.kernel.documents import Document, read_document
from engine.kernel.simulation import Simulation
from engine.simulation import new_simulation
from engine.sites.build import build_inventory
from engine.world.inventory import Inventory
from engine.world.world import World

NODES, HCAS, LEAVES, SPINES, CORES = 2048, 16_384, 512, 512, 256

TEXT = """\
format: 1
name: dgx-h100-2k
title: 2,048 DGX H100, three-tier fat tree of Quantum-2 switches
cluster: borealis
domain: borealis.example
start: 2026-11-30 09:00:00
timezone: Etc/UTC
login_host: head-01
learner: alex
inlet_temperature: 24
software:
  os: Ubuntu 24.04.1 LTS
  kernel: 6.8.0-51-generic
  driver: 590.48.01
  cuda: "13.1"
  fabric_manager: 590.48.01
  dcgm: 4.4.2
  nccl: 2.28.9
  ofed: 24.10-1.1.4
  mft: 4.30.1
  slurm: 24.11.5
  opensm: 5.21.12
networks:
  management: {subnet: 10.20.0.0/19}
  inband: {subnet: 10.30.0.0/19}
  bmc: {subnet: 10.20.32.0/19}
racks: ["R[001-512]", "N[001-064]"]
nodes:
  - {names: head-01, board: head-server, role: head, rack: N001, unit: 40, first_address: 10}
  - {names: "dgx-[0001-2048]", board: dgx-h100, role: compute, rack: R001, per_rack: 4, unit: 3, unit_step: 10,
     first_address: 11}
switches:
  - {names: "leaf-[001-512]", model: qm9700, role: leaf, rack: N001, per_rack: 8, unit: 1, first_address: 4001}
  - {names: "spine-[001-512]", model: qm9700, role: spine, rack: N001, per_rack: 8, unit: 11, first_address: 5001}
  - {names: "core-[001-256]", model: qm9700, role: core, rack: N001, per_rack: 4, unit: 21, first_address: 6001}
cabling:
  - {nodes: "dgx-[0001-2048]", unit: 32, hcas: [mlx5_0, mlx5_3, mlx5_4, mlx5_5, mlx5_6, mlx5_9, mlx5_10,
     mlx5_11], rails: "leaf-[001-512]", first_port: 1, kind: optical, length_m: 10}
  - {switches: "leaf-[001-512]", to_switches: "spine-[001-512]", block: 32, to_block: 32, count: 1,
     first_port: 33, first_port_there: 1, kind: optical, length_m: 30}
  - {switches: "spine-[001-512]", to_switches: "core-[001-256]", block: 1, to_block: 8, count: 4,
     first_port: 33, first_port_there: 1, kind: optical, length_m: 50}
users:
  - {name: alex, uid: 1001, full_name: Alex Kim, groups: [adm, sudo, operators]}
  - {name: priya, uid: 2001, full_name: Priya Nair, groups: [research]}
  - {name: wei, uid: 2003, full_name: Wei Zhang, groups: [research]}
slurm:
  partitions:
    - {name: batch, nodes: "dgx-[0001-2048]", default: true, max_time: 7-00:00:00}
  operators: [alex]
"""

JOBS = """\
jobs:
  - {name: pretrain, user: priya, partition: batch, nodes: "dgx-[0001-1024]", gpus_per_node: 8,
     workload: training, started_before: 5h12m, time_limit: 7d}
  - {name: eval, user: wei, partition: batch, nodes: "dgx-[1025-1032]", gpus_per_node: 4, workload: inference,
     started_before: 1h40m, time_limit: 12h}
"""


def document(*, jobs: bool = False) -> Document:
    """The site file; with `jobs` half of the site trains."""
    return read_document(TEXT + (JOBS if jobs else ""), "dgx-h100-2k.yaml")


def inventory(*, jobs: bool = False) -> Inventory:
    """A new inventory of the site."""
    return build_inventory(document(jobs=jobs), {})


@cache
def shared_inventory() -> Inventory:
    """The inventory that tests share."""
    return inventory()


def simulation(*, jobs: bool = False, seed: int = 1) -> Simulation[World]:
    """A new simulation of the site."""
    return new_simulation(inventory(jobs=jobs), seed)
