//! What the tables do not know, for `-v`.

use crate::environment::Environment;
use crate::knowledge;

/// What the tables do not know of an environment: each is a reason for silence.
pub(crate) fn unknown(env: &Environment) -> Vec<String> {
    let start = &env.start.name;
    let mut found = Vec::new();
    if let Some(image) = env.image.as_ref().filter(|i| i.row.is_none()) {
        found.push(match image.reference.as_str() {
            "" => format!("{start}: the name of its image is not known"),
            name => format!("{start}: the image {name} is not in the tables"),
        });
    }
    for step in &env.steps {
        for index in step.indexes.iter().filter(|i| i.id.is_none() && i.at.is_some()) {
            let name = if index.url.is_empty() { "with a variable in its address" } else { index.url.as_str() };
            found.push(format!("{start}: the index {name} is not in the tables"));
        }
        for ask in &step.asks {
            if ask.alone.builds.is_empty() && !knowledge::releases(&ask.package).is_empty() {
                found.push(format!(
                    "{start}: no build of {}{} is in the tables for this platform and these indexes",
                    ask.package, ask.wants
                ));
            }
        }
    }
    found
}
