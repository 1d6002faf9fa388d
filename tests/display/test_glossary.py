"""The glossary: short, plain, and found in our own sentences."""

from __future__ import annotations

from gear_app.display import markup


def test_the_longest_term_is_found_once_as_a_whole_word() -> None:
    words = "A gold passage on the gold path; Golden beams, a gold one."
    assert [(words[a:b], key) for a, b, key in markup.places(words)] == [
        ("gold passage", "gold"),
        ("gold path", "gold path"),
        ("beams", "beams"),
    ]


def test_a_term_can_be_reached_by_tab_and_says_its_meaning() -> None:
    drawn = markup.explained("kept, on the gold path & <b>")
    assert drawn.startswith('kept, on the <span role="button" tabindex="0" class="gear-term"')
    assert f'aria-description="{markup.TERMS["gold path"]}"' in drawn
    assert drawn.endswith(">gold path</span> &amp; &lt;b&gt;")
