"""Watches for scripts that a shell has to run: those of batch jobs, and those of nodes. Who runs them
(engine.shell.batch_crew, node_crew) is loaded with the first one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.shell.batch_crew import BatchCrew
    from engine.shell.node_crew import NodeCrew
    from engine.shell.shell import Shell


class BatchScripts:
    """All batch scripts of one simulation."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._crew: BatchCrew | None = None
        self._nodes: NodeCrew | None = None
        shell.scheduler.when_settled.append(self.look)
        shell.scheduler.attention = self.wants_attention

    def wants_attention(self) -> bool:
        """Whether a script may begin, or one that runs must end."""
        return (
            self._waiting()
            or self._nodes_wait()
            or (self._crew is not None and self._crew.wants_attention())
            or (self._nodes is not None and self._nodes.wants_attention())
        )

    def look(self) -> None:
        """Begin scripts that wait, write down what was said, end scripts whose job is over."""
        if self._crew is None and self._waiting():
            from engine.shell.batch_crew import BatchCrew

            self._crew = BatchCrew(self._shell)
        if self._crew is not None:
            self._crew.look()
        if self._nodes is None and self._nodes_wait():
            from engine.shell.node_crew import NodeCrew

            self._nodes = NodeCrew(self._shell)
        if self._nodes is not None:
            self._nodes.look()

    def leave_begun(self) -> None:
        """Scripts that another shell had begun go on without one."""
        numbers = self._shell.simulation.world.slurm[""].scripts_begun
        if numbers:
            from engine.control.slurm.batch import LeaveScript

            for number in numbers:
                self._shell.simulation.apply(LeaveScript(number))
        begun = [each.number for each in self._shell.simulation.world.slurm[""].node_scripts if each.begun]
        if begun:
            from engine.control.slurm.job_scripts import LeaveNodeScript

            for number in begun:
                self._shell.simulation.apply(LeaveNodeScript(number))

    def close(self) -> None:
        """Stop everything that runs; what that does to the jobs is nobody's business any more."""
        if self._crew is not None:
            self._crew.close()
        if self._nodes is not None:
            self._nodes.close()

    def _nodes_wait(self) -> bool:
        return any(not each.begun for each in self._shell.simulation.world.slurm[""].node_scripts)

    def _waiting(self) -> bool:
        controller = self._shell.simulation.world.slurm[""]
        return len(controller.scripts) > len(controller.scripts_begun)
