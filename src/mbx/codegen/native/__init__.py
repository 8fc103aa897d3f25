"""Equations as machine code: functions on one state, and on many side by side.

tape, tape_plan             expressions as operations in order
llvm                        operations as instructions and modules of LLVM's assembly language
cc, toolchain               the C compiler of the system, the only other program that is started
argument_layout             which numbers go in and come out, and where
machine_code                the one place where machine code is called
cache                       machine code on disk, by the hash of what it was made from
function, program_function  the function that a user calls, in machine code or in NumPy
scalar_function             expressions as a function of one array
choose_backend, clock       which backend; how long it takes
chain, closed               several functions on shared numbers
stages                      the stages of a step of integration
"""
