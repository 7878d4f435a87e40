"""What several Linux commands share: time formats, sizes, tables, paths, log selection, logins."""
