"""What people look at: drawings, reports, notebooks, coverage pages."""
