"""Where does a machine get the agent from? The installer and the one file it fetches, for anybody: no secrets."""

from functools import lru_cache

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from plimsoll_agent import __version__, package

CACHE_S = 300  # a roll-out fetches it a thousand times, and a new version is out within minutes


@lru_cache(maxsize=1)
def the_file() -> tuple[bytes, str]:
    """Its bytes and their SHA-256. Made once a process: 80 ms."""
    data = package.as_one_file()
    return data, package.digest_of(data)


@require_safe
def agent_file(request: HttpRequest) -> HttpResponse:
    """`/agent/plimsoll-agent.pyz`."""
    data, digest = the_file()
    tag = f'"{digest}"'
    if request.headers.get("If-None-Match") == tag:
        return HttpResponseNotModified(headers={"ETag": tag})
    headers = {"ETag": tag, "Content-Disposition": 'attachment; filename="plimsoll-agent.pyz"'}
    return _kept(HttpResponse(data, content_type="application/zip", headers=headers))


@require_safe
def install_script(request: HttpRequest) -> HttpResponse:
    """`/agent/install.sh`, for this server and this version; the host was checked against ALLOWED_HOSTS."""
    text = package.installer(f"{request.scheme}://{request.get_host()}", the_file()[0], __version__)
    response = _kept(HttpResponse(text, content_type="text/plain; charset=utf-8"))
    patch_vary_headers(response, ["Host"])
    return response


@require_safe
def checksum(request: HttpRequest) -> HttpResponse:
    """`/agent/plimsoll-agent.pyz.sha256`, as `sha256sum -c` reads it."""
    return _kept(HttpResponse(f"{the_file()[1]}  plimsoll-agent.pyz\n", content_type="text/plain; charset=utf-8"))


def _kept(response: HttpResponse) -> HttpResponse:
    response["Cache-Control"] = f"public, max-age={CACHE_S}"
    return response
