"""Machine code by LLVM: tapes as modules of its assembly language."""
