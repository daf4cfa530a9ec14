//! Batch scripts: what `#SBATCH` lines say of a container.

use crate::outline::{Act, Does, Place, Text, When};
use crate::read::command::slurm;
use crate::source::{FileId, Span};

/// Slurm reads the lines before the first command.
pub(super) fn containers(file: FileId, text: &str) -> Vec<Act> {
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
        while let Some((option, _)) = words.next() {
            match option {
                "--container-image" => {
                    let named = words.next().map(|(name, at)| Text::literal(name.trim_matches(['"', '\'']), at));
                    let image = named.and_then(|named| slurm::image(&named));
                    acts.extend(image.map(|image| act(Does::Enter(Place::Image(image)))));
                }
                // Shifter: only what `shifter` starts runs in it.
                "--image" => acts.extend(words.next().map(|(name, at)| {
                    let key = Span::new(file, start, start + line.len());
                    act(slurm::launch(key, &Text::literal(name.trim_matches(['"', '\'']), at), Vec::new()))
                })),
                _ => {}
            }
        }
    }
    acts
}
