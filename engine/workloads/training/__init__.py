"""Training jobs: how fast a step goes on the machines as they stand, what the job prints, and how it ends.

| module | what |
| --- | --- |
| `configuration` | what a script trains, and how it is spread over the GPUs it got |
| `model` | the step: a pure function of rates and of how fast ranks are |
| `progress` | where a run stands at a time, and when a step is done: exact, by regimes |
| `inputs` | what the model needs, read from the world |
| `runs` | a run from launch to end: begun, looked at again when something changes, given up |
| `output`, `step_lines`, `failure_lines`, `rank_table` | what the job's files say at a time |

A run is kept in `world.training` by the number of its job (engine.world.records.training). Nothing polls: progress is
a function of the regime and the time, text of the regimes and the time.
"""
