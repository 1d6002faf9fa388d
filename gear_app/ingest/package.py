"""Office files are zips, which libraries open without bounds. So they get a copy that holds what is
read of it, no more than it states, and is not packed.
"""

from __future__ import annotations

import io
import zipfile

from gear_app.errors import BadInput, Refused
from gear_app.ingest import archive
from gear_app.ingest.archive import megabytes
from gear_app.ingest.batch import MEGABYTE

MOST_EXPANDED = 500 * MEGABYTE
_NOT_READ = ("media/", "embeddings/", "fonts/")


def unpacked(content: bytes, what: str) -> io.BytesIO:
    """The zip `content`, which archive.checked has seen, without compression; pictures, embedded
    files and fonts are in it with their names only. `what` is what the zip is, in messages. Raises
    BadInput where it is broken, Refused where it is too large.
    """
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
                    if not any(folder in name for folder in _NOT_READ):
                        for piece in archive.pieces(source, info):
                            member.write(piece)
    except archive.DAMAGE as error:
        raise broken(what) from error
    copy.seek(0)
    return copy


def broken(what: str) -> BadInput:
    """What is said of a file that its library cannot make sense of."""
    return BadInput(f"the {what} is broken and cannot be read; open it and save it anew, or as PDF")
