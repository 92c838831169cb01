"""One document, one child, and gone: `python typeset.py TEMPLATE FONTS…` reads JSON on stdin and writes a PDF.

Typst keeps what it has laid out for a next time that never comes here; a process that ends gives everything back. It
knows nothing of Django, so it starts in milliseconds.
"""

import sys

import typst


def main() -> None:
    template, *fonts = sys.argv[1:]
    pdf = typst.compile(
        template,
        font_paths=fonts,
        ignore_system_fonts=True,
        sys_inputs={"sheet": sys.stdin.buffer.read().decode()},
        pdf_standards=["ua-1"],
    )
    sys.stdout.buffer.write(pdf)


if __name__ == "__main__":
    main()
