"""Mails and saved pages: headers, bodies in any encoding, attachments, and hostile ones."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from gear_app.core.errors import BadInput
from gear_app.documents.blocks import ReadDocument
from gear_app.documents.formats.web import read_mail


def mail(text: str = "", subject: str = "Pump") -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Lena Brandt <lena@example.org>"
    message["Subject"] = subject
    if text:
        message.set_content(text)
    return message


def raw(body: bytes, *headers: str, subject: str = "Pump") -> bytes:
    return "\r\n".join([f"Subject: {subject}", *headers, "", ""]).encode("latin-1") + body


def texts(document: ReadDocument) -> list[str]:
    return [block.text for block in document.blocks]


def test_who_wrote_when_about_what_and_the_words_with_quotes_and_signature() -> None:
    message = mail("It failed.\n\n> Did it\n> fail?\n\n-- \nLena\n", "Die Pumpe läuft")
    message["To"] = "Tom Vane <tom@example.org>"
    message["Date"] = "Fri, 1 Mar 2024 10:00:00 +0100"
    document = read_mail(bytes(message))
    assert document.title == "Die Pumpe läuft"
    assert document.text == (
        "From: Lena Brandt <lena@example.org>\nTo: Tom Vane <tom@example.org>\n"
        "Date: Fri, 01 Mar 2024 10:00:00 +0100\n\nIt failed.\n\n> Did it\n> fail?\n\n--\nLena"
    )


@pytest.mark.parametrize(
    ("text", "encoding", "charset"),
    [
        ("Łódź", "iso-8859-2", "iso-8859-2"),
        ("Łódź", "utf-8", ""),
        ("Łódź", "utf-16", "utf-16"),
        ("塔の話", "iso-2022-jp", "iso-2022-jp"),
    ],
)
def test_a_body_in_any_encoding(text: str, encoding: str, charset: str) -> None:
    header = f"Content-Type: text/plain{f'; charset={charset}' if charset else ''}"
    assert texts(read_mail(raw(text.encode(encoding), header))) == [text]


def test_attachments_are_counted_and_what_is_no_mail_is_refused() -> None:
    message = mail("See the table.")
    message.add_attachment(b"a,b\n1,2\n", maintype="text", subtype="csv", filename="a.csv")
    document = read_mail(bytes(message))
    assert texts(document)[1:] == ["See the table."]
    assert document.remarks() == ["left out: 1 attachment"]
    with pytest.raises(BadInput, match="not a mail"):
        read_mail(b"Some words that are no mail.")
