# SPDX-License-Identifier: BSD-3-Clause
"""The public C headers as data: constants, enumerations, structs, callbacks, handles and functions with their references.
Reads the house format (CONTRIBUTING.md), and ends the build where it meets what it does not know. Not: what Fortran makes
of them (forms.py)."""
import re
from dataclasses import dataclass, field


@dataclass
class Constant:
    name: str
    value: str  # as C writes it
    comment: str


@dataclass
class Enumeration:
    name: str
    comment: str
    values: list  # of Constant


@dataclass
class Field:
    name: str
    type: str
    length: str  # of an array; "" where it is none
    comment: str
    calls: bool = False  # a callback


@dataclass
class Struct:
    name: str
    comment: str
    fields: list  # of Field; a callback without a name of its own has its whole declaration as type


@dataclass
class Parameter:
    name: str
    type: str  # without spaces before the stars: "const comity_context*"
    unit: str = ""  # what stands in the brackets of its @param
    text: str = ""  # and behind them


@dataclass
class Function:
    name: str
    result: str
    parameters: list  # of Parameter
    summary: str
    returns: str
    fields: str  # "Call from: ... Source: ..."


@dataclass
class Interface:
    constants: list = field(default_factory=list)
    enumerations: list = field(default_factory=list)
    structs: list = field(default_factory=list)
    callbacks: list = field(default_factory=list)  # of Function
    handles: list = field(default_factory=list)  # names
    functions: list = field(default_factory=list)


COMMENT = r"/\*\*(?P<comment>(?:(?!\*/).)*)\*/\s*"
PATTERNS = {
    "enumerations": re.compile(COMMENT + r"typedef enum (?P<name>\w+) \{(?P<body>[^}]*)\} (?P=name);", re.DOTALL),
    "structs": re.compile(COMMENT + r"typedef struct (?P<name>\w+) \{(?P<body>[^}]*)\} (?P=name);", re.DOTALL),
    "callbacks": re.compile(COMMENT + r"typedef (?P<result>\w+) \(\*(?P<name>\w+)\)\((?P<body>[^)]*)\);", re.DOTALL),
    "functions": re.compile(COMMENT + r"COMITY_EXPORT\s+(?P<result>[^;(]*?)(?P<name>\w+)\((?P<body>[^;]*)\);", re.DOTALL),
}
HANDLE = re.compile(r"^typedef struct (\w+)\s+\1;", re.MULTILINE)
CONSTANT = re.compile(r"^#define (COMITY_\w+) ([^\s/]+|\"[^\"]*\")[ \t]*(?:/\*\*<(.*?)\*/)?[ \t]*$", re.MULTILINE)
VALUE = re.compile(r"(?P<name>COMITY_\w+) =\s+(?P<value>\d+),?\s*(?:/\*\*<(?P<comment>.*?)\*/)?", re.DOTALL)
AFTER = r"(?:[ \t]*/\*\*<(?P<after>.*?)\*/)?"
MEMBER = re.compile(r"(?P<type>(?:const )?\w+\*?(?: const\*)?) (?P<name>\w+)(?:\[(?P<length>[^\]]+)\])?;" + AFTER, re.DOTALL)
CALLBACK_MEMBER = re.compile(r"(?:" + COMMENT.replace(r"/\*\*", r"/\*\*(?!<)", 1) + r")?"
                             r"(?P<type>\w+\*? \(\*(?P<name>\w+)\)\([^)]*\));" + AFTER, re.DOTALL)
PARAM = re.compile(r"@param\s+(\w+)\s+\[([^\]]*)\]\s*(.*?)\s*(?=@param|@return)")


def plain(comment):
    """A comment's words on one line."""
    return " ".join(re.sub(r"^\s*\*", "", comment or "", flags=re.MULTILINE).split())


def split_parameter(text):
    type_, name = re.fullmatch(r"\s*(.*?)(\w+)\s*", text, re.DOTALL).groups()
    return Parameter(name, " ".join(type_.split()))


def split_parameters(body):
    return [] if body.strip() in ("", "void") else [split_parameter(one) for one in body.split(",")]


def read_function(match):
    text = plain(match["comment"])
    parameters = split_parameters(match["body"])
    said = {name: (unit, words) for name, unit, words in PARAM.findall(text)}
    for parameter in parameters:
        parameter.unit, parameter.text = said[parameter.name]  # tests/headers sees to it that each one is there
    summary = re.split(r"@param|@return", text)[0].strip()
    returns, fields = re.search(r"@return (.*?) (Call from: .*)", text).groups()
    return Function(match["name"], match["result"].strip(), parameters, summary, returns, fields)


def read_struct(match):
    body = match["body"]
    fields = [Field(m["name"], m["type"], "", plain(m["comment"] or m["after"])) for m in CALLBACK_MEMBER.finditer(body)]
    if not fields:
        fields = [Field(m["name"], m["type"], m["length"] or "", plain(m["after"])) for m in MEMBER.finditer(body)]
    else:  # the callbacks stand last
        head = body[: body.index("/** ")] if "/** " in body else body
        fields = [Field(m["name"], m["type"], "", plain(m["after"])) for m in MEMBER.finditer(head)] + fields
    return Struct(match["name"], plain(match["comment"]), fields)


def read_enumeration(match):
    values = [Constant(m["name"], m["value"], plain(m["comment"])) for m in VALUE.finditer(match["body"])]
    return Enumeration(match["name"], plain(match["comment"]), values)


def read_callback(match):
    return Function(match["name"], match["result"], split_parameters(match["body"]), plain(match["comment"]), "", "")


READERS = {"enumerations": read_enumeration, "structs": read_struct, "callbacks": read_callback, "functions": read_function}


def read(paths):
    """The interface of several headers, in their order."""
    interface = Interface()
    for path in paths:
        text = path.read_text(encoding="utf-8")
        for kind, pattern in PATTERNS.items():
            getattr(interface, kind).extend(READERS[kind](match) for match in pattern.finditer(text))
        interface.handles += [name for name in HANDLE.findall(text) if name not in interface.handles]
        interface.constants += [Constant(*groups) for groups in CONSTANT.findall(text) if groups[0] != "COMITY_EXPORT"]
        refuse_strangers(path, text, interface)
    callbacks = {one.name for one in interface.callbacks}
    for one in (field for struct in interface.structs for field in struct.fields):
        one.calls = "(*" in one.type or one.type in callbacks
    return interface


def refuse_strangers(path, text, interface):
    """Ends the build where a header has what none of the patterns has read."""
    known = {one.name for kind in PATTERNS for one in getattr(interface, kind)} | set(interface.handles)
    code = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    declared = re.findall(r"^COMITY_EXPORT[^(]*?(\w+)\(", code, re.MULTILINE)
    declared += re.findall(r"^typedef (?:enum|struct) (\w+)", code, re.MULTILINE)
    declared += re.findall(r"^typedef \w+ \(\*(\w+)\)", code, re.MULTILINE)
    for name in declared:
        if name not in known:
            raise SystemExit(f"{path}: {name} is not in the house format, so it gets no Fortran form; see {__file__}")
