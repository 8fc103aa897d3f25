"""Equations as machine code: functions on one state, and on many side by side.

tape, plan, parts   expressions as operations in order, in parts of bounded length
lines, body         operations as instructions of LLVM's assembly language
sincos, turning     sines and cosines without branches
rounds              iterations
assembly, driver    modules of instructions; the loop over states
layout              which numbers go in and come out, and where
llvm, cc            the compilers: llvmlite, or the C compiler of the system
toolchain           the one place where another program is started
machine             the one place where machine code is called
cache               machine code on disk, by the hash of what it was made from
function            what a user calls; `program` the same in NumPy
build, clock        which of them; how long it takes
stages              the stages of a step of integration
"""
