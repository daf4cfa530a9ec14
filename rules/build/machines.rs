//! GPUs, drivers, toolkits, and the nodes that have them.

use crate::Tables;
use crate::gpu_name;
use crate::notation::{sm, sms};
use crate::order::{Key, Part, text_key, version_key};
use crate::row::{Answer, Row};
use toml::Value;

impl Tables {
    pub(crate) fn gpu(&mut self, row: &Row) -> Answer<Key> {
        let name = row.must("name")?;
        let sm = sm(row.must("sm")?)?;
        let segment = row.must("segment")?;
        if !["DataCenter", "Workstation", "GeForce", "Tegra"].contains(&segment) {
            return Err(format!("unknown segment `{segment}`"));
        }
        let (basis, source) = self.basis_and_source(row, "basis", "source", "")?;
        let text = format!(
            "Gpu {{ name: {name:?}, sm: {sm}, architecture: {:?}, segment: Segment::{segment}, basis: {basis}, source: {source} }}",
            row.must("architecture")?,
        );
        for called in row.list("aliases")?.into_iter().chain([name]) {
            self.gpu_names.push((gpu_name::key(called), sm.clone(), name.to_owned()));
        }
        self.gpus.push((text_key(name), text));
        Ok(text_key(name))
    }

    pub(crate) fn ambiguous_gpu(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        self.ambiguous.extend(row.list("names")?.iter().map(|name| gpu_name::key(name)));
        Ok(Key::new())
    }

    pub(crate) fn driver_bound(&mut self, row: &Row) -> Answer<Key> {
        let cuda = row.must("cuda")?;
        let (basis, source) = self.basis_and_source(row, "basis", "source", "")?;
        let text = format!(
            "DriverBound {{ cuda: {cuda:?}, linux: {:?}, windows: {:?}, windows_disputed: {:?}, basis: {basis}, source: {source} }}",
            row.text("linux")?,
            row.text("windows")?,
            row.text("windows_disputed")?,
        );
        // `11` and `11.0` are two rows.
        let mut key = version_key(cuda);
        key.push(Part::Number(cuda.matches('.').count() as u64));
        self.bounds.push((key.clone(), text));
        Ok(key)
    }

    pub(crate) fn driver_branch(&mut self, row: &Row) -> Answer<Key> {
        let branch = row.get("branch").and_then(Value::as_integer).ok_or("`branch` must be a number")?;
        let (basis, source) = self.basis_and_source(row, "basis", "source", "")?;
        let key = vec![Part::Number(branch.unsigned_abs())];
        let text =
            format!("DriverBranch {{ branch: {branch}, cuda: {:?}, basis: {basis}, source: {source} }}", row.must("cuda")?);
        self.branches.push((key.clone(), text));
        Ok(key)
    }

    pub(crate) fn forward_compat(&mut self, row: &Row) -> Answer<Key> {
        let cuda = row.must("cuda")?;
        self.source(row.must("source")?)?;
        self.compat.push((version_key(cuda), format!("({cuda:?}, &{:?})", row.numbers("branches")?)));
        Ok(version_key(cuda))
    }

    pub(crate) fn toolkit(&mut self, row: &Row) -> Answer<Key> {
        let (basis, source) = self.basis_and_source(row, "basis", "source", "")?;
        let cudas = row.each("cuda", "cudas")?;
        for cuda in &cudas {
            let text =
                format!("Toolkit {{ cuda: {cuda:?}, sms: &[{}], basis: {basis}, source: {source} }}", sms(&row.list("sms")?)?);
            self.toolkits.push((version_key(cuda), text));
        }
        Ok(version_key(cudas[0]))
    }

    pub(crate) fn node_label(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let (label, names) = (row.must("label")?, row.must("names")?);
        let names = match names {
            "gpu" => "Gpu",
            "machine" => "Machine",
            "other" => "Other",
            _ => return Err(format!("unknown names `{names}`")),
        };
        self.node_labels.push((text_key(label), format!("({label:?}, NodeLabel::{names})")));
        Ok(text_key(label))
    }

    pub(crate) fn machine(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let families = row.list("families")?;
        let key = text_key(families.first().ok_or("no family")?);
        for family in families {
            self.machines.push((text_key(family), format!("({family:?}, {:?})", row.must("gpu")?)));
        }
        Ok(key)
    }

    pub(crate) fn other_hardware(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let word = row.must("word")?;
        self.other_hardware.push((text_key(word), format!("{word:?}")));
        Ok(text_key(word))
    }

    pub(crate) fn other_machine(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let words = row.list("words")?;
        let key = text_key(words.first().ok_or("no words")?);
        self.other_machines.extend(words.iter().map(|words| (text_key(words), format!("{words:?}"))));
        Ok(key)
    }
}
