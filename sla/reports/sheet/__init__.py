"""How does a statement read on paper? The document as lines and figures in the reader's language, laid out by Typst."""
