"""The structure of a model: freedoms, ranks, redundancy, integrability, singular states."""
