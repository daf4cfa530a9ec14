//! `pixi.lock`: <https://pixi.sh/latest/workspace/lockfile/>. Which packages an environment has stands in `environments`,
//! by the addresses of their files, which say all that matters here: the long list of `packages` behind it is not read.

use super::{conda, conda_file, python_file};
use crate::outline::{Act, Choice, Does, IndexKind, IndexLine, Outline, Text, When};
use crate::read::subdir::marker_of;
use crate::read::syntax::yaml::{Node, Tree};
use crate::source::FileId;

/// Reads a lock.
pub(in crate::read) fn read(file: FileId, text: &str) -> Outline {
    let end = environments_end(text);
    let tree = Tree::read(file, &text[..end]);
    let mut acts = Vec::new();
    let mut environments = false;
    for root in tree.documents() {
        for (name, environment) in root.get("environments").into_iter().flat_map(Node::entries) {
            environments = true;
            let Some(name) = name.text() else { continue };
            let chosen = Choice::PixiEnvironment(name.to_owned());
            let channels = environment.get("channels").into_iter().flat_map(Node::items);
            let indexes = environment.get("indexes").into_iter().flat_map(Node::items);
            let places = channels.map(|node| (node.get("url").unwrap_or(node), IndexKind::Channel));
            for (node, kind) in places.chain(indexes.enumerate().map(|(n, node)| (node, index_kind(n)))) {
                let Some(url) = node.text() else { continue };
                let url = Text::literal(url, node.body());
                let line = IndexLine { url, kind, name: None, explicit: false };
                acts.push(Act { at: node.body(), when: When(vec![chosen.clone()]), does: Does::Index(line) });
            }
            for (platform, list) in environment.get("packages").into_iter().flat_map(Node::entries) {
                let marker = platform.text().and_then(marker_of).map(Choice::Marker);
                let when = When([chosen.clone()].into_iter().chain(marker).collect());
                acts.extend(list.items().into_iter().filter_map(|package| entry(package, &when)));
            }
        }
    }
    // Up to version 3 there were no environments.
    if !environments && end == text.len() { conda::read(file, text) } else { tree.outline(acts, Vec::new()) }
}

/// The first index takes the place of PyPI.
fn index_kind(n: usize) -> IndexKind {
    if n == 0 { IndexKind::Primary } else { IndexKind::Extra }
}

fn entry(package: Node<'_>, when: &When) -> Option<Act> {
    let url = |key: &str| package.get(key).and_then(|node| Some(Text::literal(node.text()?, node.body())));
    let lock = url("conda").as_ref().and_then(conda_file).or_else(|| python_file(&url("pypi")?))?;
    Some(Act { at: lock.name.at.to(lock.version.at), when: when.clone(), does: Does::Lock(lock) })
}

/// Where the list of packages begins, a key in the first column.
fn environments_end(text: &str) -> usize {
    text.find("\npackages:").map_or(text.len(), |line_end| line_end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::lock::tests::{show as shown, survives};

    const SAMPLE: &str = "version: 6\nenvironments:\n  default:\n    channels:\n    - url: https://conda.anaconda.org/conda-forge/\n\
        \x20   indexes:\n    - https://pypi.example/simple\n    packages:\n      linux-64:\n\
        \x20     - conda: https://conda.anaconda.org/conda-forge/linux-64/pytorch-2.5.1-cuda126_py311h0_5.conda\n\
        \x20     - pypi: https://e.org/torchvision-0.20.1-cp311-cp311-manylinux1_x86_64.whl\n      - pypi: ./\n\
        \x20 gpu:\n    packages:\n      osx-arm64:\n      - conda: https://e.org/conda-forge/noarch/x-1-0.conda\npackages:\n\
        - conda: https://conda.anaconda.org/conda-forge/linux-64/pytorch-2.5.1-cuda126_py311h0_5.conda\n  sha256: 0\n";

    #[test]
    fn entries() {
        let linux = "<PixiEnvironment(default) Marker(sys_platform == 'linux' and platform_machine == 'x86_64')>";
        assert_eq!(
            shown(read, SAMPLE),
            [
                "Channel https://conda.anaconda.org/conda-forge/ <PixiEnvironment(default)>".to_owned(),
                "Primary https://pypi.example/simple <PixiEnvironment(default)>".to_owned(),
                format!(
                    "pytorch 2.5.1 conda https://conda.anaconda.org/conda-forge/linux-64/pytorch-2.5.1-cuda126_py311h0_5.conda {linux}"
                ),
                format!("torchvision 0.20.1 file https://e.org/torchvision-0.20.1-cp311-cp311-manylinux1_x86_64.whl {linux}"),
                "x 1 conda https://e.org/conda-forge/noarch/x-1-0.conda \
                 <PixiEnvironment(gpu) Marker(sys_platform == 'darwin' and platform_machine == 'arm64')>"
                    .to_owned(),
            ]
        );
        survives(read, SAMPLE);
    }

    #[test]
    fn early_versions_are_lists() {
        let text = "version: 3\nmetadata: {}\npackage:\n- platform: linux-64\n  name: pytorch\n  version: 2.1.0\n  category: main\n\
            \x20 manager: conda\n  url: https://conda.anaconda.org/pytorch/linux-64/pytorch-2.1.0-py3.10_cpu_0.tar.bz2\n";
        assert_eq!(shown(read, text).len(), 1);
    }

    #[test]
    fn a_long_lock_is_read_in_time_that_grows_as_it_does() {
        let lock = |n: usize| {
            let line = |i: usize| format!("      - conda: https://e.org/conda-forge/linux-64/p{i}-1.0-h0_0.conda\n");
            let head = "version: 6\nenvironments:\n  default:\n    packages:\n      linux-64:\n";
            let entry = |i: usize| {
                format!("- conda: https://e.org/conda-forge/linux-64/p{i}-1.0-h0_0.conda\n  sha256: 0\n  depends: [a, b]\n")
            };
            head.to_owned() + &(0..n).map(line).collect::<String>() + "packages:\n" + &(0..n).map(entry).collect::<String>()
        };
        assert_eq!(read(FileId(0), &lock(100_000)).acts.len(), 100_000);
    }
}
