"""What is sound in a question bank beyond its form: keys, explanations, sources, wording, balance, coverage, exhibits.

`run.py` lists the checks; each is a module with `check(pool)`. Errors fail, warnings are told.
"""
