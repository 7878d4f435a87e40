"""Paths: what copies, RDMA, collectives and training get between two places, from the state alone.

One set of functions for everybody who moves data, so that two tools can never disagree about a link. Rates are GB/s
(10^9 bytes) as float, of large transfers in one direction, and are computed when asked; nothing is stored. A path is
as fast as its slowest hop, and a hop that a path does not cross does not count: traffic between a GPU and the adapter
below the same PCIe switch turns round in that switch. Modules have pure formulas on plain numbers, and readers that
take them from the World. `share` is what other traffic leaves, in ppm (1,000,000: all).

- `figures`: `gpu_figures(product name)` and `card_figures(hca)`, what hardware delivers.
- `topology`: `relation(node, address, address)` gives X, PIX, PXB, PHB, NODE or SYS; `nvlinks(world, gpu, gpu)` and
  `gpu_relation(world, gpu, gpu)` give what nvidia-smi's matrix shows.
- `near`: `cpu_list(node, numa)`, `numa_of(node, cpu)`, `near(node, numa, cpus)`.
- `pcie`: pure `raw`, `copy`, `rdma` of (generation, width); `host_copy(world, gpu_id, near=True)`.
- `nvlink`: pure `raw`, `ring`, `peer` of (links, figures), `nvls(links, figures, gpus)`, `clock_share(clock)`;
  `working(world, gpu_id)`, `joined(world, gpu_a, gpu_b)`, `peer_copy(world, gpu_a, gpu_b)`.
- `network`: pure `header_share`, `packet_loss`, `loss_share`, `wire_rate`; `packet_size(world, port)`,
  `wire(world, port, mtu=, queue_pairs=, share=)`, `host_rdma(world, hca_id, near=, mtu=, queue_pairs=, share=)`,
  `gpu_nic(world, gpu_id, hca_id, direct=True)`, `gpu_rdma(world, gpu_id, hca_id, direct=, mtu=, queue_pairs=, share=)`.
- `fabric`: `between(world, port_a, port_b)` gives a `FabricPath` (links, switches, rate, mtu, loss) or None without a
  way; `carried(world, port_a, port_b, mtu=, share=)` the GB/s of it.
"""
