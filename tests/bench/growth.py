"""A figure of how times grow with a collection: both axes logarithmic, as SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 440, 70, 190, 24, 56
INKS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#b8860b", "#444444", "#7a3e9d")
Points = Sequence[tuple[float, float]]


def figure(lines: Mapping[str, tuple[Points, str]], across: str, up: str) -> str:
    """Lines by name, each with its points and its dashes, as SVG counts them ("" for none);
    `across` and `up` name the axes. What stands before a comma in a name has one colour.
    """
    every = [point for points, _ in lines.values() for point in points]
    xs, ys = _decades([x for x, _ in every]), _decades([y for _, y in every])

    def place(x: float, y: float) -> tuple[float, float]:
        right = (math.log10(x) - xs[0]) / (xs[-1] - xs[0])
        above = (math.log10(y) - ys[0]) / (ys[-1] - ys[0])
        inner = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
        return LEFT + right * inner[0], HEIGHT - BOTTOM - above * inner[1]

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        ' font-family="sans-serif" font-size="12">',
        f"<title>{escape(up)} by {escape(across)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
    ]
    for decade in xs:
        x, low = place(10.0**decade, 10.0 ** ys[0])
        parts += [_rule(x, TOP, x, low), _text(x, low + 18, f"{10**decade:,}", "middle")]
    for decade in ys:
        left, y = place(10.0 ** xs[0], 10.0**decade)
        parts += [
            _rule(left, y, WIDTH - RIGHT, y),
            _text(left - 8, y + 4, f"{10**decade:,}", "end"),
        ]
    parts += [_text(LEFT, HEIGHT - 12, across, "start"), _text(8, 14, up, "start")]
    colours: dict[str, str] = {}
    for number, (name, (points, dashes)) in enumerate(lines.items()):
        ink = colours.setdefault(name.split(",")[0], INKS[len(colours) % len(INKS)])
        at = [place(*point) for point in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
        dash = f' stroke-dasharray="{dashes}"' if dashes else ""
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{ink}" stroke-width="2"{dash}/>'
        )
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{ink}"/>' for x, y in at]
        below = TOP + 12 + 17 * number
        side = WIDTH - RIGHT + 12
        parts.append(
            f'<line x1="{side}" y1="{below - 4}" x2="{side + 22}" y2="{below - 4}" stroke="{ink}"'
            f' stroke-width="2"{dash}/>'
        )
        parts.append(_text(side + 28, below, name, "start"))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _decades(values: Sequence[float]) -> list[int]:
    """The powers of ten around all values."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return list(range(low, max(high, low + 1) + 1))


def _rule(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#ddd"/>'


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="#222">{escape(words)}</text>'
    )
