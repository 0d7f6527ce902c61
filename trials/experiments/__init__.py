"""Experiments: each module has NAME, DOC and run(), which yields lines for the JSON output."""
