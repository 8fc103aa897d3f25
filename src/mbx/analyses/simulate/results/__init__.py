"""Results of a run: energy balance, momentum, reactions, tables and plots."""
