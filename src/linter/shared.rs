//! Work that several threads share.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// As much as the program's own thread has: what is nested is followed by functions that call themselves.
const STACK: usize = 8 << 20;

/// Does the same with each, on as many threads; the answers stand in the order of what was asked. So few as `least` are not
/// worth a thread.
pub(super) fn each<T: Sync, R: Send>(threads: usize, least: usize, all: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = threads.min(all.len() / least.max(1));
    if threads < 2 {
        return all.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(all.len()));
    // Whoever is done takes the next one: one may be as much work as all others.
    let take = || {
        let mut own = Vec::new();
        while let Some((n, one)) = Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|n| Some((n, all.get(n)?))) {
            own.push((n, work(one)));
        }
        done.lock().unwrap_or_else(PoisonError::into_inner).append(&mut own);
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // Where no thread is to be had, this one does it all.
            let _ = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, take);
        }
        take();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(n, _)| *n);
    done.into_iter().map(|(_, answer)| answer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_stand_in_order() {
        let all: Vec<usize> = (0..1000).collect();
        for threads in [1, 2, 7] {
            assert_eq!(each(threads, 1, &all, |n| n * 2), all.iter().map(|n| n * 2).collect::<Vec<_>>());
        }
        assert!(each(4, 1, &[] as &[usize], |n| *n).is_empty());
    }
}
