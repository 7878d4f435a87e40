"""The full-screen program in a browser: a web server, a page, and a process for each visitor."""
