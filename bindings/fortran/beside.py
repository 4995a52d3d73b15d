#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a module of a library beside libcomity from its headers.   beside.py --module NAME --include FOLDER --into FILE"""
import argparse
from pathlib import Path

import headers
from beside_forms import BesideForms
from generate import Module
from writing import REPHRASED_BESIDE, statement

# Each with its headers, in an order in which each name is known before it is used. A type of C has the name comity_record, so
# the module cannot.
MODULES = {"comity_sched": ("sched", "sched_sync", "sched_tasks"), "comity_records": ("record",)}
RESULTS = {"void*": "type(c_ptr)", "int32_t": "integer(c_int32_t)"}  # of functions that cannot fail


class Beside(Module):
    END_PROGRAM = "comity_conclude"

    def __init__(self, name, interface):
        super().__init__(interface, BesideForms, REPHRASED_BESIDE[name], name)

    def parts(self):
        return {**super().parts(), "generator": "bindings/fortran/beside.py"}

    def handles(self):
        """Handles have no types."""
        return []

    def c_interface(self, function, forms):
        lines = super().c_interface(function, forms)
        if function.result in RESULTS:
            lines[-2] = lines[-2].replace("integer(c_int)", RESULTS[function.result])
        return lines

    def procedure(self, function, forms):
        if function.result not in RESULTS:
            return super().procedure(function, forms)
        logical = function.returns.startswith("1 or 0")
        dummies = [dummy for form in forms for dummy in form.dummies]
        actuals = ", ".join(one for form in forms for one in form.actuals)
        return ["", *self.reference(function, forms),
                *statement(f"function {function.name}({', '.join(name for name, _ in dummies)}) result(answer)", 2),
                *(f"    {line}" for _, line in dummies), f"    {'logical' if logical else RESULTS[function.result]} :: answer",
                f"    answer = c_{function.name}({actuals}){' /= 0' if logical else ''}", f"  end function {function.name}"]


def written(name, include):
    """The text of a module; `include` is the folder of the headers."""
    return Beside(name, headers.read([include / f"{area}.h" for area in MODULES[name]])).text()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--module", choices=MODULES, required=True)
    parser.add_argument("--include", type=Path, required=True)
    parser.add_argument("--into", type=Path, required=True)
    words = parser.parse_args()
    words.into.write_text(written(words.module, words.include / "comity"), encoding="utf-8")


if __name__ == "__main__":
    main()
