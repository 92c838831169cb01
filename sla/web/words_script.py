"""What do our scripts say in another language? A catalogue as a script of its own: CSP allows no inline one."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe
from django.views.i18n import JavaScriptCatalog

# Kept by browsers for an hour: a release may change a word, and a word that is an hour late harms nobody.
MAX_AGE_S = 3600
catalogue = JavaScriptCatalog.as_view(packages=["sla.web"])


@require_safe
def words_script(request: HttpRequest, language: str) -> HttpResponse:
    """`/jsi18n/fr.js`: gettext, ngettext and pgettext with our own words."""
    if language not in dict(settings.LANGUAGES):
        raise Http404
    with translation.override(language):
        response: HttpResponse = catalogue(request)
    patch_cache_control(response, public=True, max_age=MAX_AGE_S)
    return response
