"""Every fact there is, one file per topic: functions whose annotations and docstrings are the documentation."""
