"""Where are failures counted? In Redis; and while it is away nothing is counted, but everybody can still log in."""

import logging
from typing import Any

from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)


class ForgivingRedis(RedisCache):
    """Django's, with an answer for each question while Redis does not give one."""

    def _try(self, name: str, instead: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return getattr(super(), name)(*args, **kwargs)
        except RedisError as error:
            logger.warning("Redis does not answer, nothing is throttled meanwhile: %s", error)
            return instead

    def add(self, *args: Any, **kwargs: Any) -> Any:
        return self._try("add", True, *args, **kwargs)

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        return self._try("get", default, key, default, version)

    def set(self, *args: Any, **kwargs: Any) -> Any:
        return self._try("set", None, *args, **kwargs)

    def incr(self, *args: Any, **kwargs: Any) -> Any:
        return self._try("incr", 1, *args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> Any:
        return self._try("delete", False, *args, **kwargs)
