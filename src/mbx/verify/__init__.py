"""Whether the forms of one model agree: states, comparisons, verdicts (chapter 7).

The package has the name of a verb: importing it puts it in the place of the function
`mbx.verify`, so the package itself can be called.
"""

import sys
from types import ModuleType
from typing import Any

from mbx.base.late import late


class _Verb(ModuleType):
    def __call__(self, *args: Any, **options: Any) -> Any:
        """Verify a model."""
        return late("mbx.verify.verification_verbs:verify")(*args, **options)


sys.modules[__name__].__class__ = _Verb
