//! One line on the terminal while a long run goes on, cleared at its end.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

/// A shorter run needs no line.
const PATIENCE: Duration = Duration::from_millis(500);

/// Shows the line until it is dropped.
pub(super) struct Progress(Option<(mpsc::Sender<()>, JoinHandle<()>)>);

impl Progress {
    pub(super) fn start(quiet: bool) -> Self {
        if quiet || !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let (done, wait) = mpsc::channel();
        let show = move || {
            if wait.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                let mut terminal = std::io::stderr();
                let _ = write!(terminal, "cudalint: reading files …");
                let _ = wait.recv();
                let _ = write!(terminal, "\r\u{1b}[2K");
            }
        };
        Self(std::thread::Builder::new().spawn(show).ok().map(|thread| (done, thread)))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((done, thread)) = self.0.take() {
            drop(done);
            let _ = thread.join();
        }
    }
}
