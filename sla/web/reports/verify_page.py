"""Is this page genuine? For anybody: type its code, or drop a statement or bundle. Nothing that is dropped is kept."""

import io
import threading
from http import HTTPStatus
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, StopUpload
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from sla.reports import plimsoll_verify
from sla.reports.bundle import VERIFIER
from sla.reports.keys import pem
from sla.reports.models import SigningKey, Statement
from sla.reports.selectors import by_code, statement_item

# A bundle of two disks is 3 MB. What is larger is for plimsoll-verify.py, which has no limit and keeps it at home.
MAX_BYTES = 8 * 2**20
# What it may unpack to: some seconds of arithmetic, one file at a time so that nobody can fill all workers with it.
MAX_UNPACKED = 24 * 2**20
ONE = threading.BoundedSemaphore(1)
WAIT_S = 10


class InMemory(FileUploadHandler):
    """Keeps the upload in memory, and only so much of it: nothing touches a disk."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self.pieces: list[bytes] = []

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        if start + len(raw_data) > MAX_BYTES:
            self.request.bundle_too_large = True
            raise StopUpload(connection_reset=False)
        self.pieces.append(raw_data)

    def file_complete(self, file_size: int) -> UploadedFile:
        return SimpleUploadedFile(self.file_name or "bundle", b"".join(self.pieces))


# The handler must be in place before anything reads the body, and checking the CSRF token reads it.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def verify(request: HttpRequest) -> HttpResponse:
    """`/verify?code=…`; a POST checks the file that was dropped."""
    if request.method == "POST":
        request.upload_handlers = [InMemory(request)]
    return _protected(request)


@csrf_protect
def _protected(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        return _dropped(request)
    code = request.GET.get("code", "").strip()[:40]
    if not code:
        return _show(request)
    found = by_code(code)
    if found is None:
        return _show(request, code=code, unknown=True, status=HTTPStatus.NOT_FOUND)
    return _show(request, code=code, found=found, item=statement_item(found), replaced=replaced_by(found))


def _dropped(request: HttpRequest) -> HttpResponse:
    file = request.FILES.get("file")  # reads the body, which is where it is stopped
    if getattr(request, "bundle_too_large", False):
        words = gettext("The file is over %(limit)s MiB. Check it at home: python plimsoll-verify.py FILE")
        error = words % {"limit": MAX_BYTES // 2**20}
        return _show(request, error=error, status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    if file is None:
        return _show(request, error=gettext("Choose a file first."), status=HTTPStatus.UNPROCESSABLE_ENTITY)
    if not ONE.acquire(timeout=WAIT_S):
        error = gettext("Another file is being checked. Try again in a moment, or check it at home.")
        return _show(request, error=error, status=HTTPStatus.SERVICE_UNAVAILABLE)
    try:
        report = checked(file.read())
    finally:
        ONE.release()
    for one in report.disks:
        one["likely"] = not one["proved"]
    known = Statement.objects.filter(digest=report.head.get("digest", "")).select_related("superseded_by").first()
    ours = SigningKey.objects.filter(name=report.head.get("key", "")).exists()
    return _show(request, report=report, name=file.name, known=known, ours=ours, replaced=replaced_by(known))


def checked(data: bytes) -> plimsoll_verify.Report:
    """The verifier's own report on a bundle, or on a statement alone."""
    try:
        if data[:2] == b"PK":
            files = plimsoll_verify.from_zip(io.BytesIO(data), most=MAX_UNPACKED)
        else:
            files = plimsoll_verify.from_bytes({"statement.json": data})
        return plimsoll_verify.verify(files)
    except plimsoll_verify.Wrong as wrong:
        report = plimsoll_verify.Report()
        name, _, what = str(wrong).partition(": ")
        report.wrong(name, what)
        return report


def replaced_by(statement: Statement | None) -> str:
    """The number of what follows a statement, or nothing."""
    later = getattr(statement, "superseded_by", None) if statement else None
    return later.number if later else ""


def _show(request: HttpRequest, *, status: int = HTTPStatus.OK, **more: Any) -> HttpResponse:
    keys = [{"key": key, "pem": pem(key).decode()} for key in SigningKey.objects.all()[:20]]
    return render(request, "reports/verify.html", {"keys": keys, "limit_mb": MAX_BYTES // 2**20, **more}, status=status)


@require_safe
def program(request: HttpRequest) -> HttpResponse:
    """The verifier, as it stands in every bundle."""
    response = HttpResponse(VERIFIER.read_bytes(), content_type="text/x-python; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="plimsoll-verify.py"'
    return response
