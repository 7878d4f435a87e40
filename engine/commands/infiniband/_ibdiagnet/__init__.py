"""Stages and files of ibdiagnet."""
