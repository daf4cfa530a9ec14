//! Releases of packages, and those that go with one of torch.

use crate::Tables;
use crate::notation::{kernels, parts, platforms};
use crate::order::{Key, release_key, text_key, version_key};
use crate::row::{Answer, Row};

/// A build of torch; the packages that go with it have the same ones.
pub(crate) struct Build {
    version: String,
    tag: String,
    indexes: Vec<String>,
    platforms: u8,
    glibc: String,
    pythons: Vec<String>,
    cpu: bool,
}

/// A release that is built beside one of torch, for all its tags.
pub(crate) struct Companion {
    package: String,
    version: String,
    torch: String,
    requires: Vec<String>,
    source: usize,
}

/// The keys of a row.
pub(crate) const RELEASE: &[&str] = &[
    "package",
    "version",
    "versions",
    "tag",
    "indexes",
    "platforms",
    "provides",
    "pythons",
    "glibc",
    "requires",
    "built_with",
    "breaks_with",
    "needs",
    "brings",
    "kernels",
    "code",
    "ptx",
    "ptx_unknown",
    "basis",
    "source",
    "kernels_basis",
    "kernels_source",
];

impl Tables {
    pub(crate) fn release(&mut self, row: &Row) -> Answer<Key> {
        let package = row.must("package")?;
        self.partner(package, row)?;
        let versions = row.each("version", "versions")?;
        let tag = row.text("tag")?;
        let platforms = platforms(&row.list("platforms")?)?;
        let indexes = row.list("indexes")?;
        if indexes.is_empty() {
            return Err("`indexes` is missing".to_owned());
        }
        let kernels = kernels(row)?;
        for version in &versions {
            if package == "torch" {
                self.torch.push(Build {
                    version: (*version).to_owned(),
                    tag: tag.to_owned(),
                    indexes: indexes.iter().map(|i| (*i).to_owned()).collect(),
                    platforms,
                    glibc: row.text("glibc")?.to_owned(),
                    pythons: row.list("pythons")?.iter().map(|p| (*p).to_owned()).collect(),
                    cpu: kernels == "Kernels::Cpu",
                });
            }
            let (basis, source) = self.basis_and_source(row, "basis", "source", version)?;
            let (kernels_basis, kernels_source) = match row.get("kernels_source") {
                Some(_) => self.basis_and_source(row, "kernels_basis", "kernels_source", version)?,
                None => (basis.clone(), source),
            };
            let requires: Vec<_> = row.list("requires")?.iter().map(|r| r.replace("{version}", version)).collect();
            let text = format!(
                "Release {{ package: {package:?}, version: {version:?}, tag: {tag:?}, indexes: &{indexes:?}, \
                 platforms: Platforms({platforms}), provides: {:?}, pythons: &{:?}, glibc: {:?}, requires: &{requires:?}, \
                 built_with: {:?}, breaks_with: &{:?}, needs: &[{}], brings: &[{}], kernels: {kernels}, basis: {basis}, source: {source}, kernels_basis: {kernels_basis}, \
                 kernels_source: {kernels_source} }}",
                row.text("provides")?,
                row.list("pythons")?,
                row.text("glibc")?,
                row.text("built_with")?,
                row.list("breaks_with")?,
                parts(&row.list("needs")?)?,
                parts(&row.list("brings")?)?,
            );
            let key = release_key(version, tag, platforms, &indexes.join(" "));
            self.releases.entry(package.to_owned()).or_default().push((key, text));
        }
        let mut key = text_key(package);
        key.extend(version_key(versions[0]));
        Ok(key)
    }

    pub(crate) fn partner(&mut self, package: &str, row: &Row) -> Answer<()> {
        let of = row.text("companion_of")?;
        if !of.is_empty() {
            self.partners.insert(package.to_owned(), of.to_owned());
        }
        Ok(())
    }

    pub(crate) fn companion(&mut self, row: &Row) -> Answer<Key> {
        let (package, version, torch) = (row.must("package")?, row.must("version")?, row.must("torch")?);
        self.partner(package, row)?;
        let source = self.source(&row.must("source")?.replace("{version}", version))?;
        self.companions.push(Companion {
            package: package.to_owned(),
            version: version.to_owned(),
            torch: torch.to_owned(),
            requires: match row.get("requires") {
                None => vec![format!("torch=={torch}")],
                Some(_) => row.list("requires")?.iter().map(|r| (*r).to_owned()).collect(),
            },
            source,
        });
        let mut key = text_key(package);
        key.extend(version_key(version));
        Ok(key)
    }

    /// A package of which some release bounds torch from above.
    pub(crate) fn torch_bound(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let package = row.must("package")?;
        row.must("requires")?;
        self.torch_bounds.push((text_key(package), format!("{package:?}")));
        Ok(text_key(package))
    }

    /// With which C++ ABI a torch is compiled.
    pub(crate) fn torch_abi(&mut self, row: &Row) -> Answer<Key> {
        let (image, releases, tags, cxx11) = (row.text("image")?, row.must("releases")?, row.list("tags")?, row.flag("cxx11")?);
        let (basis, source) = self.basis_and_source(row, "basis", "source", "")?;
        let key = text_key(&format!("{image} {releases} {}", tags.join(" ")));
        let text = format!(
            "TorchAbi {{ image: {image:?}, releases: {releases:?}, tags: &{tags:?}, cxx11: {cxx11}, basis: {basis}, source: {source} }}"
        );
        self.torch_abis.push((key.clone(), text));
        Ok(key)
    }

    /// Releases of a companion that compare their CUDA with torch's, by the minor or by the major alone.
    pub(crate) fn cuda_check(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let (package, releases) = (row.must("package")?, row.must("releases")?);
        let by_minor = match row.must("by")? {
            "minor" => true,
            "major" => false,
            other => return Err(format!("unknown `by`: {other}")),
        };
        self.cuda_checks.push((text_key(&format!("{package} {releases}")), format!("({package:?}, {releases:?}, {by_minor})")));
        Ok(text_key(package))
    }

    /// A package all of whose releases from one on have rows.
    pub(crate) fn complete(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let (package, since) = (row.must("package")?, row.must("since")?);
        self.complete.push((text_key(package), format!("({package:?}, {since:?})")));
        Ok(text_key(package))
    }

    /// A package of which no release in the tables has sources to build from, nor a wheel for musl.
    pub(crate) fn wheels_only(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let package = row.must("package")?;
        let listed = row.list("listed")?;
        let listed = if listed.is_empty() { 0 } else { platforms(&listed)? };
        self.wheels_only.push((text_key(package), format!("({package:?}, Platforms({listed}))")));
        Ok(text_key(package))
    }

    /// Names under which PyPI has nothing any more but packages that refuse to be installed.
    pub(crate) fn withdrawn(&mut self, row: &Row) -> Answer<Key> {
        let (_, source) = self.basis_and_source(row, "basis", "source", "")?;
        let (since, instead, unless) = (row.text("since")?, row.text("instead")?, row.text("unless")?);
        let packages = row.each("package", "packages")?;
        for package in &packages {
            let of_major = package.rsplit_once("-cu").filter(|(_, major)| major.bytes().all(|b| b.is_ascii_digit()));
            let instead = instead.replace("{bare}", of_major.map_or(*package, |(bare, _)| bare));
            let text = format!(
                "Withdrawn {{ package: {package:?}, since: {since:?}, instead: {instead:?}, unless: {unless:?}, source: {source} }}"
            );
            self.withdrawn.push((text_key(package), text));
        }
        Ok(text_key(packages[0]))
    }

    /// A companion is served where its torch is, under the same tags and for the same Pythons. What PyPI has of it is published; the rest is concluded.
    pub(crate) fn expand_companions(&mut self) -> Answer<()> {
        for c in std::mem::take(&mut self.companions) {
            let (package, version) = (&c.package, &c.version);
            let builds = self.torch.iter().filter(|b| b.version == c.torch);
            let rows = self.releases.entry(package.clone()).or_default();
            let before = rows.len();
            for b in builds {
                let published = b.indexes.iter().any(|i| i == "pypi");
                let requires: Vec<_> =
                    c.requires.iter().map(|r| if published { r } else { r.split('+').next().unwrap_or(r) }).collect();
                let text = format!(
                    "Release {{ package: {package:?}, version: {version:?}, tag: {:?}, indexes: &{:?}, platforms: Platforms({}), \
                     provides: \"\", pythons: &{:?}, glibc: {:?}, requires: &{requires:?}, built_with: {:?}, breaks_with: &[], needs: &[], brings: &[], kernels: Kernels::{}, basis: \
                     Basis::{}, source: {}, kernels_basis: Basis::Inferred, kernels_source: {} }}",
                    b.tag,
                    b.indexes,
                    b.platforms,
                    b.pythons,
                    b.glibc,
                    c.torch,
                    if b.cpu { "Cpu" } else { "Unknown" },
                    if published { "Metadata" } else { "Inferred" },
                    c.source,
                    c.source
                );
                rows.push((release_key(version, &b.tag, b.platforms, &b.indexes.join(" ")), text));
            }
            if rows.len() == before {
                return Err(format!("rules/knowledge: {package} {version} goes with torch {}, which has no row", c.torch));
            }
        }
        Ok(())
    }
}
