//! Jobs that are done by several threads and come back in the order in which they were given.
//!
//! A thread is started with each of the first jobs, none where there are none. Whoever waits for
//! the next job to come back does one that nobody has begun meanwhile, so that no thread is idle as
//! long as there is work.
//!
//! The trap: a thread that panics must not leave another one waiting. It says so on its way out,
//! and the one that waits panics as well.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, Scope};

/// Most threads of a crew. Whoever gives the jobs cannot keep more busy, and each takes some MiB,
/// as do the jobs that are under way.
const THREADS_MAX: usize = 8;

/// How many jobs may be out for each thread, where nothing else says so.
const OUT_EACH: usize = 2;

/// A size that decides on what several threads do: 4096 times smaller where the program is fuzzed,
/// so that short inputs come to what threads share.
pub(crate) const fn of_shared_work(size: u64) -> u64 {
    if cfg!(fuzzing) { size >> 12 } else { size }
}

/// Does jobs, one after the other, each in place.
pub(crate) trait Worker {
    /// What is to be done, and what comes of it.
    type Job: Send;

    /// Does it.
    fn work(&mut self, job: &mut Self::Job);
}

/// The jobs of a crew, and where it meets.
pub(crate) struct Desk<J> {
    jobs: Mutex<Jobs<J>>,
    /// Something was put on the desk.
    changed: Condvar,
}

struct Jobs<J> {
    /// Given and not begun, with their numbers.
    waiting: VecDeque<(u64, J)>,
    /// Those that did not come back yet; `None` until it is done.
    given: VecDeque<Option<J>>,
    /// The number of the first of them.
    first: u64,
    /// How many threads wait for a change.
    idle: usize,
    /// No more will come.
    is_closed: bool,
    /// A thread panicked.
    is_broken: bool,
}

impl<J> Desk<J> {
    pub(crate) fn new() -> Desk<J> {
        let jobs = Jobs {
            waiting: VecDeque::new(),
            given: VecDeque::new(),
            first: 0,
            idle: 0,
            is_closed: false,
            is_broken: false,
        };
        Desk { jobs: Mutex::new(jobs), changed: Condvar::new() }
    }

    fn jobs(&self) -> MutexGuard<'_, Jobs<J>> {
        // Nothing panics while it holds the lock.
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what is on the desk. Nobody is woken where nobody waits: that takes a system call.
    fn change(&self, change: impl FnOnce(&mut Jobs<J>)) {
        let mut jobs = self.jobs();
        change(&mut jobs);
        let is_awaited = jobs.idle > 0;
        drop(jobs);
        if is_awaited {
            self.changed.notify_all();
        }
    }

    /// Waits for a change.
    fn wait<'d>(&'d self, mut jobs: MutexGuard<'d, Jobs<J>>) -> MutexGuard<'d, Jobs<J>> {
        jobs.idle += 1;
        let mut jobs = self.changed.wait(jobs).unwrap_or_else(PoisonError::into_inner);
        jobs.idle -= 1;
        jobs
    }

    fn put_back(&self, number: u64, job: J) {
        self.change(|jobs| {
            let place = (number - jobs.first) as usize;
            jobs.given[place] = Some(job);
        });
    }

    /// What a thread of the crew does until the desk is closed.
    fn serve(&self, worker: &mut impl Worker<Job = J>) {
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
            self.put_back(number, job);
        }
    }
}

/// The side of the desk that gives jobs and takes them back.
pub(crate) struct Crew<'scope, 'env, W: Worker> {
    scope: &'scope Scope<'scope, 'env>,
    desk: &'env Desk<W::Job>,
    /// How many threads it may have, this one included.
    threads: usize,
    /// How many were started.
    started: usize,
    /// What this one works with.
    own: Option<W>,
    /// Given and not taken back.
    out: usize,
}

impl<'scope, 'env, W: Worker + Send + 'scope> Crew<'scope, 'env, W> {
    /// A crew of at most so many threads, this one included, and of no more than it can use.
    pub(crate) fn new(
        scope: &'scope Scope<'scope, 'env>,
        desk: &'env Desk<W::Job>,
        threads: usize,
    ) -> Self {
        let threads = threads.min(THREADS_MAX);
        Crew { scope, desk, threads, started: 0, own: None, out: 0 }
    }

    /// How many threads it may have, this one included.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// Whether no job was given so far.
    pub(crate) fn is_idle(&self) -> bool {
        self.own.is_none()
    }

    /// How many jobs did not come back yet.
    pub(crate) fn out(&self) -> usize {
        self.out
    }

    /// Whether another job may be given before one comes back.
    pub(crate) fn has_room(&self) -> bool {
        self.out < OUT_EACH * self.threads
    }

    /// Gives a job. `hire` makes the worker of a thread.
    pub(crate) fn give(&mut self, job: W::Job, mut hire: impl FnMut() -> W) {
        self.own.get_or_insert_with(&mut hire);
        self.out += 1;
        self.desk.change(|jobs| {
            let number = jobs.first + jobs.given.len() as u64;
            jobs.given.push_back(None);
            jobs.waiting.push_back((number, job));
        });
        if self.started + 1 < self.threads {
            let (desk, mut worker) = (self.desk, hire());
            let started = Builder::new().spawn_scoped(self.scope, move || {
                let alarm = Alarm(desk);
                desk.serve(&mut worker);
                std::mem::forget(alarm);
            });
            match started {
                Ok(_) => self.started += 1,
                // There can be no more: those that there are do the work.
                Err(_) => self.threads = self.started + 1,
            }
        }
    }

    /// The next job in the order in which they were given, if it is done; `None` also where all
    /// came back.
    pub(crate) fn take(&mut self) -> Option<W::Job> {
        let mut jobs = self.desk.jobs();
        let job = jobs.given.front_mut()?.take()?;
        jobs.given.pop_front();
        jobs.first += 1;
        self.out -= 1;
        Some(job)
    }

    /// Does a job that nobody has begun; `false`: there is none.
    pub(crate) fn help(&mut self) -> bool {
        let Some(own) = &mut self.own else { return false };
        let next = self.desk.jobs().waiting.pop_front();
        let Some((number, mut job)) = next else { return false };
        own.work(&mut job);
        self.desk.put_back(number, job);
        true
    }

    /// Takes back all jobs, done or not, and waits for those only that somebody has begun.
    ///
    /// # Panics
    ///
    /// If a thread of the crew panicked.
    pub(crate) fn recall(&mut self) -> Vec<W::Job> {
        let mut jobs = self.desk.jobs();
        while let Some((number, job)) = jobs.waiting.pop_front() {
            let place = (number - jobs.first) as usize;
            jobs.given[place] = Some(job);
        }
        drop(jobs);
        std::iter::from_fn(|| self.wait()).collect()
    }

    /// The next job, once it is done; `None` where all came back.
    ///
    /// # Panics
    ///
    /// If a thread of the crew panicked.
    pub(crate) fn wait(&mut self) -> Option<W::Job> {
        while self.out > 0 {
            if let Some(job) = self.take() {
                return Some(job);
            }
            let is_done = self.help();
            let jobs = self.desk.jobs();
            assert!(!jobs.is_broken, "a thread panicked");
            if !is_done && matches!(jobs.given.front(), Some(None)) {
                drop(self.desk.wait(jobs));
            }
        }
        None
    }
}

impl<W: Worker> Drop for Crew<'_, '_, W> {
    fn drop(&mut self) {
        self.desk.change(|jobs| jobs.is_closed = true);
    }
}

/// Dropped by a thread that panics.
struct Alarm<'d, J>(&'d Desk<J>);

impl<J> Drop for Alarm<'_, J> {
    fn drop(&mut self) {
        self.0.change(|jobs| jobs.is_broken = true);
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
        let desk = Desk::new();
        std::thread::scope(|scope| {
            let mut crew = Crew::new(scope, &desk, threads);
            let mut squares = Vec::new();
            for number in numbers {
                crew.give((number, 0), || Squares);
                while let Some((_, square)) = crew.take() {
                    squares.push(square);
                }
                if crew.out() > 8 {
                    squares.extend(crew.wait().map(|(_, square)| square));
                }
            }
            while let Some((_, square)) = crew.wait() {
                squares.push(square);
            }
            assert_eq!(crew.out(), 0);
            squares
        })
    }

    #[test]
    fn jobs_come_back_in_order() {
        let expected: Vec<u64> = (0..500).map(|number| number * number).collect();
        for threads in [1, 2, 3, 8] {
            assert_eq!(squares(threads, 0..500), expected);
        }
    }

    #[test]
    fn who_gives_jobs_can_do_some() {
        for threads in [1, 2, 3] {
            let desk = Desk::new();
            std::thread::scope(|scope| {
                let mut crew = Crew::new(scope, &desk, threads);
                assert!(!crew.help());
                (0..40).for_each(|number| crew.give((number, 0), || Squares));
                while crew.help() {}
                let squares = std::iter::from_fn(|| crew.wait());
                assert!(squares.eq((0..40).map(|number| (number, number * number))));
                assert!(!crew.help());
            });
        }
    }

    #[test]
    fn jobs_can_be_recalled() {
        for threads in [1, 2, 3] {
            let desk = Desk::new();
            std::thread::scope(|scope| {
                let mut crew = Crew::new(scope, &desk, threads);
                (0..40).for_each(|number| crew.give((number, u64::MAX), || Squares));
                let first = crew.wait();
                let rest = crew.recall();
                assert_eq!((first, crew.out()), (Some((0, 0)), 0));
                assert!(rest.iter().map(|(number, _)| *number).eq(1..40));
                let mut squares = rest.iter().map(|(number, square)| (*square, number * number));
                assert!(squares.all(|(found, square)| found == u64::MAX || found == square));
                crew.give((7, 0), || Squares);
                assert_eq!(crew.wait(), Some((7, 49)));
            });
        }
    }

    #[test]
    fn nobody_waits_for_a_thread_that_panicked() {
        for threads in [1, 2, 4] {
            let panicked = std::panic::catch_unwind(|| squares(threads, 990..1100));
            assert!(panicked.is_err());
        }
    }

    #[test]
    fn a_crew_without_jobs_ends() {
        assert!(squares(4, 0..0).is_empty());
    }
}
