//! Which builds an image may come from, by what it is called.

use std::collections::BTreeMap;

use super::arguments::Arguments;
use super::spoken::Name;

/// An image of one name comes from no more builds: with more it is not known what is in it.
const MOST: usize = 16;

/// What a build makes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Made {
    pub(super) dockerfile: String,
    /// The stage; empty for the last.
    pub(super) target: String,
    /// Its set of build arguments, by position; `None` for one that is not looked at.
    pub(super) build: Option<usize>,
}

/// A build that gives an image its name.
#[derive(Clone, Debug)]
pub(super) struct Naming {
    pub(super) name: Name,
    pub(super) dockerfile: String,
    pub(super) target: String,
    pub(super) arguments: Arguments,
}

/// By what the image is called, whatever its tag.
#[derive(Debug, Default, Hash)]
pub(super) struct Images(BTreeMap<String, Vec<(Option<String>, Made)>>);

impl Images {
    /// `position` is that of a Dockerfile's set of arguments. What people build by hand counts for what nothing else builds.
    pub(super) fn of(
        stated: impl Iterator<Item = Naming>,
        told: impl Iterator<Item = Naming>,
        position: impl Fn(&str, &Arguments) -> Option<usize>,
    ) -> Self {
        let mut images = Self::default();
        for naming in stated {
            images.add(naming, &position);
        }
        let mut by_hand = Self::default();
        for naming in told.filter(|naming| !images.0.contains_key(&naming.name.image)) {
            by_hand.add(naming, &position);
        }
        images.0.append(&mut by_hand.0);
        images
    }

    fn add(&mut self, naming: Naming, position: impl Fn(&str, &Arguments) -> Option<usize>) {
        let Naming { name, dockerfile, target, arguments } = naming;
        let build = position(&dockerfile, &arguments);
        let all = self.0.entry(name.image).or_default();
        let made = (name.tag, Made { dockerfile, target, build });
        // One more than counts says that there are too many.
        if all.len() <= MOST && !all.contains(&made) {
            all.push(made);
        }
    }

    /// The images that are built, each with one Dockerfile that it comes from.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().flat_map(|(image, all)| all.iter().map(move |(_, made)| (image.as_str(), made.dockerfile.as_str())))
    }

    /// The one build that gave an image just that name; none where another may have, too.
    pub(super) fn only(&self, name: &Name) -> Option<&Made> {
        let all = self.0.get(&name.image).filter(|all| all.len() <= MOST && name.tag.is_some())?;
        let mut own = all.iter().filter(|(tag, _)| tag.is_none() || *tag == name.tag).peekable();
        let (tag, first) = own.peek()?;
        let sure = tag.is_some();
        own.all(|(tag, made)| tag.is_some() && made == first).then_some(first).filter(|_| sure)
    }

    /// What an image of that name may be: the builds that gave it its tag, and those of which the tag is not known; where no
    /// build gave it, any of that name. None where nothing is known.
    pub(super) fn named(&self, name: &Name) -> Vec<&Made> {
        let all = self.0.get(&name.image).filter(|all| all.len() <= MOST).map_or(&[][..], Vec::as_slice);
        let tagged = |tag: &Option<String>| tag.is_some() && *tag == name.tag;
        let known = all.iter().any(|(tag, _)| tagged(tag));
        let mut found: Vec<&Made> = Vec::new();
        for (_, made) in all.iter().filter(|(tag, _)| !known || tagged(tag) || tag.is_none()) {
            if !found.contains(&made) {
                found.push(made);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_build_that_gave_the_tag() {
        let naming = |tag: Option<&str>, target: &str| Naming {
            name: Name { image: "acme/app".to_owned(), tag: tag.map(str::to_owned) },
            dockerfile: "Dockerfile".to_owned(),
            target: target.to_owned(),
            arguments: Arguments::default(),
        };
        let asked = |images: &Images, tag: Option<&str>| -> Vec<String> {
            let name = Name { image: "acme/app".to_owned(), tag: tag.map(str::to_owned) };
            images.named(&name).into_iter().map(|made| made.target.clone()).collect()
        };
        let two = [naming(Some("cpu"), "a"), naming(Some("gpu"), "b")];
        let images = Images::of(two.clone().into_iter(), std::iter::once(naming(Some("cpu"), "c")), |_, _| Some(0));
        assert_eq!(asked(&images, Some("cpu")), ["a"]);
        assert_eq!(asked(&images, Some("gpu")), ["b"]);
        assert_eq!(asked(&images, Some("latest")), ["a", "b"], "nobody gave that tag");
        assert_eq!(asked(&images, None), ["a", "b"], "the tag is not known");
        let only =
            |images: &Images, tag: &str| images.only(&Name::of(&format!("acme/app:{tag}"))).map(|made| made.target.clone());
        assert_eq!(only(&images, "gpu").as_deref(), Some("b"));
        assert_eq!(only(&images, "latest"), None);
        let three = two.into_iter().chain([naming(None, "d")]);
        let images = Images::of(three, std::iter::empty(), |_, _| Some(0));
        assert_eq!(asked(&images, Some("cpu")), ["a", "d"]);
        assert_eq!(only(&images, "gpu"), None, "the other's tag may be that, too");
        let many = (0..=MOST).map(|n| naming(Some("cpu"), &n.to_string()));
        assert!(asked(&Images::of(many, std::iter::empty(), |_, _| Some(0)), Some("cpu")).is_empty());
    }
}
