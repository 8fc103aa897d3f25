"""The mbx command: one verb, one module."""
