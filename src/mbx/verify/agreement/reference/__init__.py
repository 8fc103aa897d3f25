"""References for declared results, computed from mechanics and by no form."""
