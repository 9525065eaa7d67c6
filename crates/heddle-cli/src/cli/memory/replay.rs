//! `heddle memory replay`: replays an allocation log with other limits and pool settings.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use heddle::Error;
use heddle::config::Size;
use heddle::memory::{
    Limit, LogHeader, ManualClock, MemoryPool, PoolSettings, ReplayError, ReplayReport, Reuse,
    SimulatedStorage, TimeSource, Unpooled, replay_in_time,
};
use heddle::units::Bytes;

use crate::cli::Failure;
use crate::cli::output::{Output, note};

/// The most bytes of the first line of a log.
const MAX_HEADER_BYTES: u64 = 1 << 16;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The log, written with `heddle run --memory-log` or `memory.log`.
    #[arg(value_name = "LOG")]
    log: PathBuf,

    /// Most memory allocated at once; a percentage is of the limit that the log was
    /// written under.
    #[arg(long, value_name = "SIZE", default_value = "100%")]
    limit: Size,

    /// Most memory that the pool holds, used or not; a percentage is of --limit.
    #[arg(long, value_name = "SIZE", default_value = "100%")]
    pool_limit: Size,

    /// Seconds until unused memory leaves the pool.
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    pool_idle: u64,

    /// Use no pool: free every block at once.
    #[arg(long, conflicts_with_all = ["pool_limit", "pool_idle"])]
    no_pool: bool,
}

pub(super) fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    let mut log = open(&arguments.log)?;
    // A pipe cannot be read again.
    let mut first = Vec::new();
    let read = log
        .by_ref()
        .take(MAX_HEADER_BYTES)
        .read_until(b'\n', &mut first);
    read.map_err(|source| unreadable(&arguments.log, source))?;
    let header = header(&arguments.log, &first)?;
    let limit = arguments.limit.of(header.capacity);
    let clock = Arc::new(ManualClock::default());
    let stack = stack(arguments, limit, &clock);
    let (report, cut_off) = match replay_in_time(first.as_slice().chain(log), &stack, &clock) {
        Ok(report) => (report, None),
        Err(ReplayError::Truncated { line, report }) => (*report, Some(line)),
        Err(error) => return Err(error.into()),
    };
    if let Some(line) = cut_off {
        note(format_args!(
            "the log is cut off in line {line}; the lines before it were replayed"
        ));
    }
    if output.is_json() {
        return Ok(output.object(&serde_json::json!({
            "device": header.device,
            "limit": limit,
            "cut_off_in_line": cut_off,
            "replay": report,
        }))?);
    }
    print(&header, limit, &report, output)
}

/// Returns a limit over a pool, or over none. The storage is simulated and holds no
/// memory.
fn stack(
    arguments: &Arguments,
    limit: Bytes,
    clock: &Arc<ManualClock>,
) -> Limit<Reuse<SimulatedStorage>> {
    let base_storage = SimulatedStorage::new(limit);
    let reuse = if arguments.no_pool {
        Reuse::Unpooled(Unpooled::new(base_storage, true))
    } else {
        let settings = PoolSettings::default().with(|it| {
            it.maximum = arguments.pool_limit.of(limit);
            it.idle = Duration::from_secs(arguments.pool_idle);
            it.tracks_queued_work = true;
        });
        let clock: Arc<dyn TimeSource> = Arc::<ManualClock>::clone(clock);
        Reuse::Pooled(MemoryPool::new(base_storage, settings, clock))
    };
    Limit::new(reuse, limit)
}

fn unreadable(path: &Path, source: io::Error) -> Failure {
    Failure::Heddle(Error::File {
        action: "read",
        path: path.to_owned(),
        source,
    })
}

fn open(path: &Path) -> Result<BufReader<File>, Failure> {
    let file = File::open(path).map_err(|source| unreadable(path, source))?;
    Ok(BufReader::new(file))
}

fn header(path: &Path, line: &[u8]) -> Result<LogHeader, Failure> {
    LogHeader::read(line).map_err(|error| match error {
        ReplayError::Unreadable { source, .. } => unreadable(path, source),
        error => error.into(),
    })
}

fn print(
    header: &LogHeader,
    limit: Bytes,
    report: &ReplayReport,
    output: &mut Output,
) -> Result<(), Failure> {
    let ReplayReport {
        events,
        allocations,
        refusals,
        refusals_logged,
        peak_used,
        peak_held,
        blocks_left,
        ..
    } = report;
    output.line(format_args!(
        "{events} events of {}, {allocations} allocations, under a limit of {limit}",
        header.device
    ))?;
    let mut figure = |name: &str, value: String| output.line(format_args!("  {name:14}{value}"));
    figure("peak", format!("{peak_used} used, {peak_held} held"))?;
    figure("hit rate", format!("{:.2} %", report.hit_rate * 100.0))?;
    figure(
        "failures",
        format!("{refusals} (in the log: {refusals_logged})"),
    )?;
    figure(
        "fragmentation",
        format!("{:.1} % at worst", report.fragmentation * 100.0),
    )?;
    figure("never freed", format!("{blocks_left} blocks"))?;
    Ok(())
}
