//! The same files elsewhere, or under another name that programs know.

use std::collections::BTreeMap;

use crate::written::{Line, Written};

/// Where a whole case is moved to.
const FOLDER: &str = "services/train";

/// The whole case in a folder of the repository; what only counts at its root is left out.
pub(crate) fn moved(written: &Written) -> Option<Written> {
    let at_root = [".github/", ".gitlab-ci.yml", ".devcontainer/"];
    if written.files.keys().any(|path| at_root.iter().any(|root| path.starts_with(root))) {
        return None;
    }
    let files = written.files.iter().map(|(path, lines)| (format!("{FOLDER}/{path}"), lines.clone())).collect();
    Some(Written { files, ..written.clone() })
}

/// Other names: `compose.yaml`, `environment.yaml`, `Containerfile`, `.zshrc`, `install.bash`.
pub(crate) fn renamed(written: &Written) -> Option<Written> {
    let others = [
        ("docker-compose.yml", "compose.yaml"),
        ("environment.yml", "environment.yaml"),
        ("environment.yaml", "environment.yml"),
        (".bashrc", ".zshrc"),
        ("deploy.yaml", "deploy.yml"),
        ("pod.yaml", "pod.yml"),
        ("tests.yml", "tests.yaml"),
        ("ci.yml", "ci.yaml"),
        ("gpu.yml", "gpu.yaml"),
        ("setup.sh", "bootstrap.bash"),
        ("install.sh", "bootstrap.bash"),
        ("run.sh", "start.bash"),
    ];
    let mut files: BTreeMap<String, Vec<Line>> = BTreeMap::new();
    for (path, lines) in &written.files {
        let (folder, name) = path.rsplit_once('/').map_or(("", path.as_str()), |(folder, name)| (folder, name));
        // Compose and devcontainers look for a Dockerfile by name.
        let alone = name == "Dockerfile"
            && written.files.keys().all(|path| !path.ends_with(".yml") && !path.ends_with(".yaml") && !path.ends_with(".json"));
        let other = others.iter().find(|(from, _)| *from == name).map(|(_, to)| *to);
        let new = other.or(alone.then_some("Containerfile")).filter(|_| !written.says(name)).unwrap_or(name);
        let path = if folder.is_empty() { new.to_owned() } else { format!("{folder}/{new}") };
        files.insert(path, lines.clone());
    }
    (files != written.files).then(|| Written { files, ..written.clone() })
}
