//! conda-lock's `conda-lock.yml` (version 1), and pixi's first locks, which look alike:
//! <https://conda.github.io/conda-lock/output/>.

use super::conda_file;
use crate::notation::requirement::normalise;
use crate::outline::{Act, Choice, Does, Locked, LockedFrom, Outline, Text, When};
use crate::read::subdir::marker_of;
use crate::read::syntax::yaml::{Node, Tree};
use crate::source::FileId;

/// Reads a lock.
pub(in crate::read) fn read(file: FileId, text: &str) -> Outline {
    let tree = Tree::read(file, text);
    let list = tree.documents().filter_map(|root| root.get("package")).flat_map(Node::items);
    let acts = list.filter_map(entry).collect();
    tree.outline(acts, Vec::new())
}

fn entry(package: Node<'_>) -> Option<Act> {
    let text = |key: &str| package.get(key).and_then(|node| Some(Text::literal(node.text()?, node.body())));
    let known = |key: &str| package.get(key).and_then(Node::text);
    let (name, version, url) = (text("name")?, text("version")?, text("url"));
    let from = match (known("manager")?, url) {
        // The file's name has the build.
        ("conda", Some(url)) => conda_file(&url)?.from,
        ("pip", Some(url)) => LockedFrom::File(url),
        ("pip", None) => LockedFrom::Indexes,
        _ => return None,
    };
    let category = known("category").filter(|category| *category != "main").map(|c| Choice::Group(normalise(c)));
    let when = When(category.into_iter().chain(known("platform").and_then(marker_of).map(Choice::Marker)).collect());
    let at = name.at.to(version.at);
    Some(Act { at, when, does: Does::Lock(Locked { name, version, from, markers: Vec::new() }) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::lock::tests::{show as shown, survives};

    const SAMPLE: &str = "version: 1\nmetadata:\n  channels:\n  - url: pytorch\n    used_env_vars: []\n  platforms: [linux-64]\npackage:\n\
        - name: pytorch\n  version: 2.1.0\n  manager: conda\n  platform: linux-64\n  dependencies:\n    python: '>=3.10,<3.11.0a0'\n\
        \x20 url: https://conda.anaconda.org/pytorch/linux-64/pytorch-2.1.0-py3.10_cuda11.8_cudnn8.7.0_0.tar.bz2\n  hash: {md5: 0}\n\
        \x20 category: main\n  optional: false\n- name: pytest\n  version: '8'\n  manager: pip\n  platform: osx-arm64\n\
        \x20 url: https://e.org/pytest-8-py3-none-any.whl\n  category: dev\n  optional: true\n- name: half\n  version: 1\n";

    #[test]
    fn entries() {
        assert_eq!(
            shown(read, SAMPLE),
            [
                "pytorch 2.1.0 conda https://conda.anaconda.org/pytorch/linux-64/pytorch-2.1.0-py3.10_cuda11.8_cudnn8.7.0_0.tar.bz2 \
                 <Marker(sys_platform == 'linux' and platform_machine == 'x86_64')>",
                "pytest 8 file https://e.org/pytest-8-py3-none-any.whl \
                 <Group(dev) Marker(sys_platform == 'darwin' and platform_machine == 'arm64')>",
            ]
        );
        survives(read, SAMPLE);
    }
}
