"""Descriptions of objects, a module for each family of kinds."""
