"""The command line. This package itself imports nothing: each room of the house passes through it."""
