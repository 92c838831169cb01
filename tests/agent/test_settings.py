"""One set of names in file, environment and flags."""

import pytest

from plimsoll_agent.settings import NAMES, Settings, SettingsError, from_environment, from_file, to_environment


def test_a_file_may_be_ini_or_plain_pairs(tmp_path):
    path = tmp_path / "agent.conf"
    path.write_text(
        "[agent]\n# comment\nurl = https://a.example/\nPLIMSOLL_CADENCE=20\n; other\nca_file = '/x y/ca.pem'\n"
    )
    values = from_file(str(path))
    assert values == {"url": "https://a.example/", "cadence": "20", "ca_file": "/x y/ca.pem"}
    settings = Settings(values)
    assert (settings.url, settings.cadence_ms) == ("https://a.example", 20)


def test_the_environment_carries_all_settings_to_another_process():
    values = dict.fromkeys(NAMES, "1")
    assert from_environment(to_environment(values)) == values


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("url", "ftp://x"),
        ("vantage", "moon"),
        ("format", "xml"),
        ("cadence", "15"),
        ("cadence", "fast"),
        ("spool_mb", "0"),
        ("timeout_s", "90"),
        ("canary_s", "4"),
        ("canary_s", "-5"),
        ("canary_s", "often"),
    ],
)
def test_an_odd_value_is_refused_with_its_name_and_itself(name, value):
    with pytest.raises(SettingsError) as refused:
        Settings({name: value})
    assert name in str(refused.value) and value in str(refused.value)


@pytest.mark.parametrize("line", ["colour = red", "just words"])
def test_a_line_that_says_nothing_is_refused_with_its_number(tmp_path, line):
    path = tmp_path / "agent.conf"
    path.write_text(f"url = https://a\n{line}\n")
    with pytest.raises(SettingsError, match=":2:"):
        from_file(str(path))


def test_the_key_is_read_from_its_file_each_time(tmp_path):
    path = tmp_path / "key"
    settings = Settings({"key_file": str(path)})
    assert settings.enrolment_key() is None
    path.write_text("first\n")
    assert settings.enrolment_key() == "first"
    path.write_text("second\n")
    assert settings.enrolment_key() == "second"


def test_the_canary_is_off_unless_it_is_asked_for():
    assert Settings({}).canary_s == 0 and Settings({"canary_s": "5"}).canary_s == 5
