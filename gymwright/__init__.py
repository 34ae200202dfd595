"""Gymwright: what a client installs."""
