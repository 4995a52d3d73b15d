# SPDX-License-Identifier: BSD-3-Clause
"""Every function of the public C headers has its whole reference, and a gap is found.   reference_test.py [FOLDER]"""
import pathlib
import re
import sys
import unittest

import reference

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "include" / "comity"

WHOLE = """
/** Lend harts.
 *  @param context [handle].   @param harts [count] 1 .. 4.   @param lent [count, out] untouched on
 *  failure.
 *  @return COMITY_OK; COMITY_ERR_RANGE.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_lend(comity_context* context, const int32_t harts[4],
                                        int32_t* lent);
"""


def planted(old, new=""):
    """WHOLE with one change, which must be there to be made."""
    assert old in WHOLE, old
    return WHOLE.replace(old, new)


class PublicHeaders(unittest.TestCase):
    def test_have_the_whole_reference_of_every_function(self):
        found = [f"{path.name}: {gap}" for path in sorted(FOLDER.glob("*.h")) for gap in reference.gaps(path.read_text())]
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_hide_no_function_from_this_test(self):
        for path in sorted(FOLDER.glob("*.h")):
            text = path.read_text()
            marks = re.findall(r"^COMITY_EXPORT\b", text, re.MULTILINE)
            calls = re.findall(r"^\w[^#/;{}()\n]*\bcomity_\w+\(", text, re.MULTILINE)
            self.assertEqual(len(list(reference.functions(text))), len(marks), path.name)
            self.assertEqual(len(calls), len(marks), f"{path.name} has a function without COMITY_EXPORT")

    def test_are_found(self):
        self.assertGreater(sum(len(list(reference.functions(path.read_text()))) for path in FOLDER.glob("*.h")), 30)


class Reference(unittest.TestCase):
    def expect(self, header, *sentences):
        self.assertEqual(reference.gaps(header), list(sentences))

    def test_accepts_a_whole_reference(self):
        self.expect(WHOLE)

    def test_names_a_parameter_that_is_not_described(self):
        self.expect(planted("@param context [handle]."), "comity_lend: parameter context has no @param")

    def test_names_a_parameter_on_the_second_line_of_a_signature(self):
        self.expect(planted("@param lent [count, out]"), "comity_lend: parameter lent has no @param")

    def test_names_a_description_of_no_parameter(self):
        self.expect(planted("@param harts [count]", "@param hearts [count]"),
                    "comity_lend: parameter harts has no @param", "comity_lend: @param hearts names no parameter")

    def test_does_not_take_a_list_of_names_for_descriptions(self):
        self.expect(planted("@param harts [count] 1 .. 4.   @param lent [count, out]", "@param harts [count], lent"),
                    "comity_lend: parameter lent has no @param")

    def test_names_a_parameter_that_is_described_twice(self):
        self.expect(planted("[handle].", "[handle]. @param context [handle]."), "comity_lend: @param context stands twice")

    def test_names_a_parameter_without_a_unit(self):
        self.expect(planted("lent [count, out]", "lent"), "comity_lend: @param lent has no unit in brackets")

    def test_names_each_field_that_is_missing(self):
        for field in reference.FIELDS:
            with self.subTest(field):
                self.expect(planted(field), f"comity_lend: {field.rstrip(':')} is missing or empty")

    def test_names_a_field_that_is_empty(self):
        self.expect(planted("Owns: nothing.", "Owns:"), "comity_lend: Owns is missing or empty")
        self.expect(planted("Source: none.", "Source: ."), "comity_lend: Source is missing or empty")

    def test_names_a_function_without_a_reference(self):
        self.expect("/* no reference */\nCOMITY_EXPORT void comity_rest(void);\n",
                    "comity_rest: has no reference; write it in a /** */ comment right above")

    def test_does_not_take_the_comment_of_something_else(self):
        self.expect(planted("COMITY_EXPORT", "typedef struct lent lent;\nCOMITY_EXPORT"),
                    "comity_lend: has no reference; write it in a /** */ comment right above")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        FOLDER = pathlib.Path(sys.argv.pop(1))
    unittest.main()
