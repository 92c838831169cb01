"""python -m scripts.messages: find all marked strings and bring the catalogues up to date; inside the environment."""

import django
from django.conf import settings

from scripts.messages import catalogue, extract
from scripts.progress import say


def main() -> None:
    settings.configure()  # Django's template reader asks for a character set and for nothing of ours
    django.setup()
    found = extract.everything()
    left = catalogue.update(found)
    for domain, messages in found.items():
        missing = ", ".join(f"{language} {left[language, domain]}" for language in catalogue.LANGUAGES)
        say(f"  {domain}: {len(messages)} messages; without a translation: {missing}")
    catalogue.compile_stale()


if __name__ == "__main__":
    main()
