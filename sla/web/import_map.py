"""Where do modules come from? The import map: bare names of the libraries, hashed addresses of our own files."""

from django.conf import settings
from django.templatetags.static import static

LIBRARIES = {
    "chart.js": "chart.js/dist/chart.js",
    "chart.js/helpers": "chart.js/dist/helpers.js",
    "@kurkle/color": "@kurkle/color/dist/color.esm.js",
    "chartjs-chart-matrix": "chartjs-chart-matrix/dist/chartjs-chart-matrix.esm.js",
    "chartjs-plugin-annotation": "chartjs-plugin-annotation/dist/chartjs-plugin-annotation.esm.js",
}
# Folders of static/js whose files import each other: `core/format.js`.
OWN = ("core", "charts", "pages")


def import_map() -> dict[str, dict[str, str]]:
    """`imports` of the page's import map. Our files stand there by name and by plain address, so that `./other.js`
    in one of them also ends at the hashed address."""
    imports = {name: static(path) for name, path in LIBRARIES.items()}
    root = settings.BASE_DIR / "static" / "js"
    for folder in OWN:
        for file in sorted((root / folder).glob("*.js")):
            address = static(f"js/{folder}/{file.name}")
            imports[f"{folder}/{file.name}"] = address
            plain = f"{settings.STATIC_URL}js/{folder}/{file.name}"
            if plain != address:
                imports[plain] = address
    return {"imports": imports}
