"""Steps of the fast forms: sweeps link by link on regrouped masses."""
