"""The library that is installed with mbx: where it is, what its cases say, how they are named."""

from mbx.linking.library.address import find_model, known_addresses
from mbx.linking.library.case import Case, CaseSource, case_schema, read_case
from mbx.linking.library.copies import copy_case, copy_part
from mbx.linking.library.folders import cases, is_shipped, parts, parts_root, root

__all__ = [
    "Case",
    "CaseSource",
    "case_schema",
    "cases",
    "copy_case",
    "copy_part",
    "find_model",
    "is_shipped",
    "known_addresses",
    "parts",
    "parts_root",
    "read_case",
    "root",
]
