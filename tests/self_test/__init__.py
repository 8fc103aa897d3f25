"""Who verifies the verifier: faults are planted, and each must be found (chapter 7.7)."""
