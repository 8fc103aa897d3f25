"""Work that other processes do: those of this machine, or the workers of a cluster."""
