//! Runs tasks of very different sizes on a fixed number of threads, and gathers their results on
//! the calling thread.
//!
//! Large tasks run first, so that no large task is left for a single thread at the end. A task may
//! use several threads: as many as its share of the remaining bytes, up to the number of free
//! threads. A task never waits for more threads. So each thread has a task of its own while enough
//! tasks are left, and the last large tasks are split among threads.

use std::num::NonZeroUsize;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::source::Stop;
use plansift_core::allocation::thread_builder;
use plansift_core::error::{Error, ErrorKind, Result};

/// Maximum number of queued results, and of results in one call of `gather`.
const READY_MAX: usize = 64;

/// How long to wait for a result before calling `gather` without results.
const TICK: Duration = Duration::from_millis(200);

/// Runs tasks, which are identified by numbers, on worker threads.
///
/// `size` returns the size of a task in bytes, if known. `work` receives the task and the number of
/// threads it may use, its own included. `gather` runs on the calling thread with the results that
/// are ready, and several times a second even with none. If no thread can be started, the calling
/// thread runs all tasks and gathers after each one.
///
/// A stop ends the run without an error and leaves the remaining tasks undone. Fails with the first
/// error of `work` or `gather`, except for errors that a stop causes.
pub(super) fn run_tasks<R: Send>(
    tasks: Vec<usize>,
    size: impl Fn(usize) -> Option<u64> + Sync,
    threads: NonZeroUsize,
    stop: &Stop,
    work: impl Fn(usize, NonZeroUsize) -> Result<R> + Sync,
    mut gather: impl FnMut(Vec<R>) -> Result<()>,
) -> Result<()> {
    let queue = Queue::new(tasks, size, threads);
    std::thread::scope(|scope| {
        let (send, ready) = sync_channel(READY_MAX);
        let mut started = 0;
        for _ in 0..threads.get() {
            let (queue, work, send) = (&queue, &work, send.clone());
            let submit = move |result| send.send(result).is_ok();
            let run = move || queue.serve(stop, work, submit);
            match thread_builder("batch").and_then(|thread| thread.spawn_scoped(scope, run)) {
                Ok(_) => started += 1,
                // The system refuses more threads, so the started ones do the work.
                Err(_) => break,
            }
        }
        drop(send);
        if started == 0 {
            // No worker started: this thread runs each task and gathers its result at once.
            let mut gathered = Ok(());
            queue.serve(stop, &work, |result| {
                gathered = result.and_then(|result| gather(vec![result]));
                gathered.is_ok()
            });
            return gathered;
        }
        let gathered = gather_all(&ready, &mut gather);
        if gathered.is_err() {
            stop.stop();
        }
        // Workers that still send results now fail to send, and end.
        drop(ready);
        gathered
    })
}

fn gather_all<R>(
    ready: &Receiver<Result<R>>,
    gather: &mut impl FnMut(Vec<R>) -> Result<()>,
) -> Result<()> {
    loop {
        let mut group = Vec::new();
        match ready.recv_timeout(TICK) {
            Ok(first) => group.push(first?),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        while group.len() < READY_MAX
            && let Ok(more) = ready.try_recv()
        {
            group.push(more?);
        }
        gather(group)?;
    }
}

/// The tasks that have not started, and the number of free threads.
struct Queue<S> {
    state: Mutex<State>,
    /// Notified when a task ends and frees its threads.
    freed: Condvar,
    threads: u64,
    size: S,
}

struct State {
    tasks: std::vec::IntoIter<usize>,
    /// Threads that no task uses.
    free: u64,
    /// Bytes of the tasks that are waiting or running.
    left: u64,
}

impl<S: Fn(usize) -> Option<u64>> Queue<S> {
    fn new(mut tasks: Vec<usize>, size: S, threads: NonZeroUsize) -> Queue<S> {
        // A task of unknown size may be large.
        tasks.sort_by_key(|&task| std::cmp::Reverse(size(task).unwrap_or(u64::MAX)));
        let left = tasks.iter().filter_map(|&task| size(task)).sum();
        let threads = threads.get() as u64;
        let state = State { tasks: tasks.into_iter(), free: threads, left };
        Queue { state: Mutex::new(state), freed: Condvar::new(), threads, size }
    }

    fn size(&self, task: usize) -> u64 {
        (self.size)(task).unwrap_or(0)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock, so the state of a poisoned lock is valid.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs tasks until none is left, the run stops, or `submit` returns false.
    fn serve<R>(
        &self,
        stop: &Stop,
        work: &impl Fn(usize, NonZeroUsize) -> Result<R>,
        mut submit: impl FnMut(Result<R>) -> bool,
    ) {
        while let Some((task, threads)) = self.next(stop) {
            let result = work(task, threads);
            self.release(self.size(task), threads);
            let was_stopped = |error: &Error| error.kind() == ErrorKind::Stopped;
            if result.as_ref().is_err_and(was_stopped) || !submit(result) {
                return;
            }
        }
    }

    fn next(&self, stop: &Stop) -> Option<(usize, NonZeroUsize)> {
        let mut state = self.state();
        while state.free == 0 && !stop.is_set() {
            state = self.freed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if stop.is_set() {
            return None;
        }
        let task = state.tasks.next()?;
        let share = share(self.size(task), state.left, self.threads);
        let taken = share.min(state.free);
        state.free -= taken;
        Some((task, NonZeroUsize::new(taken as usize).unwrap_or(NonZeroUsize::MIN)))
    }

    fn release(&self, size: u64, threads: NonZeroUsize) {
        let mut state = self.state();
        state.free += threads.get() as u64;
        state.left -= size;
        drop(state);
        self.freed.notify_all();
    }
}

/// Returns the number of threads for a task of `size` bytes. `left` is the total of all unfinished
/// tasks in bytes, this one included.
fn share(size: u64, left: u64, threads: u64) -> u64 {
    let share = u128::from(size) * u128::from(threads);
    let share = share.div_ceil(u128::from(left.max(1)));
    u64::try_from(share).unwrap_or(threads).clamp(1, threads)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs one task for each size.
    fn spread_sizes<R: Send>(
        sizes: &[u64],
        threads: usize,
        stop: &Stop,
        work: impl Fn(usize, NonZeroUsize) -> Result<R> + Sync,
        gather: impl FnMut(Vec<R>) -> Result<()>,
    ) -> Result<()> {
        let threads = NonZeroUsize::new(threads).expect("some");
        run_tasks((0..sizes.len()).collect(), |task| Some(sizes[task]), threads, stop, work, gather)
    }

    #[test]
    fn threads_are_assigned_by_task_size() {
        for (size, left, threads, expected) in [
            (1, 100, 8, 1),
            (100, 100, 8, 8),
            (50, 100, 8, 4),
            (51, 100, 8, 5),
            (0, 0, 8, 1),
            (0, 100, 2, 1),
            (u64::MAX, u64::MAX, 64, 64),
            (50, 100, 2, 1),
            (51, 100, 2, 2),
        ] {
            assert_eq!(share(size, left, threads), expected, "{size} of {left} on {threads}");
        }
    }

    #[test]
    fn large_tasks_run_first_and_every_task_runs_once() {
        let sizes = [3, 900, 5, 0, 700, 1];
        let (begun, gathered) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
        let work = |task: usize, threads: NonZeroUsize| {
            begun.lock().expect("no panic").push((task, threads.get()));
            Ok(task)
        };
        let gather = |ready: Vec<usize>| {
            gathered.lock().expect("no panic").extend(ready);
            Ok(())
        };
        spread_sizes(&sizes, 1, &Stop::default(), work, gather).expect("no errors");
        let begun = begun.into_inner().expect("no panic");
        assert_eq!(begun, [(1, 1), (4, 1), (2, 1), (0, 1), (5, 1), (3, 1)]);
        let mut gathered = gathered.into_inner().expect("no panic");
        gathered.sort_unstable();
        assert_eq!(gathered, [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn threads_in_use_never_exceed_the_limit() {
        let in_use = Mutex::new((0, 0));
        let work = |_: usize, threads: NonZeroUsize| {
            let now = |by: &dyn Fn(usize) -> usize| {
                let mut in_use = in_use.lock().expect("no panic");
                in_use.0 = by(in_use.0);
                in_use.1 = in_use.1.max(in_use.0);
            };
            now(&|used| used + threads.get());
            std::thread::yield_now();
            now(&|used| used - threads.get());
            Ok(())
        };
        let sizes: Vec<u64> = (0..300).map(|number| number * number % 1000).collect();
        spread_sizes(&sizes, 5, &Stop::default(), work, |_| Ok(())).expect("no errors");
        let in_use = in_use.into_inner().expect("no panic");
        assert!(in_use.0 == 0 && (1..=5).contains(&in_use.1), "{in_use:?}");
    }

    #[test]
    fn the_first_error_ends_the_run() {
        for kind in [ErrorKind::Write, ErrorKind::Read] {
            let work = |task: usize, _| if task == 40 { Err(Error::new(kind)) } else { Ok(task) };
            let spread = spread_sizes(&[1; 2000], 3, &Stop::default(), work, |_| Ok(()));
            assert_eq!(spread.expect_err("an error").kind(), kind);
        }
        let gather = |ready: Vec<usize>| match ready.is_empty() {
            true => Ok(()),
            false => Err(Error::new(ErrorKind::Write)),
        };
        let work = |task: usize, _| Ok(task);
        let spread = spread_sizes(&[1; 2000], 3, &Stop::default(), work, gather);
        assert_eq!(spread.expect_err("an error").kind(), ErrorKind::Write);
    }

    #[test]
    fn a_stop_leaves_the_remaining_tasks_undone() {
        let stop = Stop::default();
        let work = |task: usize, _| {
            if task == 10 {
                stop.stop();
                return Err(Error::new(ErrorKind::Stopped));
            }
            // The other thread may have begun the next task by then, but no later one.
            while task > 10 && !stop.is_set() {
                std::thread::yield_now();
            }
            Ok(task)
        };
        let mut gathered = Vec::new();
        let gather = |ready: Vec<usize>| {
            gathered.extend(ready);
            Ok(())
        };
        spread_sizes(&[1; 500], 2, &stop, work, gather).expect("a stop is no error");
        gathered.sort_unstable();
        let (before, after) = gathered.split_at(gathered.len().min(10));
        assert!(
            before.iter().copied().eq(0..10) && [&[][..], &[11]].contains(&after),
            "{gathered:?}"
        );
    }
}
