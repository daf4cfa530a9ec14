//! Batch scripts: what `#SBATCH` lines say of a container, and of the nodes that they are sent to
//! (<https://slurm.schedmd.com/sbatch.html>).

use crate::outline::{Act, Does, Place, Text, When};
use crate::read::command::slurm;
use crate::source::{FileId, Span};

/// Options that name kinds of nodes; a letter's value may stand right behind it.
const NODES: &[&str] = &["--partition", "-p", "--constraint", "-C", "--qos", "-q"];

/// Slurm reads the lines before the first command.
pub(super) fn options(file: FileId, text: &str) -> Vec<Act> {
    let mut acts = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = line.trim_end();
        if !line.is_empty() && !line.trim_start().starts_with('#') {
            break;
        }
        let Some(options) = line.strip_prefix("#SBATCH") else { continue };
        let mut place = start + "#SBATCH".len();
        let mut words = options.split([' ', '\t', '=']).filter_map(|word| {
            let here = place;
            place += word.len() + 1;
            (!word.is_empty()).then_some((word, Span::new(file, here, here + word.len())))
        });
        let act = |does| Act { at: Span::new(file, start, start + line.len()), when: When::default(), does };
        let named = |(name, at): (&str, Span)| Text::literal(name.trim_matches(['"', '\'']), at);
        while let Some((option, place)) = words.next() {
            match option {
                _ if NODES.contains(&option) => acts.extend(words.next().map(|word| act(Does::Sent(named(word))))),
                _ if !option.starts_with("--") && NODES.iter().any(|short| short.len() == 2 && option.starts_with(short)) => {
                    acts.push(act(Does::Sent(named((&option[2..], place)))));
                }
                "--container-image" => {
                    let image = words.next().map(named).and_then(|named| slurm::image(&named));
                    acts.extend(image.map(|image| act(Does::Enter(Place::Image(image)))));
                }
                // Shifter: only what `shifter` starts runs in it.
                "--image" => acts.extend(words.next().map(|word| {
                    let key = Span::new(file, start, start + line.len());
                    act(slurm::launch(key, &named(word), Vec::new()))
                })),
                _ => {}
            }
        }
    }
    acts
}
