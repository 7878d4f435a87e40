"""Traffic: fluid flows over directed links, what each gets, and what ports count meanwhile.

`exchange` opens and closes flows and keeps the result in the world, `counters` reads it, `routes` finds ways and
`capacity` says what a link carries. The rest is a pure solver that knows no world: `problem` and `profiles` are its
input, `layout` brings that into form, `filling` and `port_shares` divide the links, `solving` puts them together,
`observing` works out pauses, queues, marks, drops and deadlocks.
"""
