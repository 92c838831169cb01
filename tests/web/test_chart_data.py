"""Data for charts in a page: read back it is the same, and nothing in it ends the element."""

import json
import re

import numpy as np
import pytest
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy

from sla.web.templatetags.chart_data import chart_data


def read_back(text: str, element: str) -> object:
    found = re.fullmatch(rf'<script id="{element}" type="application/json">([^<>&]*)</script>', text)
    assert found, text
    return json.loads(found[1])


def test_it_is_read_back_as_it_was() -> None:
    data = {"t": [0, 60], "await_ms": [0.1 + 0.2, None], "name": "東京 ‹b›", "proved": True, "none": {}}
    assert read_back(chart_data(data, "disk-data"), "disk-data") == data


def test_nothing_in_it_ends_the_element() -> None:
    data = {"text": "</script><script>alert(1)</script><!-- & 'x' \"y\""}
    assert read_back(chart_data(data, "disk-data"), "disk-data") == data


def test_numpys_floats_and_marked_texts_are_what_they_say() -> None:
    data = {"load": np.float64(1.5), "text": mark_safe("a<b")}
    assert read_back(chart_data(data, "a"), "a") == {"load": 1.5, "text": "a<b"}


def test_texts_are_translated_and_what_is_no_json_is_refused() -> None:
    assert read_back(chart_data({"word": gettext_lazy("State")}, "a"), "a") == {"word": "State"}
    with pytest.raises(TypeError, match="int64"):
        chart_data({"ios": np.int64(3)}, "a")
