# SPDX-License-Identifier: BSD-3-Clause
"""The reference in the public C headers, and its gaps: a parameter without an @param with its unit in brackets, an @param
that names no parameter, a field that is missing or empty. It reads functions marked COMITY_EXPORT, in the house format;
types and callbacks are not looked at."""
import re

FIELDS = ("@return", "Call from:", "Blocks:", "Collective:", "Owns:", "Since:", "Source:")
COMMENT = re.compile(r"/\*\*((?:(?!\*/).)*)\*/\s*\Z", re.DOTALL)
FUNCTION = re.compile(r"^COMITY_EXPORT\s+([^;(]*?)(\w+)\(([^;]*)\);", re.MULTILINE)
PARAM = re.compile(r"@param\s+(\w+)(\s+\[[^\]\s][^\]]*\])?")


def parameters(signature):
    """Names of the parameters: the last word of each, without an array's brackets."""
    if signature.strip() in ("", "void"):
        return []
    return [re.search(r"(\w+)\s*(?:\[\w*\])?\s*\Z", one).group(1) for one in signature.split(",")]


def plain(comment):
    """A comment's words on one line."""
    return " ".join(re.sub(r"^\s*\*", "", comment, flags=re.MULTILINE).split())


def empty_or_missing(text):
    """Fields that do not occur, or after which the next field or the end follows at once."""
    ends = "|".join(re.escape(field) for field in FIELDS + ("@param",))
    return [field for field in FIELDS if not re.search(re.escape(field) + rf"\s*(?!{ends})[^\s.]", text)]


def gaps_of(name, signature, comment):
    """Sentences, one for each gap of one function."""
    if comment is None:
        return [f"{name}: has no reference; write it in a /** */ comment right above"]
    text = plain(comment)
    wanted = parameters(signature)
    described = PARAM.findall(text)
    names = [described_name for described_name, _ in described]
    gaps = [f"{name}: parameter {one} has no @param" for one in wanted if one not in names]
    gaps += [f"{name}: @param {one} names no parameter" for one in names if one not in wanted]
    gaps += [f"{name}: @param {one} stands twice" for one in sorted({one for one in names if names.count(one) > 1})]
    gaps += [f"{name}: @param {one} has no unit in brackets" for one, unit in described if not unit]
    gaps += [f"{name}: {field.rstrip(':')} is missing or empty" for field in empty_or_missing(text)]
    return gaps


def functions(header):
    """(name, signature, comment or None) of each function of a header's text."""
    for match in FUNCTION.finditer(header):
        comment = COMMENT.search(header[: match.start()])
        yield match.group(2), match.group(3), comment.group(1) if comment else None


def gaps(header):
    """All gaps of a header's text."""
    return [gap for function in functions(header) for gap in gaps_of(*function)]
