"""Parts of dcgmi: its command line, its tables, one module for each subsystem."""
