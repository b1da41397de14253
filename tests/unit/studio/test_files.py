"""What the page may open, and the search in the bytes of a file."""

import os
from pathlib import Path

import pytest
from wireloom import WireloomError
from wireloom.studio import searching
from wireloom.studio.arguments import bytes_of, name_of
from wireloom.studio.folders import listing, openable
from wireloom.studio.searching import find_bytes

from .samples import written


def test_files_that_the_user_can_read_are_opened(tmp_path: Path) -> None:
    spec, file = written(tmp_path)
    assert openable(str(file), is_spec=False) == file
    assert openable(str(spec), is_spec=True) == spec
    (tmp_path / "link").symlink_to(file)
    assert openable(str(tmp_path / "link"), is_spec=False) == tmp_path / "link"


def test_others_are_refused(tmp_path: Path) -> None:
    _, file = written(tmp_path)
    with pytest.raises(WireloomError, match=r"is a \.ksy file"):
        openable(str(file), is_spec=True)
    with pytest.raises(WireloomError, match="not a file with content"):
        openable(str(tmp_path), is_spec=False)
    with pytest.raises(WireloomError, match="cannot be opened: No such file"):
        openable(str(tmp_path / "nothing"), is_spec=False)
    with pytest.raises(WireloomError, match="not a file with content"):
        openable("/dev/null", is_spec=False)
    # It would be waited for ever.
    os.mkfifo(tmp_path / "pipe.ksy")
    with pytest.raises(WireloomError, match="not a file with content"):
        openable(str(tmp_path / "pipe.ksy"), is_spec=True)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_permissions_are_kept(tmp_path: Path) -> None:
    _, file = written(tmp_path)
    file.chmod(0)
    with pytest.raises(WireloomError, match="Permission denied"):
        openable(str(file), is_spec=False)


def test_a_folder_is_listed(tmp_path: Path) -> None:
    _, file = written(tmp_path)
    (tmp_path / "Below").mkdir()
    (tmp_path / ".hidden").write_text("")
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, file):
        found = listing(str(path))
        assert (found["folder"], found["above"], found["more"]) == (str(tmp_path), str(tmp_path.parent), 0)
        assert [(each["name"], each["size"] is None) for each in found["entries"]] == [
            ("Below", True),
            ("readings.bin", False),
            ("readings.ksy", False),
        ]
    with pytest.raises(WireloomError, match="cannot be listed"):
        listing(str(tmp_path / "nothing" / "at" / "all"))


@pytest.mark.parametrize("path", [7, ["/"], "a\0b", "a\nb", "\ud800"])
def test_what_is_no_path_is_refused(path: object) -> None:
    with pytest.raises(WireloomError, match="must be a path"):
        name_of({"file": path}, "file")
    assert name_of({}, "file") == ""


def test_bytes_are_found_in_both_directions_and_across_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "PIECE", 8)
    file = tmp_path / "a.bin"
    file.write_bytes(b"..abc..abc......abc..")
    places = [2, 7, 16]
    for begin in range(21):
        following = next((each for each in places if each >= begin), places[0])
        before = next((each for each in reversed(places) if each < begin), places[-1])
        assert find_bytes(file, b"abc", begin, 60) == (following, -1)
        assert find_bytes(file, b"abc", begin, 60, backwards=True) == (before, -1)
    assert find_bytes(file, b"abd", 5, 60) == (-1, -1)


def test_a_search_that_takes_too_long_says_where_it_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "a.bin"
    file.write_bytes(b"abc")
    assert find_bytes(file, b"c", 1, -1.0) == (-1, 1)


@pytest.mark.parametrize("text", [None, 7, "", "a", "xy", "00" * 5])
def test_a_search_for_no_bytes_is_refused(text: object) -> None:
    with pytest.raises(WireloomError, match="1 to 4 bytes"):
        bytes_of({"hex": text}, 4)
    assert bytes_of({"hex": "7b 22"}, 4) == b'{"'
