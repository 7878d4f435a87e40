"""Ethernet in the world: what the records of ports mean for traffic, how switches choose ways, watchdogs, deadlocks,
and the actions by which all of it is set.

`profile` and `service` turn records into what engine.physics.traffic is asked; `spreading` chooses among equal ways;
`watchdog` and `locks` keep what is latched; `settings` holds the actions; `names` are the names that switches give
their ports.
"""
