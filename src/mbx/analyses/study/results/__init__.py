"""Results of a study: tables, statistics, sensitivities and plots."""
