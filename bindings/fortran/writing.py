# SPDX-License-Identifier: BSD-3-Clause
"""Lines of Fortran: comments and statements that fit, and the words of C's reference as Fortran says them."""
import re
import textwrap

WIDTH = 120

# C's words that mean something else, or nothing, in Fortran. Each must occur: the build ends where one has become stale.
REPHRASED = (
    (r"may be null\b", "may be absent"),
    (r"null: all its ranks on the node", "absent: all its ranks on the node"),
    (r"\(group null\)", "(no group)"),
    (r"COMITY_ERR_RANGE: the text did not fit \(the buffer holds \"\", the length is set\); ?", ""),
    (r"more than `capacity` \(count is set\)", "more than the array has room for (count is set)"),
    (r", or a capacity below 0", ""),
    (r"\*selected is 1", "selected is true"),
    (r"comity_context_enter\(context, COMITY_NUMA, 1, 0, &selected\); if \(selected\) solve\(\); "
     r"comity_context_leave\(context\);",
     "call context%enter(COMITY_NUMA, 1, 0, selected);  if (selected) call solve();  call context%leave()"),
    (r"Null: none\.", "Absent: none."),
    (r"\bINT64_MAX\b", "huge(0_c_int64_t)"),
    (r"a constant string; never null", "a text"),
    (r"a constant string", "a text"),
    (r"a string that stays valid until the next failing call of this thread", "a text"),
    (r"; null counts as \"\"", ""),
    (r"Texts end with a zero byte, are printable ASCII, and are", "Texts are printable ASCII, filled up with blanks,"),
    (r"Zero-initialise it for the empty set\.", "It begins as the empty set."),
    (r"^\[0 or 1\]", "[logical]"),
)

# The same for the modules of the libraries beside libcomity, where null has no other word for handles, data and procedures.
REPHRASED_BESIDE = {
    "comity_sched": (
        (r"may be null\b", "may be absent"),
        (r"\bnull: as one of zeros", "absent: as one of zeros"),
        (r"\bnull: nobody waits", "absent: nobody waits"),
        (r"\bnull: none", "blank: none"),
        (r"\b1 or 0; 0 where", "true or false; false where"),
        (r"where when_empty is 1\.", "where when_empty is true."),
        (r"another `wanted`, or ", "or "),
    ),
    "comity_records": (),
}


class Rephrasing:
    def __init__(self, rephrased=REPHRASED):
        self.rephrased = rephrased
        self.used = set()

    def __call__(self, text):
        for pattern, words in self.rephrased:
            text, times = re.subn(pattern, words, text)
            if times:
                self.used.add(pattern)
        return text

    def unused(self):
        return [pattern for pattern, _ in self.rephrased if pattern not in self.used]


def comment(text, indent=2):
    """`!>` lines."""
    start = " " * indent + "!> "
    return textwrap.wrap(text, WIDTH, initial_indent=start, subsequent_indent=start + " ", break_long_words=False,
                         break_on_hyphens=False)


def statement(text, indent=4):
    """One statement, over several lines where it is long; broken after commas."""
    lines = []
    line = " " * indent
    for piece in re.split(r"(?<=, )", text):
        if len(line) + len(piece) + 2 > WIDTH:
            lines.append(line.rstrip() + " &")
            line = " " * (indent + 2)
        line += piece
    return lines + [line.rstrip()]
