"""The names of months: English ones, which say nothing by themselves, and those of other languages,
which only name a day after its number: "3. März", "3 mars", "3 de marzo".
"""

from __future__ import annotations

ENGLISH = tuple(
    "January February March April May June July August September October November December".split()
)
GERMAN = tuple(
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()
)
_OTHERS = (
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "januar februar marts april maj juni juli august september oktober november december",
    "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada"
    " grudnia",
)
FOREIGN = {
    name.casefold(): number
    for names in (*(line.split() for line in _OTHERS), GERMAN)
    for number, name in enumerate(names, start=1)
} | {"jänner": 1, "feber": 2}
"""Their numbers, by the name in lower case."""
