"""What expressions are: their sorts, dimensions, orders and known values."""
