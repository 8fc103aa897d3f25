"""The problems that people solve with equations of motion."""
