"""Every way a person meets breakfix: command line, plain mode, full-screen program and web serving."""
