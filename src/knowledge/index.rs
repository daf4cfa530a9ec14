//! What is known of a place that packages come from.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::rows::Index;
use super::tables::{INDEX_ADDRESSES, INDEXES, RELEASES};

/// What is known of an index address; credentials, scheme, trailing slash and `www.` do not matter. An address of the tables
/// that ends in `/*` stands for all pages below it.
#[must_use]
pub fn index(url: &str) -> Option<&'static Index> {
    let (host, path) = host_and_path(url)?;
    let address = if path.is_empty() { host.clone() } else { format!("{host}/{path}") };
    by_address(&address)
        .or_else(|| by_address(package_page(&address)?))
        .or_else(|| address.rmatch_indices('/').find_map(|(at, _)| by_address(&format!("{}/*", &address[..at]))))
        .or_else(|| index_by_id("pypi").filter(|_| is_pypi(&host, path)))
}

fn by_address(address: &str) -> Option<&'static Index> {
    let at = INDEX_ADDRESSES.binary_search_by(|(known, _)| (*known).cmp(address)).ok()?;
    INDEXES.get(usize::from(INDEX_ADDRESSES[at].1))
}

/// Whether an index serves nothing that differs from what PyPI serves under the same name, as far as the tables tell what it serves.
#[must_use]
pub fn serves_as_pypi(index: &Index) -> bool {
    static IDS: LazyLock<BTreeSet<&str>> = LazyLock::new(as_pypi);
    IDS.contains(index.id)
}

/// Those whose builds are PyPI's own, or of packages that PyPI has no build of in the tables. Of an index of which the tables have
/// nothing it is not known.
fn as_pypi() -> BTreeSet<&'static str> {
    let (mut same, mut other) = (BTreeSet::new(), BTreeSet::new());
    for (_, releases) in RELEASES {
        let on_pypi = releases.iter().any(|release| release.indexes.contains(&"pypi"));
        for release in *releases {
            let alike = !on_pypi || release.indexes.contains(&"pypi");
            (if alike { &mut same } else { &mut other }).extend(release.indexes);
        }
    }
    same.extend(INDEXES.iter().filter(|index| !index.carries.is_empty()).map(|index| index.id));
    &same - &other
}

/// Whether a file at an address is one that an index of the tables serves: it lies where the index does, or in PyPI's store
/// of files, which its mirrors keep (`packages/` and the file's digest).
#[must_use]
pub fn serves(url: &str) -> bool {
    let Some(folder) = folder_of(url) else { return false };
    let mut parts = folder.rsplit('/');
    let mut hex = |digits: usize| parts.next().is_some_and(|p| p.len() == digits && p.bytes().all(|b| b.is_ascii_hexdigit()));
    let stored = hex(60) && hex(2) && hex(2) && parts.next() == Some("packages");
    folder.contains("://") && (stored || index(folder).is_some())
}

/// The index of one CUDA in whose folder a file lies: all that it holds is built for that.
#[must_use]
pub fn index_of_file(url: &str) -> Option<&'static Index> {
    index(folder_of(url).filter(|folder| folder.contains("://"))?).filter(|index| !index.tag.is_empty())
}

fn folder_of(url: &str) -> Option<&str> {
    url.split(['?', '#']).next().unwrap_or(url).rsplit_once('/').map(|(folder, _)| folder)
}

/// Whether a local version is one that an index of the tables gives its builds: `cu121`.
#[must_use]
pub fn is_tag(local: &str) -> bool {
    INDEXES.iter().any(|row| row.tag == local)
}

/// The word for a CUDA (`cu131`, `cu12.1`) in an address where PyTorch's indexes lie, or their mirrors', of which the tables have
/// none; development builds have a folder of their own.
#[must_use]
pub fn unlisted_tag(url: &str) -> Option<&str> {
    let known = index_by_id("pytorch/root")?;
    let bare = url.split_once("://").map_or(url, |(_, rest)| rest);
    let at = bare.rsplit_once('@').map_or(bare, |(_, rest)| rest);
    let roots = INDEX_ADDRESSES.iter().filter(|(_, row)| INDEXES.get(usize::from(*row)).is_some_and(|row| row.id == known.id));
    let rest = roots.filter_map(|(root, _)| at.strip_prefix(root)?.strip_prefix('/')).next()?;
    let mut parts = rest.trim_end_matches('/').split('/');
    let tag = parts.next().filter(|tag| tag.starts_with("cu") && tag[2..].starts_with(|c: char| c.is_ascii_digit()))?;
    let page = parts.next().is_none_or(|page| page.ends_with(".html"));
    (page && parts.next().is_none() && index(url).is_none()).then_some(tag)
}

/// The index of that id: `pypi`, `pytorch/cu121`.
#[must_use]
pub fn index_by_id(id: &str) -> Option<&'static Index> {
    INDEXES.binary_search_by(|row| row.id.cmp(id)).ok().map(|at| &INDEXES[at])
}

/// What a mirror may stand for: the ids of indexes, and what stands before their slash, the root of several.
pub fn mirrored() -> impl Iterator<Item = &'static str> {
    let roots = INDEXES.iter().filter_map(|row| row.id.split_once('/').map(|(root, _)| root));
    INDEXES.iter().map(|row| row.id).chain(roots)
}

/// The index of a page that lists one package: `…/whl/cu121/torch`.
fn package_page(address: &str) -> Option<&str> {
    ["/torch", "/torchvision", "/torchaudio"].iter().find_map(|page| address.strip_suffix(page))
}

fn host_and_path(url: &str) -> Option<(String, &str)> {
    let url = url.trim();
    let rest = match url.split_once("://") {
        Some(("http" | "https" | "HTTP" | "HTTPS", rest)) => rest,
        Some(_) => return None,
        None => url,
    };
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = authority.rsplit('@').next().unwrap_or(authority).to_ascii_lowercase();
    let host = host.split(':').next().unwrap_or(&host);
    let host = host.strip_prefix("www.").unwrap_or(host).to_owned();
    host.contains('.').then_some((host, path.trim_matches('/')))
}

/// PyPI and its mirrors: a host with the label `pypi`, or a mirror host with `pypi` in its path.
/// Only an index as PyPI has it (`/simple`): such hosts serve private indexes, too.
fn is_pypi(host: &str, path: &str) -> bool {
    let labelled = |label: &str| host.split('.').any(|l| l == label);
    let simple = path.split('/').any(|p| p == "simple");
    let mirrored = (host.starts_with("mirror.") || host.starts_with("mirrors.")) && path.split('/').any(|p| p == "pypi");
    // The rehearsal index has other packages.
    (labelled("pypi") && !labelled("test") && (simple || path.is_empty()) || mirrored && simple) && !labelled("nvidia")
}

/// Whether an address is taken for PyPI's by its host's name alone, which nobody else says: a company's own serves builds of its
/// own, too.
#[must_use]
pub fn is_pypi_by_name(url: &str) -> bool {
    let Some((host, path)) = host_and_path(url) else { return false };
    let own = ["pypi.org", "pypi.python.org"].contains(&host.as_str());
    !own && host.split('.').any(|label| label == "pypi") && is_pypi(&host, path) && index(url).is_some_and(|i| i.id == "pypi")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_pypi_it_is() {
        for (url, by_name) in [
            ("https://pypi.org/simple", false),
            ("https://www.pypi.org/simple/", false),
            ("https://me:x@pypi.example/simple", true),
            ("https://x.pypi.example/simple", true),
            ("https://mirrors.example/pypi/simple/", false),
            ("https://pypi.nvidia.com", false),
            ("https://example.org/simple", false),
        ] {
            assert_eq!(is_pypi_by_name(url), by_name, "{url}");
        }
    }

    #[test]
    fn what_comes_from_where() {
        for (id, same) in [
            ("pypi", true),
            ("nvidia", true),
            ("pyg", true),
            ("mmcv/cu118/torch2.0", true),
            ("pytorch/cu118", false),
            // The tables list nothing of it, and it serves torch.
            ("pytorch/nightly/cu128", false),
            ("pytorch/rocm6.2", false),
        ] {
            assert_eq!(serves_as_pypi(index_by_id(id).expect("a known index")), same, "{id}");
        }
    }

    #[test]
    fn addresses() {
        let table = [
            ("https://download.pytorch.org/whl/cu121", Some("pytorch/cu121")),
            ("https://download.pytorch.org/whl/cu121/", Some("pytorch/cu121")),
            ("http://user:pass@DOWNLOAD.pytorch.org:443/whl/cu121//", Some("pytorch/cu121")),
            ("download.pytorch.org/whl/cu118", Some("pytorch/cu118")),
            ("https://download.pytorch.org/whl/cu113/torch_stable.html", Some("pytorch/cu113")),
            ("https://download.pytorch.org/whl/cu124/torch/", Some("pytorch/cu124")),
            ("https://download.pytorch.org/whl/torch_stable.html", Some("pytorch/flat")),
            ("https://download.pytorch.org/whl/", Some("pytorch/root")),
            ("https://download.pytorch.org/whl/cpu", Some("pytorch/cpu")),
            ("https://download.pytorch.org/whl/nightly/cu128", Some("pytorch/nightly/cu128")),
            ("https://download.pytorch.org/whl/test/cu118", Some("pytorch/test/cu118")),
            ("https://download.pytorch.org/whl/lts/1.8/cu111", Some("pytorch/lts/cu111")),
            ("https://download.pytorch.org/whl/rocm6.2", Some("pytorch/rocm6.2")),
            ("https://download-r2.pytorch.org/whl/cu130", Some("pytorch/cu130")),
            ("https://mirrors.aliyun.com/pytorch-wheels/cu118/", Some("pytorch/cu118")),
            ("https://mirror.sjtu.edu.cn/pytorch-wheels/cu118", Some("pytorch/cu118")),
            ("https://download.pytorch.org/whl/cu131", None),
            ("https://download.pytorch.org/whl/cu12.1", None),
            ("https://download.pytorch.org/whl/cu1211", None),
            ("https://download.pytorch.org/", None),
            ("https://pypi.example/simple", Some("pypi")),
            ("https://data.pyg.org/whl/torch-2.3.1+cu121.html", Some("pyg/torch-2.3.1+cu121")),
            ("https://data.pyg.org/whl/torch-1.5.0+cu101.html", Some("pyg")),
            ("https://data.pyg.org/other/", None),
            ("https://pypi.example", Some("pypi")),
            ("https://www.pypi.example/simple/", Some("pypi")),
            ("https://pypi.tuna.tsinghua.edu.cn/simple", Some("pypi")),
            ("https://mirrors.example/pypi/simple/", Some("pypi")),
            ("https://mirrors.example/other/simple/", None),
            ("https://test.pypi.example/simple", None),
            ("https://pypi.example/a-private-account", None),
            ("https://mypypi.example/simple", None),
            ("https://example.org/pypi/simple", None),
            ("https://pypi.nvidia.com", Some("nvidia")),
            ("https://pypi.ngc.nvidia.com/", Some("nvidia")),
            (
                "https://aiinfra.pkgs.visualstudio.com/PublicPackages/_packaging/onnxruntime-cuda-12/pypi/simple/",
                Some("ort/cuda-12"),
            ),
            ("https://storage.googleapis.com/jax-releases/jax_cuda_releases.html", Some("jax/cuda")),
            ("https://data.pyg.org/whl/torch-2.12.0+cu130.html", Some("pyg/torch-2.12.0+cu130")),
            ("https://abetlen.github.io/llama-cpp-python/whl/cu121", Some("llama-cpp-python/cu121")),
            ("", None),
            ("://", None),
            ("file:///pypi.example/simple", None),
            ("\u{0}\u{feff}é/…", None),
        ];
        for (url, id) in table {
            assert_eq!(index(url).map(|i| i.id), id, "{url}");
        }
        assert!(index(&"https://a.b/@".repeat(200_000)).is_none());
    }

    #[test]
    fn files() {
        let digest = format!("packages/0a/bc/{}", "d".repeat(60));
        for (url, serves_it) in [
            ("https://download.pytorch.org/whl/cu121/torch-2.1.0%2Bcu121-cp310-cp310-linux_x86_64.whl", true),
            (&format!("https://files.example/{digest}/torch-2.1.0-cp310-cp310-manylinux1_x86_64.whl"), true),
            ("https://files.example/packages/torch-2.1.0-cp310-cp310-manylinux1_x86_64.whl", false),
            (&format!("./{digest}/torch-2.1.0-cp310-cp310-manylinux1_x86_64.whl"), false),
            ("./torch-2.1.0-cp310-cp310-linux_x86_64.whl", false),
            ("x.whl", false),
        ] {
            assert_eq!(serves(url), serves_it, "{url}");
        }
        assert!(is_tag("cu118") && !is_tag("cu131") && !is_tag("nv23.06"));
    }

    #[test]
    fn the_folder_of_a_file_names_its_cuda() {
        let tag = |url: &str| index_of_file(url).map(|index| index.tag);
        assert_eq!(
            tag("https://download.pytorch.org/whl/cu118/torch-2.1.0-cp310-cp310-linux_x86_64.whl#sha256=0"),
            Some("cu118")
        );
        assert_eq!(tag("https://download.pytorch.org/whl/torch-2.1.0-cp310-cp310-linux_x86_64.whl"), None);
        assert_eq!(tag("./whl/cu118/torch-2.1.0-cp310-cp310-linux_x86_64.whl"), None);
    }

    #[test]
    fn ids() {
        for row in INDEXES {
            assert_eq!(index_by_id(row.id).map(|i| i.id), Some(row.id));
        }
        assert!(index_by_id("pytorch/cu131").is_none());
        let kind = |id| index_by_id(id).map(|i| (i.local_versions, i.pre_releases));
        assert_eq!(kind("pypi"), Some((false, false)));
        assert_eq!(kind("pytorch/flat"), Some((true, false)));
        assert_eq!(kind("pytorch/nightly/cu128"), Some((true, true)));
    }

    #[test]
    fn a_line_that_has_ended_is_closed() {
        let closed = |tag: &str| index(&format!("https://download.pytorch.org/whl/{tag}")).map(|i| (i.closed, i.tag));
        assert_eq!(closed("cu121"), Some((true, "cu121")));
        assert_eq!(closed("cu130"), Some((false, "cu130")));
        assert_eq!(index("https://download.pytorch.org/whl/torch_stable.html").map(|i| (i.flat, i.closed)), Some((true, false)));
    }
}
