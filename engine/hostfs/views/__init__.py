"""What the site gives a host's file tree: one file per part, named after it (`var_log.py` is /var/log; see
`engine.hostfs.areas`).
"""
