"""Office files are zips, which libraries open without bounds. So they get a copy that holds what is
read of it, no more than it states, and is not packed.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator

from gear_app.errors import BadInput, Refused
from gear_app.ingest import archive
from gear_app.ingest.archive import megabytes
from gear_app.ingest.batch import MEGABYTE

MOST_EXPANDED = 500 * MEGABYTE
_OLD = b"\xd0\xcf\x11\xe0"  # how files of old formats begin, and those with a password
_ENCRYPTED = b"encryption-data"  # in the manifest of LibreOffice's
_NOT_READ = ("media/", "embeddings/", "fonts/")


def admit_format(content: bytes, what: str) -> None:
    """Raise BadInput for what is no zip because it has a password, or is too old."""
    if content.startswith(_OLD):
        raise BadInput(f"the {what} has a password, or is in an old format; save it anew without")


def unpacked(content: bytes, what: str) -> io.BytesIO:
    """The zip `content`, which archive.checked has seen, without compression; pictures, embedded
    files and fonts are in it with their names only. `what` is what the zip is, in messages. Raises
    BadInput where it is broken, Refused where it is too large.
    """
    admit_format(content, what)
    copy = io.BytesIO()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(copy, "w") as target:
            left = MOST_EXPANDED
            for name in dict.fromkeys(source.namelist()):
                info = source.getinfo(name)
                left -= info.file_size
                if left < 0:
                    raise Refused(f"the {what} expands to more than {megabytes(MOST_EXPANDED)}")
                with target.open(name, "w") as member:
                    for piece in _pieces(source, info):
                        if name == "META-INF/manifest.xml" and _ENCRYPTED in piece:
                            raise BadInput(f"the {what} has a password; save it without one")
                        member.write(piece)
    except archive.DAMAGE as error:
        raise broken(what) from error
    copy.seek(0)
    return copy


def _pieces(source: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    if not any(folder in info.filename for folder in _NOT_READ):
        yield from archive.pieces(source, info)


def broken(what: str) -> BadInput:
    """What is said of a file that its library cannot make sense of."""
    return BadInput(f"the {what} is broken and cannot be read; open it and save it anew, or as PDF")
