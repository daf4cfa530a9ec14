//! Requests for a GPU as those read them whom they are for: what each of them refuses, or reads otherwise than it was meant.

pub(super) mod compose;
pub(super) mod docker;
pub(super) mod kubernetes;
