"""Stamps: a step is done again exactly when its inputs have changed."""

from scripts import stamps


def test_a_step_is_done_until_a_file_a_word_or_the_presence_of_a_file_changes(tmp_path):
    lock, stamp = tmp_path / "package-lock.json", tmp_path / "stamp"
    lock.write_text("1")
    stamps.mark_done(stamp, stamps.key_of([lock], "v1"))
    assert stamps.is_done(stamp, stamps.key_of([lock], "v1"))
    assert not stamps.is_done(stamp, stamps.key_of([lock], "v2"))
    lock.write_text("2")
    assert not stamps.is_done(stamp, stamps.key_of([lock], "v1"))
    lock.unlink()
    assert stamps.key_of([lock]) != stamps.key_of([])


def test_a_step_never_done_has_no_stamp(tmp_path):
    assert not stamps.is_done(tmp_path / "stamp", stamps.key_of([]))
