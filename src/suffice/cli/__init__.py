"""The command line: `suffice`, or `python -m suffice`."""
