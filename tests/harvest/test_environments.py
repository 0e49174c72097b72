"""What is found in an environment and in sources, what is left out, and what the metadata says of it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from kb.harvest.environments import NotThere, open_environment
from kb.harvest.sources import source_subjects, standard_library
from kb.harvest.subjects import MOST_BYTES

RAISING = "def weigh(kilos):\n    if kilos > 30:\n        raise ValueError(f'parcel weighs {kilos} kg')\n"


def install(site: Path, name: str, files: dict[str, str], metadata: str = "", direct: Any = None) -> None:
    """A distribution as pip leaves it."""
    info = site / f"{name}-1.2.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n{metadata}\n\nName: body\n")
    for path, content in files.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(content)
    (info / "RECORD").write_text("".join(f"{path},,\n" for path in [*files, "../../bin/tool.py", "/etc/other.py"]))
    if direct is not None:
        (info / "direct_url.json").write_text(json.dumps(direct))


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The packages of a virtual environment."""
    folder = tmp_path / "env" / "lib" / "python3.11" / "site-packages"
    folder.mkdir(parents=True)
    return folder


def test_a_distribution_is_what_its_record_lists_below_site_packages(site: Path) -> None:
    install(site, "Parcels", {"parcels/__init__.py": "", "parcels/scale.py": RAISING, "parcels/data.txt": "x"})
    environment = open_environment(site.parent.parent.parent)
    assert environment.names() == ["parcels"]
    subject = environment.subject("parcels")
    assert [file.relative for file in subject.files] == ["parcels/__init__.py", "parcels/scale.py"]
    assert (subject.origin.distribution, subject.origin.version) == ("Parcels", "1.2")
    assert subject.origin.repository == "pypi/parcels"
    assert subject.origin.names == ("parcels",)
    assert len(subject.origin.analyzed_sha) == 40


@pytest.mark.parametrize(
    ("metadata", "repository", "revision"),
    [
        ("Project-URL: Source, https://github.com/acme/parcels", "acme/parcels", ""),
        ("Project-URL: Docs, https://acme.example\nHome-page: https://github.com/acme/parcels.git", "acme/parcels", ""),
        (
            "Project-URL: Changelog, https://github.com/other/log\nProject-URL: Source Code, http://gitlab.com/a/b/",
            "a/b",
            "",
        ),
        ("Project-URL: Funding, https://github.com/sponsors/acme", "pypi/parcels", ""),
        (
            "Home-page: https://github.com/acme/parcels\nDownload-URL: https://github.com/acme/parcels/archive/v1.2.zip",
            "acme/parcels",
            "v1.2",
        ),
        (
            "Home-page: https://github.com/acme/parcels\nProject-URL: C, https://github.com/acme/parcels/tree/main/doc",
            "acme/parcels",
            "",
        ),
        ("Project-URL: nothing", "pypi/parcels", ""),
        ("Home-page: https://github.com/../parcels", "pypi/parcels", ""),
    ],
)
def test_the_repository_is_the_one_that_the_metadata_names(
    site: Path, metadata: str, repository: str, revision: str
) -> None:
    install(site, "parcels", {"parcels.py": RAISING}, metadata)
    origin = open_environment(site).subject("parcels").origin
    assert (origin.repository, origin.revision) == (repository, revision)


def test_what_was_installed_from_a_repository_names_its_commit(site: Path) -> None:
    direct = {"url": "ssh://git@github.com/acme/parcels.git", "vcs_info": {"vcs": "git", "commit_id": "a" * 40}}
    install(site, "parcels", {"parcels.py": RAISING}, direct=direct)
    origin = open_environment(site).subject("parcels").origin
    assert (origin.repository, origin.revision) == ("acme/parcels", "a" * 40)


def test_tests_examples_and_vendored_copies_are_left_out_and_counted(site: Path) -> None:
    paths = {
        "parcels/tests/test_scale.py": "tests",
        "parcels/conftest.py": "tests",
        "parcels/_vendor/six.py": "vendored copies",
        "parcels/examples/first.py": "examples",
        "docs/conf.py": "documentation",
        "parcels/unit/test/test_more.py": "tests",
        "parcels/unit/test/base.py": "tests",
        "parcels/test/client.py": "",  # tools for testing, which others use
        "parcels/attest.py": "",
    }
    install(site, "parcels", dict.fromkeys(paths, RAISING))
    subject = open_environment(site).subject("parcels")
    assert [file.relative for file in subject.files] == sorted(path for path, reason in paths.items() if not reason)
    assert subject.left_out == {"documentation": 1, "examples": 1, "tests": 4, "vendored copies": 1}


def test_packages_are_named_by_distribution_or_by_what_is_imported(site: Path) -> None:
    install(site, "Heavy.Parcels", {"parcels/__init__.py": ""}, "Requires-Dist: scales[fine]>=1; python_version>'3'")
    install(site, "scales", {"scales.py": ""}, "Requires-Dist: weights; extra == 'fine'\nRequires-Dist: gone")
    install(site, "weights", {"weights.py": ""}, "Requires-Dist: Heavy_Parcels\nRequires-Dist: other; extra == 'x'")
    install(site, "other", {"other.py": ""})
    environment = open_environment(site)
    assert environment.resolve(["heavy_parcels"]) == ["heavy-parcels"]
    assert environment.resolve(["parcels"]) == ["heavy-parcels"]
    assert environment.resolve(["parcels"], needed=True) == ["heavy-parcels", "scales", "weights"]
    assert environment.resolve(["scales"], needed=True) == ["scales"]
    with pytest.raises(NotThere, match="Did you mean weights"):
        environment.resolve(["wieghts"])


def test_what_is_no_environment_is_said_to_be_none(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "missing"):
        with pytest.raises(NotThere, match=str(place)):
            open_environment(place)


def test_archives_and_what_cannot_be_read_have_a_line_each(site: Path) -> None:
    names = ["loop.py", "pipe.py", "large.py", "gone.py", "folder.py", "good.py"]
    install(site, "parcels", {f"parcels/{name}": RAISING for name in names})
    (site / "old.egg").write_bytes(b"PK")
    folder = site / "parcels"
    for name in names[:-1]:
        (folder / name).unlink()
    (folder / "loop.py").symlink_to("loop.py")
    os.mkfifo(folder / "pipe.py")
    with (folder / "large.py").open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    (folder / "folder.py").mkdir()
    environment = open_environment(site)
    subject = environment.subject("parcels")
    assert [file.relative for file in subject.files] == ["parcels/good.py"]
    why = {Path(row.path).name: row.why for row in (*subject.skipped, *environment.skipped)}
    assert set(why) == {*names[:-1], "old.egg"}
    assert "archive" in why["old.egg"]
    assert "MB" in why["large.py"]
    assert all(why.values())


def test_a_project_installed_for_editing_is_read_where_it_is(site: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "parcels").mkdir(parents=True)
    (project / "parcels" / "scale.py").write_text(RAISING)
    (project / ".venv" / "lib").mkdir(parents=True)
    (project / ".venv" / "lib" / "other.py").write_text(RAISING)
    install(
        site,
        "parcels",
        {"_parcels.pth": str(project)},
        direct={"url": project.as_uri(), "dir_info": {"editable": True}},
    )
    subject = open_environment(site).subject("parcels")
    assert [file.relative for file in subject.files] == ["parcels/scale.py"]


def test_sources_are_named_by_their_project_file_and_split_at_src(tmp_path: Path) -> None:
    (tmp_path / "src" / "parcels").mkdir(parents=True)
    (tmp_path / "src" / "parcels" / "scale.py").write_text(RAISING)
    (tmp_path / "tool.py").write_text(RAISING)
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "copy.py").write_text(RAISING)
    (tmp_path / "round").symlink_to(tmp_path)
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "parcels"\nversion = "3"\nurls = {Source = "https://github.com/acme/parcels"}\n'
    )
    others, below = source_subjects(tmp_path)
    assert [file.relative for file in others.files] == ["tool.py"]
    assert [row.why for row in others.skipped] == ["a symbolic link to a directory"]
    assert ([file.relative for file in below.files], below.origin.folder) == (["parcels/scale.py"], "src/")
    assert (below.origin.repository, below.origin.version) == ("acme/parcels", "3")


@pytest.mark.parametrize(
    ("remote", "repository"),
    [
        ("git@git.acme.example:tools/parcels.git", "tools/parcels"),
        ("https://user:secret@github.com/acme/parcels.git", "acme/parcels"),
        ("ssh://git@git.acme.example:2222/deep/tools/parcels", "tools/parcels"),
        ("/srv/parcels.git", "local/my-parcels"),
        ("", "local/my-parcels"),
    ],
)
def test_sources_without_a_project_file_are_named_by_git_or_their_directory(
    tmp_path: Path, remote: str, repository: str
) -> None:
    folder = tmp_path / "my parcels"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_text(f'[core]\n\tbare = false\n[remote "origin"]\n\turl = {remote}\n')
    (folder / "scale.py").write_text(RAISING)
    assert [subject.origin.repository for subject in source_subjects(folder)] == [repository]


def test_the_standard_library_is_python_s_own_without_its_tests() -> None:
    subject = standard_library()
    paths = {file.relative for file in subject.files}
    assert {"json/decoder.py", "argparse.py"} <= paths
    assert not [path for path in paths if path.startswith(("test/", "site-packages/", "idlelib/"))]
    assert (subject.origin.repository, subject.origin.folder) == ("python/cpython", "Lib/")
