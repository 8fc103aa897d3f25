"""What is known of the cases of a library: which forms say each, and which references it meets."""
