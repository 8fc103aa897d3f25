"""Normal forms, eliminated speeds and solved equations, for pages."""
