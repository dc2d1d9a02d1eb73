//! An ordered worker pool: jobs run on several threads and results come back in submission order.
//!
//! Threads start lazily, one with each of the first submitted jobs. A caller that waits for a
//! result runs a queued job itself in the meantime, so no thread idles while there is work.
//!
//! A panic in a worker must not leave the caller waiting forever. A drop guard records the panic,
//! and [`Pool::recv`] then panics as well.

use std::collections::VecDeque;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;

use crate::allocation::thread_builder;

/// Maximum number of threads of a pool. One submitter cannot keep more busy, and each thread and
/// its jobs take several MiB.
const THREADS_MAX: usize = 8;

/// Maximum number of pending jobs for each thread.
const PENDING_EACH: usize = 2;

/// Divides a size threshold by 4096 when fuzzing, so that short inputs reach the code that runs on
/// several threads.
pub const fn scaled_for_fuzzing(size: u64) -> u64 {
    if cfg!(fuzzing) { size >> 12 } else { size }
}

/// Runs jobs on one thread of a pool.
pub trait Worker {
    /// A unit of work; the worker writes its result into the job.
    type Job: Send;

    /// Does a job, and keeps the result in it.
    fn work(&mut self, job: &mut Self::Job);
}

/// The state that the threads of a pool share.
pub struct Queue<J> {
    jobs: Mutex<Jobs<J>>,
    /// Signals that `jobs` changed.
    changed: Condvar,
}

struct Jobs<J> {
    /// Jobs that no thread has started, with their numbers.
    waiting: VecDeque<(u64, J)>,
    /// A slot for every pending job, in submission order: `None` until the job is finished.
    slots: VecDeque<Option<J>>,
    /// The number of the first slot.
    first: u64,
    /// Number of threads that wait for `changed`.
    idle: usize,
    /// True once no more jobs will come.
    is_closed: bool,
    /// True once a worker thread panicked.
    has_panicked: bool,
}

impl<J> Default for Queue<J> {
    /// Creates an empty queue.
    fn default() -> Queue<J> {
        let jobs = Jobs {
            waiting: VecDeque::new(),
            slots: VecDeque::new(),
            first: 0,
            idle: 0,
            is_closed: false,
            has_panicked: false,
        };
        Queue { jobs: Mutex::new(jobs), changed: Condvar::new() }
    }
}

impl<J> Queue<J> {
    fn jobs(&self) -> MutexGuard<'_, Jobs<J>> {
        // No code panics while it holds the lock, so the state of a poisoned lock is valid.
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the jobs, and wakes the waiting threads, if any.
    fn update(&self, change: impl FnOnce(&mut Jobs<J>)) {
        let mut jobs = self.jobs();
        change(&mut jobs);
        let has_waiters = jobs.idle > 0;
        drop(jobs);
        if has_waiters {
            self.changed.notify_all();
        }
    }

    /// Waits until the jobs change.
    fn wait<'d>(&'d self, mut jobs: MutexGuard<'d, Jobs<J>>) -> MutexGuard<'d, Jobs<J>> {
        jobs.idle += 1;
        let mut jobs = self.changed.wait(jobs).unwrap_or_else(PoisonError::into_inner);
        jobs.idle -= 1;
        jobs
    }

    /// Puts a finished job into its slot.
    fn finish(&self, number: u64, job: J) {
        self.update(|jobs| {
            let index = (number - jobs.first) as usize;
            jobs.slots[index] = Some(job);
        });
    }

    fn run(&self, worker: &mut impl Worker<Job = J>) {
        loop {
            let mut jobs = self.jobs();
            let (number, mut job) = loop {
                if jobs.is_closed {
                    return;
                }
                match jobs.waiting.pop_front() {
                    Some(next) => break next,
                    None => jobs = self.wait(jobs),
                }
            };
            drop(jobs);
            worker.work(&mut job);
            self.finish(number, job);
        }
    }
}

/// Starts threads that end with a scope.
pub trait Spawn<'scope> {
    /// Starts a thread.
    ///
    /// # Errors
    ///
    /// Fails if the system allows no more threads, or if the address space has no room for one.
    fn spawn(&'scope self, run: Box<dyn FnOnce() + Send + 'scope>) -> io::Result<()>;
}

impl<'scope> Spawn<'scope> for Scope<'scope, '_> {
    fn spawn(&'scope self, run: Box<dyn FnOnce() + Send + 'scope>) -> io::Result<()> {
        thread_builder("pool")?.spawn_scoped(self, run).map(drop)
    }
}

/// The submitter's side of a pool.
pub struct Pool<'scope, W: Worker> {
    scope: &'scope dyn Spawn<'scope>,
    queue: &'scope Queue<W::Job>,
    /// Maximum number of threads to use, including the calling one.
    threads: usize,
    started: usize,
    /// The worker of the calling thread.
    own: Option<W>,
    /// Jobs that were submitted and not received.
    pending: usize,
}

impl<'scope, W: Worker + Send + 'scope> Pool<'scope, W> {
    /// Creates a pool of at most `threads` threads, including the calling one. `THREADS_MAX`
    /// limits the number.
    pub fn new(
        scope: &'scope dyn Spawn<'scope>,
        queue: &'scope Queue<W::Job>,
        threads: usize,
    ) -> Self {
        let threads = threads.min(THREADS_MAX);
        Pool { scope, queue, threads, started: 0, own: None, pending: 0 }
    }

    /// Returns the most threads that the pool may use, including the calling one.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Whether no job was ever submitted.
    pub fn is_unused(&self) -> bool {
        self.own.is_none()
    }

    /// Returns the number of jobs that were submitted and not received.
    pub fn pending(&self) -> usize {
        self.pending
    }

    /// Whether another job may be submitted before one is received.
    pub fn has_room(&self) -> bool {
        self.pending < PENDING_EACH * self.threads
    }

    /// Submits a job. `new_worker` makes the worker of a thread that starts.
    pub fn submit(&mut self, job: W::Job, mut new_worker: impl FnMut() -> W) {
        self.own.get_or_insert_with(&mut new_worker);
        self.pending += 1;
        self.queue.update(|jobs| {
            let number = jobs.first + jobs.slots.len() as u64;
            jobs.slots.push_back(None);
            jobs.waiting.push_back((number, job));
        });
        if self.started + 1 < self.threads {
            let (queue, mut worker) = (self.queue, new_worker());
            let started = self.scope.spawn(Box::new(move || {
                let guard = PanicGuard(queue);
                queue.run(&mut worker);
                std::mem::forget(guard);
            }));
            match started {
                Ok(()) => self.started += 1,
                // The system allows no more threads: the existing ones do the work.
                Err(_) => self.threads = self.started + 1,
            }
        }
    }

    /// Returns the next job in submission order. `None` if it is not finished or no job is pending.
    pub fn try_recv(&mut self) -> Option<W::Job> {
        let mut jobs = self.queue.jobs();
        let job = jobs.slots.front_mut()?.take()?;
        jobs.slots.pop_front();
        jobs.first += 1;
        self.pending -= 1;
        Some(job)
    }

    /// Runs one waiting job on the calling thread. Returns `false` if no job is waiting.
    pub(crate) fn run_one(&mut self) -> bool {
        let Some(own) = &mut self.own else { return false };
        let next = self.queue.jobs().waiting.pop_front();
        let Some((number, mut job)) = next else { return false };
        own.work(&mut job);
        self.queue.finish(number, job);
        true
    }

    /// Takes back all pending jobs. Waits for the jobs that a thread has started, and returns the
    /// other jobs as they were submitted.
    ///
    /// # Panics
    ///
    /// Panics if a thread of the pool panicked.
    pub fn drain(&mut self) -> Vec<W::Job> {
        let mut jobs = self.queue.jobs();
        while let Some((number, job)) = jobs.waiting.pop_front() {
            let index = (number - jobs.first) as usize;
            jobs.slots[index] = Some(job);
        }
        drop(jobs);
        std::iter::from_fn(|| self.recv()).collect()
    }

    /// Waits for the next job in submission order. `None` if no job is pending.
    ///
    /// # Panics
    ///
    /// Panics if a thread of the pool panicked.
    pub fn recv(&mut self) -> Option<W::Job> {
        while self.pending > 0 {
            if let Some(job) = self.try_recv() {
                return Some(job);
            }
            let ran_one = self.run_one();
            let jobs = self.queue.jobs();
            assert!(!jobs.has_panicked, "a thread panicked");
            if !ran_one && matches!(jobs.slots.front(), Some(None)) {
                drop(self.queue.wait(jobs));
            }
        }
        None
    }
}

impl<W: Worker> Drop for Pool<'_, W> {
    fn drop(&mut self) {
        self.queue.update(|jobs| jobs.is_closed = true);
    }
}

/// A drop guard that records a panic of its thread. A thread that ends normally forgets the guard.
struct PanicGuard<'d, J>(&'d Queue<J>);

impl<J> Drop for PanicGuard<'_, J> {
    fn drop(&mut self) {
        self.0.update(|jobs| jobs.has_panicked = true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Squares numbers, some slower than others.
    struct Squares;

    impl Worker for Squares {
        type Job = (u64, u64);

        fn work(&mut self, (number, square): &mut Self::Job) {
            assert_ne!(*number, 999, "a number that cannot be squared");
            for _ in 0..*number % 7 * 1000 {
                std::hint::spin_loop();
            }
            *square = *number * *number;
        }
    }

    fn squares(threads: usize, numbers: std::ops::Range<u64>) -> Vec<u64> {
        let queue = Queue::default();
        std::thread::scope(|scope| {
            let mut pool = Pool::new(scope, &queue, threads);
            let mut squares = Vec::new();
            for number in numbers {
                pool.submit((number, 0), || Squares);
                while let Some((_, square)) = pool.try_recv() {
                    squares.push(square);
                }
                if pool.pending() > 8 {
                    squares.extend(pool.recv().map(|(_, square)| square));
                }
            }
            while let Some((_, square)) = pool.recv() {
                squares.push(square);
            }
            assert_eq!(pool.pending(), 0);
            squares
        })
    }

    #[test]
    fn results_come_in_submission_order() {
        let expected: Vec<u64> = (0..500).map(|number| number * number).collect();
        for threads in [1, 2, 3, 8] {
            assert_eq!(squares(threads, 0..500), expected);
        }
    }

    #[test]
    fn the_submitter_can_run_jobs() {
        for threads in [1, 2, 3] {
            let queue = Queue::default();
            std::thread::scope(|scope| {
                let mut pool = Pool::new(scope, &queue, threads);
                assert!(!pool.run_one());
                (0..40).for_each(|number| pool.submit((number, 0), || Squares));
                while pool.run_one() {}
                let squares = std::iter::from_fn(|| pool.recv());
                assert!(squares.eq((0..40).map(|number| (number, number * number))));
                assert!(!pool.run_one());
            });
        }
    }

    #[test]
    fn pending_jobs_can_be_drained() {
        for threads in [1, 2, 3] {
            let queue = Queue::default();
            std::thread::scope(|scope| {
                let mut pool = Pool::new(scope, &queue, threads);
                (0..40).for_each(|number| pool.submit((number, u64::MAX), || Squares));
                let first = pool.recv();
                let rest = pool.drain();
                assert_eq!((first, pool.pending()), (Some((0, 0)), 0));
                assert!(rest.iter().map(|(number, _)| *number).eq(1..40));
                let mut squares = rest.iter().map(|(number, square)| (*square, number * number));
                assert!(squares.all(|(found, square)| found == u64::MAX || found == square));
                pool.submit((7, 0), || Squares);
                assert_eq!(pool.recv(), Some((7, 49)));
            });
        }
    }

    #[test]
    fn a_panic_in_a_worker_ends_the_wait() {
        for threads in [1, 2, 4] {
            let panicked = std::panic::catch_unwind(|| squares(threads, 990..1100));
            assert!(panicked.is_err());
        }
    }

    #[test]
    fn a_pool_without_jobs_ends() {
        assert!(squares(4, 0..0).is_empty());
    }
}
