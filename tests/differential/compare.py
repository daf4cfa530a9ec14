"""Holds our readings against those of other programs, over the files of the folders that are named.

Oracles: pip-requirements-parser (pip's own parser, taken out), packaging, py-rattler, and dockerfile (BuildKit's parser).
Prints how often both agree, and each disagreement once.
"""

import collections
import json
import os
import re
import subprocess
import sys

import dockerfile
import packaging.markers
import packaging.requirements
import packaging.utils
import rattler
import yaml
from pip_requirements_parser import RequirementsFile
from rattler.package.build_string import BuildString

READINGS = os.environ["READINGS"]
VERSIONS = ["0.1", "1.13.1", "1.26.4", "2.0.0", "2.0.1", "2.1.2", "2.3.0", "2.3.0+cu121", "2.4.0rc1", "2.6.0", "3.0.0", "10.0", "2024.2.2"]
BUILDS = [["1.13.1", "py310_0"], ["2.0.0", "py3.10_cuda11.8_cudnn8.7.0_0"], ["2.1.2", "cpu_py311h1_0"], ["2.3", "h0_1"],
          ["2.4.0", "cuda120_py311h1_303"], ["3.10.14", "h955ad1f_1"], ["3.11.0", "he550d4f_1_cpython"], ["11.8", "0"],
          ["11.3.1", "h2bc3f7f_2"], ["12.1.105", "0"], ["12.4", "h1_0"], ["1.26.4", "py310_0"], ["24.0", "pyhd_0"]]
SYSTEMS = [("linux", "Linux", "posix", "x86_64"), ("darwin", "Darwin", "posix", "arm64"), ("win32", "Windows", "nt", "AMD64")]


def ours(what, asked):
    text = "".join(json.dumps(a) + "\n" for a in asked)
    done = subprocess.run([READINGS, what], input=text, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def of_files(paths):
    found = {}
    for start in range(0, len(paths), 200):
        done = subprocess.run([READINGS, "files", *paths[start:start + 200]], capture_output=True, text=True, check=True)
        for line in done.stdout.splitlines():
            reading = json.loads(line)
            found[reading["path"]] = reading
    return found


class Tally:
    def __init__(self, name):
        self.name, self.same, self.differs = name, 0, collections.Counter()

    def add(self, same, told):
        if same:
            self.same += 1
        else:
            self.differs[told] += 1

    def show(self):
        every = self.same + sum(self.differs.values())
        share = 100 * self.same / every if every else 100
        print(f"{self.name}: {self.same} of {every} agree ({share:.2f} %)")
        for told, count in sorted(self.differs.items()):
            print(f"  {count:4}  {told}")


def files(folders, fits):
    for folder in folders:
        for at, _, names in os.walk(folder):
            for name in sorted(names):
                path = os.path.join(at, name)
                if fits(name) and os.path.isfile(path):
                    try:
                        with open(path, encoding="utf-8") as file:
                            file.read()
                        yield path
                    except UnicodeDecodeError:
                        continue


def of_pip(path):
    """What pip's parser says of a requirements file: (line, kind, text), and the lines that it refuses."""
    read = RequirementsFile.from_file(path, include_nested=False)
    found = []
    for asked in read.requirements:
        line = asked.requirement_line.line_number
        # A folder with a project, editable or not.
        folder = asked.is_local_path and not asked.is_archive and "://" not in asked.requirement_line.line
        found.append((line, "editable" if folder else "require", asked.name))
    for option in read.options:
        for key, value in option.options.items():
            line = option.requirement_line.line_number
            for one in value if isinstance(value, list) else [value]:
                if key in ("requirements", "constraints"):
                    found.append((line, "include", one))
                elif key in ("index_url", "extra_index_urls", "find_links"):
                    found.append((line, "index", one))
    return found, {bad.requirement_line.line_number for bad in read.invalid_lines}


def compare_requirements(folders):
    paths = list(files(folders, lambda n: n.endswith(".txt") and "requirement" in n))
    readings = of_files(paths)
    tally, texts = Tally("lines of requirements files, against pip's parser"), set()
    for path in paths:
        theirs, invalid = of_pip(path)
        mine = collections.defaultdict(list)
        for act in readings[path]["acts"]:
            mine[act["line"]].append((act["is"], act["of"][0]))
            if act["is"] == "require" and act["of"][0]:
                texts.add(act["of"][0])
        expected = collections.defaultdict(list)
        for line, kind, value in theirs:
            expected[line].append((kind, value))
        torn = set(readings[path]["torn"])
        for line in sorted(set(mine) | set(expected) | invalid):
            where = f"{path}:{line}"
            if line in invalid:
                tally.add(line in torn or not mine[line], f"{where}: pip refuses it, we say nothing: {mine[line]}")
                continue
            kinds = sorted(kind for kind, _ in mine[line])
            tally.add(kinds == sorted(kind for kind, _ in expected[line]), f"{where}: {expected[line]}, we say {mine[line]}")
    tally.show()
    return sorted(texts)


def compare_pep508(texts):
    tally, markers = Tally("requirements, against packaging"), set()
    for text, mine in zip(texts, ours("requirement", [{"text": t, "versions": VERSIONS} for t in texts])):
        try:
            theirs = packaging.requirements.Requirement(text)
        except packaging.requirements.InvalidRequirement:
            # pip takes addresses and folders beside PEP 508.
            if not re.search(r"://|^git\+|[/\\]|\.whl", text):
                tally.add(mine is None, f"{text}: packaging refuses it, we say {mine}")
            continue
        if theirs.marker:
            markers.add(str(theirs.marker))
        if mine is None:
            tally.add(False, f"{text}: we refuse it")
            continue
        same = mine.get("name") == packaging.utils.canonicalize_name(theirs.name)
        same &= mine.get("extras") == sorted(packaging.utils.canonicalize_name(e) for e in theirs.extras)
        if not theirs.url:
            same &= mine.get("admits") == [theirs.specifier.contains(v, prereleases=True) for v in VERSIONS]
        tally.add(same, f"{text}: {theirs}, we say {mine}")
    tally.show()
    return sorted(markers)


def compare_markers(markers):
    tally = Tally("answers of markers, against packaging")
    for text, mine in zip(markers, ours("marker", markers)):
        theirs = []
        for system, name, os_name, machine in SYSTEMS:
            for minor in (8, 10, 12):
                environment = {"sys_platform": system, "platform_system": name, "os_name": os_name, "platform_machine": machine,
                               "python_version": f"3.{minor}", "python_full_version": f"3.{minor}.1", "extra": "",
                               "implementation_name": "cpython", "platform_python_implementation": "CPython",
                               "implementation_version": f"3.{minor}.1"}
                theirs.append(packaging.markers.Marker(text).evaluate(environment))
        for answer, expected in zip(mine or [None] * 9, theirs):
            # Not known is no wrong answer.
            tally.add(answer in (expected, None), f"{text}: {theirs}, we say {mine}")
    tally.show()


def compare_specs(folders):
    texts = set()
    for path in files(folders, lambda n: n.endswith((".yml", ".yaml")) and re.match(r"env|conda|requirements", n)):
        try:
            with open(path, encoding="utf-8") as file:
                read = yaml.safe_load(file)
        except yaml.YAMLError:
            continue
        if isinstance(read, dict) and isinstance(read.get("dependencies"), list):
            texts |= {d for d in read["dependencies"] if isinstance(d, str) and "{{" not in d}
    texts = sorted(texts)
    tally = Tally("match specs of conda, against rattler")
    for text, mine in zip(texts, ours("spec", [{"text": t, "builds": BUILDS} for t in texts])):
        try:
            theirs = rattler.MatchSpec(text, strict=False)
        except Exception as refused:  # its exceptions have no common class
            tally.add(mine is None, f"{text}: rattler refuses it ({str(refused).splitlines()[0]}), we say {mine}")
            continue
        if mine is None:
            tally.add(False, f"{text}: we refuse it")
            continue
        name = theirs.name.normalized if hasattr(theirs.name, "normalized") else str(theirs.name)
        admits = []
        for version, build in BUILDS:
            record = rattler.PackageRecord(name=name, version=version, build=BuildString(build), build_number=0, subdir="linux-64")
            bare = rattler.MatchSpec(text.split("::")[-1], strict=False)
            admits.append(bare.matches(record))
        tally.add(mine["name"] == name and mine["admits"] == admits, f"{text}: {admits}, we say {mine}")
    tally.show()


def plain(word):
    """A word as we show it: without quotes, `$X` as `${X}`."""
    word = re.sub(r"\$([A-Za-z_]\w*)", r"${\1}", word)
    word = re.sub(r"\\(.)", r"\1", word) if "\\" in word else word
    return re.sub(r"""(["'])(.*?)\1""", r"\2", word)


def of_buildkit(path):
    for command in dockerfile.parse_file(path):
        word = command.cmd.upper()
        if word == "ONBUILD":
            # The rest of the line is an instruction of its own.
            continue
        line, value = command.start_line, list(command.value)
        if word == "FROM":
            name = value[2].lower() if len(value) == 3 else None
            yield line, "FROM", [plain(value[0]), name]
        elif word == "ARG":
            for item in value:
                yield line, "ARG", [item.split("=")[0]]
        elif word == "ENV":
            for name in value[::2]:
                yield line, "ENV", [plain(name)]
        elif word == "WORKDIR":
            yield line, "WORKDIR", [plain(value[0])]
        elif word in ("COPY", "ADD") and not any("<<" in v for v in value):
            yield line, "COPY", [plain(v) for v in value] if not command.json else value
        elif word in ("CMD", "ENTRYPOINT") and command.json:
            yield line, word, value


def compare_dockerfiles(folders):
    fits = lambda n: n.startswith(("Dockerfile", "dockerfile")) or n.endswith((".Dockerfile", ".dockerfile"))
    paths = [p for p in files(folders, fits) if not p.endswith((".dockerignore", ".md", ".py", ".sh", ".json"))]
    readings, tally, refused = of_files(paths), Tally("instructions of Dockerfiles, against BuildKit's parser"), 0
    for path in paths:
        try:
            theirs = list(of_buildkit(path))
        except dockerfile.GoParseError:
            refused += 1
            continue
        mine = []
        for act in readings[path]["acts"]:
            if act["is"] in ("FROM", "ARG", "ENV"):
                mine.append((act["is"], act["of"][:2] if act["is"] == "FROM" else act["of"][:1]))
            elif act["is"] in ("WORKDIR", "COPY", "CMD", "ENTRYPOINT"):
                mine.append((act["is"], act["of"]))
        count = collections.Counter(json.dumps(m) for m in mine)
        for line, word, value in theirs:
            key = json.dumps((word, value))
            # A part that is known only when run is not known to us at all.
            loose = next((k for k in count if count[k] and fits_loosely(json.loads(k), word, value)), None)
            same = count[key] > 0 or loose is not None
            if same:
                count[key if count[key] > 0 else loose] -= 1
            tally.add(same, f"{path}:{line}: {word} {value}")
    tally.show()
    print(f"  {refused} of {len(paths)} files that BuildKit's parser refuses are left out")


def fits_loosely(mine, word, value):
    return mine[0] == word and len(mine[1]) == len(value) and None in mine[1] and all(m in (None, v) for m, v in zip(mine[1], value))


def main():
    folders = sys.argv[1:]
    compare_markers(compare_pep508(compare_requirements(folders)))
    compare_specs(folders)
    compare_dockerfiles(folders)


main()
