"""Which files reach the browser, and under which names?"""

from collections.abc import Iterable, Iterator

from django.contrib.staticfiles.utils import get_files
from django.core.files.storage import FileSystemStorage
from django_node_assets.finders import NodeModulesFinder
from whitenoise.storage import CompressedManifestStaticFilesStorage

# Of 40 MB of installed packages the pages use these: to copy and hash the rest would cost a minute at each start.
USED = {
    "@fontsource-variable/inter/files": ("inter-latin-wght-normal.woff2", "inter-latin-ext-wght-normal.woff2"),
    "@kurkle/color/dist": ("color.esm.js",),
    "chart.js/dist": ("chart.js", "helpers.js"),
    "chart.js/dist/chunks": ("*.js",),
    "chartjs-chart-matrix/dist": ("chartjs-chart-matrix.esm.js",),
    "chartjs-plugin-annotation/dist": ("chartjs-plugin-annotation.esm.js",),
    "htmx.org/dist": ("htmx.min.js",),
}


class UsedNodeFiles(NodeModulesFinder):
    """The libraries' files that pages load, straight from node_modules."""

    def list(self, ignore_patterns: Iterable[str]) -> Iterator[tuple[str, FileSystemStorage]]:
        for folder, wanted in USED.items():
            if not self.storage.exists(folder):
                continue
            for path in get_files(self.storage, ignore_patterns=list(ignore_patterns), location=folder):
                if path.rpartition("/")[0] == folder and _is_one_of(path.rpartition("/")[2], wanted):
                    yield path, self.storage


def _is_one_of(name: str, wanted: tuple[str, ...]) -> bool:
    return any(name == one or (one == "*.js" and name.endswith(".js")) for one in wanted)


class HashedFiles(CompressedManifestStaticFilesStorage):
    """Names with a hash of the content, so that browsers keep them for ever; plain ones before `collectstatic` ran."""

    manifest_strict = False
    # Libraries name source maps that are not collected: those comments stay as they are.
    patterns = tuple(
        (glob, tuple(rule for rule in rules if "sourceMappingURL" not in str(rule)))
        for glob, rules in CompressedManifestStaticFilesStorage.patterns
    )

    def stored_name(self, name: str) -> str:
        """The hashed name; the plain one where there is none: a file newer than the last collecting is no error."""
        return super().stored_name(name) if self.hash_key(self.clean_name(name)) in self.hashed_files else name
