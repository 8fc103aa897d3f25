"""The mbx command: a module for each verb."""
