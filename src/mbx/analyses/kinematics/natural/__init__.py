"""Natural coordinates: points and unit vectors of the bodies of a mechanism."""
