# SPDX-License-Identifier: MIT
"""The man pages as text, read without mandoc: the macros that they use, and no others.

The layout is what `mandoc -Tutf8` prints on a page so wide that no line is broken: text begins in
column 5, the text of a list's tag in column 13. tests/live/man_test.py compares the two.
"""
import os
import re

from frames import check
from programs import BUILD

_TUI = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tui")
PAGE = os.path.join(BUILD, "pmctop.1")
METRICS_PAGE = os.path.join(BUILD, "pmctop-metrics.7")
REMOTE_PAGE = os.path.join(_TUI, "pmctop-remote.7")
PAGES = (PAGE, METRICS_PAGE, REMOTE_PAGE)

OPENING, CLOSING = set("(["), set(".,:;)]?!")
ESCAPES = {"-": "-", "&": "", "e": "\\", "(aq": "'", "(dq": '"', "(ti": "~", "(ha": "^"}
PLAIN = {"Ar", "Cm", "Dv", "Ev", "Ic", "Li", "Pa", "Sx", "Sy", "Va", "No"}
# Ql and the others enclose the rest of the line; Oo and Po enclose the text up to Oc and Pc.
ENCLOSED = {"Op": "[]", "Pq": "()", "Ql": "‘’"}
OPENED, CLOSED = {"Oo": "[", "Po": "("}, {"Oc": "]", "Pc": ")"}
INLINE = (PLAIN | set(ENCLOSED) | set(OPENED) | set(CLOSED)
          | {"Fl", "Fn", "Nd", "Nm", "Ns", "Pf", "Xr"})
INDENT, DISPLAY_INDENT = 5, 6
TAG_INDENT = 8


class Unknown(Exception):
    """Input that this module cannot read."""


def plain(text):
    return " ".join(text.split())


def entries(section):
    """{tag: text} of a section's lists and paragraphs."""
    found = {}
    for part in re.split(r"^ {5}(?=\S)", section, flags=re.M)[1:]:
        tag, text = re.match(r"(.*?)(?: {2,}|\n|$)(.*)", part, re.S).groups()
        found[tag] = plain(text)
    return found


def by_section(text):
    parts = re.split(r"^([A-Z][A-Z ]+)\n", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def missing_words(text, words):
    """Returns the words that are not in the text as whole words."""
    text = plain(text)
    return [word for word in words
            if not re.search(rf"(?<![\w-]){re.escape(plain(word))}(?![\w-])", text)]


def check_words(name, text, words):
    missing = missing_words(text, words)
    check(name, words and not missing, missing or "no words to compare")


def read_page(path):
    """The text of each section by its name. Raises Unknown."""
    with open(path, encoding="utf-8") as file:
        reader = _Reader()
        for number, line in enumerate(file, 1):
            try:
                reader.read(line.rstrip("\n"))
            except Unknown as error:
                raise Unknown(f"{os.path.basename(path)}:{number}: {error}") from None
    return by_section(reader.text())


def _unescaped(text):
    def character(found):
        name = found.group(1)
        if name not in ESCAPES:
            raise Unknown(f"tests/mdoc.py does not implement the escape \\{name}")
        return ESCAPES[name]
    return re.sub(r"\\(\(..|.?)", character, text)


def _arguments(line):
    """The words of a line. Blanks in double quotes do not separate words."""
    return [quoted if whole.startswith('"') else whole
            for whole, quoted in re.findall(r'("([^"]*)"|\S+)', line)]


class _Words:
    """Words, separated by a blank. No blank at delimiters, two after a sentence."""

    def __init__(self):
        self.text, self.joined, self.is_sentence = "", True, False

    def append(self, word, join_left=False, join_right=False):
        blanks = "  " if self.is_sentence else " "
        self.text += ("" if self.joined or join_left else blanks) + word
        self.joined, self.is_sentence = join_right, False

    def argument(self, word, prefix=""):
        if word in CLOSING:
            self.append(word, join_left=True)
        elif word in OPENING:
            self.append(word, join_right=True)
        else:
            self.append(("" if word == "|" else prefix) + _unescaped(word))


class _Reader:
    def __init__(self):
        self.lines, self.words = [], _Words()
        self.name = self.section = None
        self.lists, self.widths = [], []
        self.literal, self.literal_indent = False, 0

    def text(self):
        self.end_line()
        return "\n".join(self.lines) + "\n"

    def read(self, line):
        if line.startswith('.\\"'):
            return
        if line.startswith("."):
            macro, *arguments = _arguments(line[1:]) or [""]
            known = getattr(self, f"block_{macro}", None)
            if self.literal and macro != "Ed":
                raise Unknown(f"macro .{macro} within a literal display")
            if known:
                known(*arguments)
            elif macro in INLINE:
                self.inline([macro, *arguments])
            else:
                raise Unknown(f"tests/mdoc.py does not implement the macro .{macro}")
        elif self.literal:
            self.lines.append(" " * self.literal_indent + _unescaped(line))
        elif not line:
            raise Unknown("an empty line")
        else:
            self.words.append(_unescaped(line))
        self.words.is_sentence = re.search(r"[.!?][])]*$", line) is not None

    def indent(self):
        tags = sum(kind == "-tag" for kind in self.lists)
        return INDENT + TAG_INDENT * tags

    def end_line(self):
        if self.words.text:
            self.lines.append(" " * self.indent() + self.words.text)
        self.words = _Words()

    def block_Dd(self, *_):
        pass

    block_Dt = block_Os = block_Dd

    def block_Sh(self, *name):
        self.end_line()
        self.section = " ".join(name)
        self.lines += ["", self.section]

    def block_Pp(self):
        self.end_line()
        self.lines.append("")

    def block_Bl(self, kind, *arguments):
        self.end_line()
        if kind not in ("-tag", "-column"):
            raise Unknown(f"a list of kind {kind}")
        if kind == "-column":
            self.widths = [len(_unescaped(argument)) for argument in arguments]
        self.lists.append(kind)
        self.lines.append("")

    def block_It(self, *arguments):
        self.end_line()
        if self.lists[-1] == "-tag":
            self.lines += ["", " " * (self.indent() - TAG_INDENT) + self.words_of(arguments)]
            return
        cells = re.split(r" ?\bTa ", " ".join(arguments))
        row = "".join(self.words_of(_arguments(cell)).ljust(width + 4)
                      for width, cell in zip(self.widths, cells))
        self.lines.append(" " * self.indent() + row.rstrip())

    def block_El(self):
        self.end_line()
        self.lists.pop()

    def block_Bd(self, kind, *arguments):
        self.end_line()
        if kind != "-literal" or set(arguments) - {"-compact", "-offset", "indent"}:
            raise Unknown(f"a display of kind {' '.join([kind, *arguments])}")
        if "-compact" not in arguments:
            self.lines.append("")
        self.literal = True
        self.literal_indent = self.indent() + (DISPLAY_INDENT if "-offset" in arguments else 0)

    def block_Ed(self):
        self.literal = False

    def block_Dl(self, *words):
        self.end_line()
        self.lines.append(" " * (self.indent() + DISPLAY_INDENT) + _unescaped(" ".join(words)))

    def words_of(self, arguments):
        """The text of a line of macros alone."""
        words, self.words = self.words, _Words()
        self.inline(arguments if arguments[0] in INLINE else ["No", *arguments])
        words, self.words = self.words, words
        return words.text

    def inline(self, arguments):
        """Appends a macro and its arguments. Some of them may be macros."""
        macro, *rest = arguments
        own = next((i for i, word in enumerate(rest) if word in INLINE), len(rest))
        if macro in ENCLOSED:
            own = len(rest)
            while own and rest[own - 1] in CLOSING:
                own -= 1
            self.words.append(ENCLOSED[macro][0], join_right=True)
            self.inline(rest[:own] if rest[0] in INLINE else ["No", *rest[:own]])
            self.words.append(ENCLOSED[macro][1], join_left=True)
            self.inline_words(rest[own:])
            return
        used, prefix = 0, ""  # how many arguments are not plain words
        if macro == "Fl" and own == 0:
            self.words.append("-", join_right=bool(rest))
        elif macro == "Fl":
            prefix = "-"
        elif macro == "Nm" and (own == 0 or not self.name):
            used = own
            self.name = self.name or rest[0]
            if self.section == "SYNOPSIS":
                self.end_line()
            self.words.append(self.name)
        elif macro == "Xr":
            used = 2
            self.words.append("{}({})".format(*rest))
        elif macro == "Fn":
            used = next((i for i, word in enumerate(rest) if word in CLOSING), own)
            self.words.append(f"{rest[0]}({', '.join(rest[1:used])})")
        elif macro == "Pf":
            used = 1
            self.words.append(_unescaped(rest[0]), join_right=True)
        elif macro == "Ns":
            self.words.joined = True
        elif macro == "Nd":
            self.words.append("–")
        elif macro in OPENED:
            self.words.append(OPENED[macro], join_right=True)
        elif macro in CLOSED:
            self.words.append(CLOSED[macro], join_left=True)
        elif own == 0 and macro != "No":
            raise Unknown(f"tests/mdoc.py does not implement the macro {macro} without an argument")
        self.inline_words(rest[used:own], prefix)
        if rest[own:]:
            self.inline(rest[own:])

    def inline_words(self, words, prefix=""):
        for word in words:
            self.words.argument(word, prefix)
