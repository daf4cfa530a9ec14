//! What the labels of a cluster's nodes say of their GPUs.

use super::gpu::{gpu, named};
use super::rows::{Gpu, NodeLabel};
use super::tables::{MACHINES, NODE_LABELS};

/// What the values of a node's label are, where the tables know it.
#[must_use]
pub fn node_label(label: &str) -> Option<NodeLabel> {
    let at = NODE_LABELS.binary_search_by(|(known, _)| (*known).cmp(label)).ok()?;
    Some(NODE_LABELS[at].1)
}

/// The GPU of a node whose label has this value; `None` where the tables cannot tell.
#[must_use]
pub fn gpu_of_node(label: NodeLabel, value: &str) -> Option<&'static Gpu> {
    match label {
        // One that is shared in time says so at the end.
        NodeLabel::Gpu => gpu(value.strip_suffix("-SHARED").unwrap_or(value)),
        NodeLabel::Machine => {
            // `p4d.24xlarge`, `a3-ultragpu-8g`.
            let of =
                |family: &str| value.strip_prefix(family).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-']));
            MACHINES.iter().find(|(family, _)| of(family)).and_then(|(_, name)| gpu(name))
        }
        NodeLabel::Other => None,
    }
}

/// Whether two are one product, whatever their memory and form.
#[must_use]
pub fn is_same_model(one: &Gpu, other: &Gpu) -> bool {
    let (a, b) = (named(one.name), named(other.name));
    one.sm == other.sm && a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| a.eq_ignore_ascii_case(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_of_nodes() {
        for (label, value, name) in [
            ("nvidia.com/gpu.product", "NVIDIA-A100-SXM4-80GB", Some("A100")),
            ("nvidia.com/gpu.product", "Tesla-T4-SHARED", Some("T4")),
            ("nvidia.com/gpu.product", "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", Some("A100")),
            ("nvidia.com/gpu.product", "Radeon", None),
            ("cloud.google.com/gke-accelerator", "nvidia-tesla-t4", Some("T4")),
            ("cloud.google.com/gke-accelerator", "nvidia-l4", Some("L4")),
            ("node.kubernetes.io/instance-type", "p4d.24xlarge", Some("A100")),
            ("node.kubernetes.io/instance-type", "a3-ultragpu-8g", Some("H200")),
            ("node.kubernetes.io/instance-type", "p4", None),
            ("nvidia.com/gpu.family", "ampere", None),
        ] {
            let names = node_label(label).expect(label);
            let found = gpu_of_node(names, value);
            match name.map(|name| gpu(name).expect(name)) {
                Some(want) => assert!(found.is_some_and(|gpu| is_same_model(gpu, want)), "{label}: {value}"),
                None => assert!(found.is_none(), "{label}: {value}"),
            }
        }
        assert!(!is_same_model(gpu("L4").expect("it"), gpu("RTX 4090").expect("it")));
        assert!(node_label("pool").is_none());
        // Each machine's GPU is one that the tables know.
        assert!(MACHINES.iter().all(|(_, name)| gpu(name).is_some()));
    }
}
