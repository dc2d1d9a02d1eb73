//! The bytes, time and memory of a run (`--stats`).

use std::time::Instant;

/// Measures a run from its start.
pub struct Stats {
    started: Instant,
    bytes: u64,
}

impl Stats {
    pub fn start() -> Stats {
        Stats { started: Instant::now(), bytes: 0 }
    }

    pub fn add(&mut self, bytes: u64) {
        self.bytes += bytes;
    }

    /// Returns one line: bytes, seconds, speed, peak resident memory.
    pub fn line(&self) -> String {
        let seconds = self.started.elapsed().as_secs_f64();
        let speed = self.bytes as f64 / seconds.max(1e-9) / 1e9;
        let memory = match peak_resident() {
            Some(bytes) => format!("{:.1} MiB", bytes as f64 / (1 << 20) as f64),
            None => "unknown".to_owned(),
        };
        format!(
            "{} bytes in {seconds:.3} s, {speed:.2} GB/s, peak resident memory {memory}",
            self.bytes
        )
    }
}

/// Returns the peak resident memory in bytes; `None` if the system does not report it.
fn peak_resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}
