"""Mails and saved pages: headers, bodies in any encoding, attachments, and hostile ones."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from gear_app.core.errors import BadInput
from gear_app.documents.blocks import BlockKind, ReadDocument, lay_out
from gear_app.documents.mail import read_mail, read_mhtml


def mail(text: str = "", subject: str = "Pump") -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Lena Brandt <lena@example.org>"
    message["Subject"] = subject
    if text:
        message.set_content(text)
    return message


def raw(body: bytes, *headers: str, subject: str = "Pump") -> bytes:
    return "\r\n".join([f"Subject: {subject}", *headers, "", ""]).encode("latin-1") + body


def parts(kind: str, *some: bytes, start: str = "") -> bytes:
    """A message of several parts, each with its headers."""
    lines = b"".join(b"--b\r\n" + part + b"\r\n" for part in some)
    return raw(lines + b"--b--\r\n", f"Content-Type: multipart/{kind}; boundary=b{start}")


def part(kind: str, body: str = "", *headers: str) -> bytes:
    return "\r\n".join([f"Content-Type: {kind}", *headers, "", body]).encode()


def texts(document: ReadDocument) -> list[str]:
    return [block.text for block in document.blocks]


def test_who_wrote_when_about_what_and_the_words_with_quotes_and_signature() -> None:
    message = mail("It failed.\n\n> Did it\n> fail?\n\n-- \nLena\n", "Die Pumpe läuft")
    message["To"] = "Tom Vane <tom@example.org>"
    message["Date"] = "Fri, 1 Mar 2024 10:00:00 +0100"
    document = read_mail(bytes(message))
    assert document.title == "Die Pumpe läuft"
    assert lay_out(document.blocks)[0] == (
        "From: Lena Brandt <lena@example.org>\nTo: Tom Vane <tom@example.org>\n"
        "Date: Fri, 01 Mar 2024 10:00\n\nIt failed.\n\n> Did it\n> fail?\n\n--\nLena"
    )


@pytest.mark.parametrize(
    "subject",
    [
        "=?utf-8?q?Caf=C3=A9_in?= Lorn",
        "=?iso-8859-1?q?Caf=E9?= in Lorn",
        "=?utf-8?b?Q2Fmw6k=?=\r\n =?utf-8?q?_in?= Lorn",
        "=?x-nobody-knows?q?Caf=C3=A9?= in Lorn",
        "Café in\r\n Lorn".encode().decode("latin-1"),
    ],
)
def test_a_subject_in_any_encoding(subject: str) -> None:
    assert read_mail(raw(b"x", subject=subject)).title == "Café in Lorn"


@pytest.mark.parametrize(
    ("text", "encoding", "charset"),
    [
        ("Łódź", "iso-8859-2", "iso-8859-2"),
        ("Łódź", "utf-8", "x-nobody-knows"),
        ("Łódź", "utf-8", ""),
        ("Łódź", "utf-16", "utf-16"),
        ("塔の話", "iso-2022-jp", "iso-2022-jp"),
    ],
)
def test_a_body_in_any_encoding(text: str, encoding: str, charset: str) -> None:
    header = f"Content-Type: text/plain{f'; charset={charset}' if charset else ''}"
    assert texts(read_mail(raw(text.encode(encoding), header))) == [text]


def test_a_body_that_is_not_what_it_says_does_not_fail() -> None:
    (text,) = texts(read_mail(raw(b"Boats \x81\x8d", "Content-Type: text/plain; charset=utf-8")))
    assert text.startswith("Boats")
    html = raw(b"<p>\xa3\xf3d\x9f</p>", "Content-Type: text/html; charset=windows-1250")
    assert texts(read_mail(html)) == ["Łódź"]


def test_of_two_versions_the_page_is_read_where_it_says_anything() -> None:
    plain, page = part("text/plain", "plain words"), part("text/html", "<ul><li>words</ul>")
    picture = part("text/html", "<img src='cid:1'>")
    document = read_mail(parts("alternative", plain, page))
    assert [(block.kind, block.text) for block in document.blocks] == [(BlockKind.ITEM, "words")]
    assert texts(read_mail(parts("alternative", plain, picture))) == ["plain words"]
    assert texts(read_mail(parts("alternative", plain))) == ["plain words"]


def test_attachments_are_handed_on_and_pictures_counted() -> None:
    message = mail("See the table.")
    message.add_attachment(b"a,b\n1,2\n", maintype="text", subtype="csv", filename="Übersicht.csv")
    message.add_attachment(b"x" * 99, maintype="image", subtype="png", filename="logo.png")
    message.add_attachment(
        b"%PDF-1.4", maintype="application", subtype="pdf", filename="../../plan.pdf"
    )
    message.add_attachment(mail("Forwarded words.", "Old / pump"))
    document = read_mail(bytes(message))
    assert texts(document)[1:] == ["See the table."]
    assert document.attached[:2] == [
        ("Übersicht.csv", b"a,b\n1,2\n"),
        (".. .. plan.pdf", b"%PDF-1.4"),
    ]
    ((name, content),) = document.attached[2:]
    assert name == "Old   pump.eml"
    assert texts(read_mail(content))[1:] == ["Forwarded words."]
    assert document.remarks() == ["left out: 1 picture"]


def test_a_saved_page_is_read_with_its_title_and_nothing_of_a_mail() -> None:
    page = b"<html><head><meta charset=windows-1250><title>x</title></head><p>\xa3\xf3d\x9f"
    saved = parts(
        "related",
        part("image/png", "x", "Content-Location: a.png"),
        part("text/css", "p {}"),
        part("text/html", "<p>advert", "Content-ID: <2>"),
        b"Content-Type: text/html\r\nContent-ID: <1>\r\n\r\n" + page,
        start='; start="<1>"',
    )
    document = read_mhtml(b"From: <Saved by Blink>\r\n" + saved)
    assert (document.title, texts(document)) == ("Pump", ["Łódź"])
    assert document.remarks() == ["left out: 2 parts, 1 picture"]


def test_what_is_encrypted_or_no_mail_is_refused() -> None:
    with pytest.raises(BadInput, match="encrypted"):
        read_mail(parts("encrypted", part("application/pgp-encrypted", "Version: 1")))
    with pytest.raises(BadInput, match="encrypted"):
        read_mail(raw(b"x", "Content-Type: application/pkcs7-mime; name=smime.p7m"))
    with pytest.raises(BadInput, match="not a mail"):
        read_mail(b"Some words that are no mail.")


def test_parts_that_lie_too_deep_are_refused() -> None:
    opened = "".join(
        f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(5000)
    )
    with pytest.raises(BadInput, match="broken"):
        read_mail(("Subject: x\n" + opened + "\nwords").encode())


@pytest.mark.parametrize(
    "headers",
    [
        "Content-Type: ;;;=\x00; charset*=x''%",
        "Content-Type: text/plain; charset*0*=nobody'x'%ff; name*=nobody''%ff",
        "Content-Transfer-Encoding: base64\r\nContent-Type: text/plain; charset=zlib",
        "Content-Type: multipart/mixed",
        "Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64",
        "Content-Disposition: attachment; filename==?utf-8?b?////?=",
        "From: =?utf-8?b?a?= <\xff\xfe@[",
    ],
)
def test_headers_that_make_no_sense_do_not_fail(headers: str) -> None:
    assert read_mail(raw(b"words\r\n", headers)).title == "Pump"
