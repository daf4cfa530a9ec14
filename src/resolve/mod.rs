//! Which builds an ask may come to: each installer's own habit of choosing among indexes and versions.
//!
//! pip takes the highest version over all indexes; uv takes the first index that has the package at all.
//! Source: `rules-of-resolution` runs with pip 26.3 and uv 0.13.9 on loopback indexes, pages `index-shadowed`.

mod conda;
mod pick;
mod prune;
mod published;
mod python;

pub(crate) use conda::{candidates as conda_candidates, channel, release_of_label};
pub(crate) use pick::Pick;
pub(crate) use prune::{Manner, Package, Stays, prune};
pub(crate) use published::{
    all_extras, bounds_torch, frameworks_pinned_by, goes_by_torch, has_variants, is_framework, requirements,
};
pub(crate) use python::{Reach, candidates as python_candidates, for_any_platform, from_wheel, is_served, wherever_published};
