"""Was it the disk? Drop a log that anyone has and read what it is worth under a contract. No account, nothing kept."""

from fractions import Fraction
from http import HTTPStatus
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, StopUpload
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from sla.domain.contract import ContractError
from sla.domain.contract_text import EXAMPLE, ContractTextError, parse_contract
from sla.domain.display import percent
from sla.domain.logs.read import score_log
from sla.domain.logs.sample import LogError

# A day of `iostat -x 10` for ten disks is 9 MB; a minute of the agent's recording at 100 ms with eight disks is 1 MB.
# What is larger is for `manage.py score_log`, which has no limit: a page must answer in seconds.
MAX_BYTES = 8 * 2**20
MAX_ROWS = 500
CONTRACT_LENGTH = 500
SAMPLE = "iostat -xmt 10 6 > disk.log"


class InMemory(FileUploadHandler):
    """Keeps the upload in memory, and only so much of it: nothing touches a disk."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self.pieces: list[bytes] = []
        self.size = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self.size += len(raw_data)
        if self.size > MAX_BYTES:
            self.request.log_too_large = True
            raise StopUpload(connection_reset=False)
        self.pieces.append(raw_data)

    def file_complete(self, file_size: int) -> UploadedFile:
        return SimpleUploadedFile(self.file_name or "log", b"".join(self.pieces))


# The handler must be in place before anything reads the body, and checking the CSRF token reads it.
@csrf_exempt
@require_http_methods(["GET", "POST"])
def log_page(request: HttpRequest) -> HttpResponse:
    """The form, and below it the verdict on what was dropped."""
    if request.method == "POST":
        request.upload_handlers = [InMemory(request)]
    return _protected(request)


@csrf_protect
def _protected(request: HttpRequest) -> HttpResponse:
    if request.method == "GET":
        return _show(request, contract=request.GET.get("contract", EXAMPLE)[:CONTRACT_LENGTH])
    text = request.POST.get("contract", "").strip()[:CONTRACT_LENGTH] or EXAMPLE
    if getattr(request, "log_too_large", False):
        limit = f"The file is over {MAX_BYTES // 2**20} MiB. Send a part of it, or run: manage.py score_log FILE"
        return _show(request, contract=text, error=limit, status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    log = request.FILES.get("log")
    if log is None:
        return _show(request, contract=text, error="Choose a file first.", status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        contract = parse_contract(text)
    except ContractTextError as error:
        wrong = {"before": text[: error.offset], "word": error.word, "after": text[error.offset + len(error.word) :]}
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return _show(request, contract=text, error=error.hint, wrong=wrong, status=status)
    except ContractError as error:
        return _show(request, contract=text, error=str(error), status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        answer = score_log(log.read(), contract)
    except LogError as error:
        return _show(request, contract=text, error=str(error), status=HTTPStatus.UNPROCESSABLE_ENTITY)
    return _show(request, contract=text, answer=answer, name=log.name)


def _show(request: HttpRequest, *, status: int = HTTPStatus.OK, answer: Any = None, **more: Any) -> HttpResponse:
    context: dict[str, Any] = {"sample": SAMPLE, "example": EXAMPLE, "limit_mb": MAX_BYTES // 2**20, **more}
    if answer is not None:
        for got in answer["devices"].values():
            got["attained"] = attained(got["sli"])
        rows = [{**row, "case_words": row["case"].replace("_", " ")} for row in answer["rows"][:MAX_ROWS]]
        context |= {"answer": answer, "rows": rows, "left_out": len(answer["rows"]) - MAX_ROWS}
    return render(request, "log.html", context, status=status)


def attained(sli: dict[str, float | None]) -> str:
    """'98.61–98.90 %', cut and never rounded up; what is unknown is said so."""
    low, high = (percent(None if end is None else Fraction(str(end))) for end in (sli["low"], sli["high"]))
    if low is None and high is None:
        return "unknown"
    return f"{low or '?'}–{high or '?'} %" if low != high else f"{low} %"
