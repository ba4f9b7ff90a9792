# SPDX-License-Identifier: MIT
"""A terminal's screen as SVG: text with SGR sequences, as `tmux capture-pane -e -p` prints it. Each
run of cells has its own position, so that no font can move a column."""
import re
import unicodedata
from html import escape

CELL_W, CELL_H, SIZE, PAD = 8.4, 18, 14, 12
GROUND, TEXT = "#101418", "#d6dae0"
ANSI = ("#1d2329", "#d9534f", "#5fa55a", "#d5a13a", "#4f8fd0", "#a874c4", "#3fa3a3", "#c7ccd1",
        "#5c6670", "#f07b75", "#86c983", "#eec463", "#7db4ec", "#c79be0", "#68c6c6", "#f4f6f8")
FONT = "ui-monospace,'DejaVu Sans Mono','Cascadia Mono',Menlo,Consolas,monospace"
LEFT, LOWER = "▏▎▍▌▋▊▉█", "▁▂▃▄▅▆▇"  # so many eighths of a cell
BRAILLE = "".join(map(chr, range(0x2800, 0x2900)))


def color(numbers, front, back):
    """(colour, numbers used) of the numbers behind 38 or 48: one of 256 colours, or 24 bits."""
    if numbers[:1] == [2]:
        return "#%02x%02x%02x" % tuple(numbers[1:4]), 4
    n = numbers[1] if len(numbers) > 1 else 0
    if n < 16:
        return ANSI[n], 2
    if n >= 232:
        return "#%02x%02x%02x" % ((8 + 10 * (n - 232),) * 3), 2
    levels = (0, 95, 135, 175, 215, 255)
    n -= 16
    return "#%02x%02x%02x" % (levels[n // 36], levels[n // 6 % 6], levels[n % 6]), 2


class Style:
    def __init__(self):
        self.front = self.back = None
        self.bold = self.dim = self.underline = self.reverse = False

    def apply(self, parameters):
        numbers = [int(n or 0) for n in re.split("[;:]", parameters)]
        while numbers:
            n = numbers.pop(0)
            if n == 0:
                self.__init__()
            elif n in (1, 2, 4, 7):
                setattr(self, {1: "bold", 2: "dim", 4: "underline", 7: "reverse"}[n], True)
            elif n in (22, 24, 27):
                self.underline &= n != 24
                self.reverse &= n != 27
                if n == 22:
                    self.bold = self.dim = False
            elif n in (38, 48):
                value, used = color(numbers, self.front, self.back)
                del numbers[:used]
                setattr(self, "front" if n == 38 else "back", value)
            elif n in (39, 49):
                setattr(self, "front" if n == 39 else "back", None)
            elif 30 <= n <= 37 or 90 <= n <= 97:
                self.front = ANSI[n - 30 if n < 90 else n - 82]
            elif 40 <= n <= 47 or 100 <= n <= 107:
                self.back = ANSI[n - 40 if n < 100 else n - 92]

    def attributes(self):
        front, back = self.front or TEXT, self.back
        if self.reverse:
            front, back = back or GROUND, front
        return front, back, self.bold, self.dim, self.underline


def width_of(character):
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def runs(line, style):
    """[(column, text, columns, attributes)] of cells with the same attributes. Blocks, graphs and
    blanks are split off: blocks and graphs are drawn as boxes, blanks not at all. The style
    continues in the next line."""
    at, found = 0, []
    for text, parameters in re.findall(r"([^\x1b]+)|\x1b\[([\d;:]*)m", line):
        if not text:
            style.apply(parameters)
            continue
        for piece in re.findall(r" {2,}|[▁-▏]|[⠀-⣿]+|[^ ▁-▏⠀-⣿]+(?: [^ ▁-▏⠀-⣿]+)*| ", text):
            columns = sum(width_of(c) for c in piece)
            found.append((at, piece, columns, style.attributes()))
            at += columns
    return found


def block(character, x, y, fill):
    """A bar of a meter has room above and below it. A column of a graph has none below."""
    if character in LEFT:
        return box(x, y + 2, CELL_W * (LEFT.index(character) + 1) / 8 + 0.3, CELL_H - 4, fill)
    height = CELL_H * (LOWER.index(character) + 1) / 8
    return box(x, y + CELL_H - height, CELL_W + 0.3, height, fill)


def graph(text, x, y, fill):
    """A graph of braille as boxes: fonts that lack it borrow dots of another width. Each half of a
    cell is filled from below, and neighbours of one height are one box."""
    heights, out, at = [], [], 0
    for character in text:
        for bits in (0x47, 0xb8):
            heights.append(bin((ord(character) - 0x2800) & bits).count("1"))
    while at < len(heights):
        end = at
        while end < len(heights) and heights[end] == heights[at]:
            end += 1
        height = CELL_H * heights[at] / 4
        if height:
            out.append(box(x + at * CELL_W / 2, y + CELL_H - height, (end - at) * CELL_W / 2,
                           height, fill))
        at = end
    return "".join(out)


def box(x, y, width, height, fill):
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}"/>'


def svg(screen, columns, title, caption=""):
    """With a caption, a line below the screen has it."""
    lines = screen.split("\n")
    width = columns * CELL_W + 2 * PAD
    height = (len(lines) + (1.5 if caption else 0)) * CELL_H + 2 * PAD
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
           f'width="{width:.0f}" height="{height:.0f}" role="img">',
           f"<title>{escape(title)}</title>",
           f'<rect width="100%" height="100%" rx="8" fill="{GROUND}"/>',
           f'<g font-family="{FONT}" font-size="{SIZE}" xml:space="preserve">']
    style = Style()
    for row, line in enumerate(lines):
        y, cells_of_line = PAD + row * CELL_H, runs(line, style)
        if style.back and line:  # tmux omits cells that were erased in a colour
            end = max((column + cells for column, _, cells, _ in cells_of_line), default=0)
            out.append(box(PAD + end * CELL_W, y, (columns - end) * CELL_W, CELL_H, style.back))
        for column, text, cells, (front, back, bold, dim, underline) in cells_of_line:
            x = PAD + column * CELL_W
            if back:
                out.append(box(x, y, cells * CELL_W + 0.3, CELL_H, back))
            if text in LEFT + LOWER:
                out.append(block(text, x, y, front))
            elif text[0] in BRAILLE:
                out.append(graph(text, x, y, front))
            elif text.strip():
                attributes = ' font-weight="bold"' * bold + ' opacity="0.65"' * dim
                attributes += ' text-decoration="underline"' * underline
                out.append(f'<text x="{x:.1f}" y="{y + 13.5:.1f}" fill="{front}" '
                           f'textLength="{cells * CELL_W:.1f}"{attributes}>{escape(text)}</text>')
    if caption:
        y = PAD + (len(lines) + 1) * CELL_H
        out.append(f'<text x="{PAD}" y="{y:.1f}" fill="{TEXT}" font-style="italic">'
                   f'{escape(caption)}</text>')
    return "\n".join(out + ["</g>", "</svg>", ""])
