"""Studies: an analysis of a model made many times, over parameters, inputs and starts."""
