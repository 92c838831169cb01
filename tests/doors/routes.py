"""Which addresses are there? All that Django's resolver knows, and for the API every verb of each."""

import re
from collections.abc import Iterator

from django.urls import URLPattern, URLResolver, get_resolver

from sla.api.urls import api

API = "api/v1/"
NAMED = re.compile(r"<(?:\w+:)?(\w+)>")
GROUP = re.compile(r"\(\?P<(\w+)>(?:[^()]|\([^()]*\))*\)")


def _walk(resolver: URLResolver, before: str = "") -> Iterator[tuple[str, bool]]:
    for pattern in resolver.url_patterns:
        route = before + plain(str(pattern.pattern))
        if isinstance(pattern, URLPattern):
            yield route, route.startswith(API)
        else:
            yield from _walk(pattern, route)


def plain(route: str) -> str:
    """`^password/new/(?P<key>.+)$` and `disks/<int:disk_id>/` with bare names: `password/new/<key>`."""
    return NAMED.sub(r"<\1>", GROUP.sub(r"<\1>", route).removeprefix("^").removesuffix("$"))


def pages() -> set[str]:
    """Routes that are not of the API: `/disks/<disk_id>/`."""
    return {f"/{route}" for route, of_api in _walk(get_resolver()) if not of_api}


def verbs() -> set[str]:
    """Every verb of the API: `POST /api/v1/enrol`."""
    described = {
        f"{method.upper()} {path.replace('{', '<').replace('}', '>')}"
        for path, methods in api.get_openapi_schema()["paths"].items()
        for method in methods
    }
    return described | {"GET /api/v1/docs", "GET /api/v1/openapi.json"}
