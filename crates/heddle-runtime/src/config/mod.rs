//! The user's settings: defaults, then `heddle.toml`, then `HEDDLE_*` variables.
//!
//! This module is plain data and its reader; nothing here acts on a setting. Every key has one
//! name in the file, one variable (`route.min_gpu` is `HEDDLE_ROUTE_MIN_GPU`) and one line in
//! [`Config::describe_keys`]. A key that does not exist is an error, so that no setting is
//! silently ignored.
//!
//! ```
//! use heddle_runtime::config::{Config, Size};
//!
//! let file = "[memory]\nhost_limit = \"50%\"";
//! let config = Config::from_sources(
//!     Some(("heddle.toml".as_ref(), file)),
//!     [("HEDDLE_THREADS".to_owned(), "2".to_owned())],
//! )?;
//! assert_eq!(config.threads, Some(2));
//! assert_eq!(config.memory.host_limit, Size::Share(0.5));
//! # Ok::<(), heddle_runtime::Error>(())
//! ```

mod layer;
mod memory;
mod schema;
mod size;
mod value;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use directories::ProjectDirs;

pub use memory::MemoryConfig;
pub use size::Size;

use crate::device::DeviceId;
use crate::error::Error;
use crate::units::Bytes;

/// All settings.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Config {
    /// The device of every operation; `None` lets the router choose.
    pub device: Option<DeviceId>,
    /// The number of threads of the CPU device, at least one; `None` takes as many as the
    /// process may use.
    pub threads: Option<usize>,
    /// The folder of the learned models; `None` is the user's cache folder. See
    /// [`Config::cache_folder`].
    pub cache_dir: Option<PathBuf>,
    /// The address that serves the metrics of the running process; `None` serves none. Acts in
    /// runtimes that crate `heddle` builds, with its feature `metrics`.
    pub metrics: Option<SocketAddr>,
    /// Routing.
    pub route: RouteConfig,
    /// Memory limits.
    pub memory: MemoryConfig,
    /// Recording.
    pub profile: ProfileConfig,
    /// Emulated GPUs, where one is named.
    pub simt: SimtConfig,
    /// Evaluation of ARC programs.
    pub arc: ArcConfig,
    /// One line for each `HEDDLE_*` variable that is no setting and was ignored. A
    /// runtime has them among its [notes](crate::Runtime::notes).
    pub warnings: Vec<String>,
}

/// The settings of routing.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RouteConfig {
    /// Whether costs decide. If not, the first GPU takes every operation it can run.
    pub smart: bool,
    /// The least operand size that may go to a GPU. A share is of that GPU's memory.
    pub min_gpu: Size,
    /// The only devices that may be used; `None` is all of them. Never empty.
    pub allow: Option<Vec<DeviceId>>,
    /// Devices that are never used.
    pub deny: Vec<DeviceId>,
    /// The device of all operations of one kind, by the kind's name.
    pub kinds: BTreeMap<String, DeviceId>,
    /// The share of all time that exploration may cost, 0 to 1: measuring a device that is not
    /// the cheapest.
    pub explore_share: f64,
    /// The share of operations run on a second device and compared, 0 to 1.
    pub verify_share: f64,
}

/// The settings of recording.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProfileConfig {
    /// Whether a span is recorded for every operation.
    pub enabled: bool,
    /// The number of spans kept before the oldest are dropped.
    pub capacity_spans: usize,
}

/// The memory and the injected faults of an emulated GPU. Counts start at one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SimtConfig {
    /// The memory of each. A share is of the host's.
    pub memory: Size,
    /// The allocation that fails as if out of memory.
    pub fail_allocation: Option<usize>,
    /// The launch that fails.
    pub fail_launch: Option<usize>,
    /// The number of calls after which it is lost.
    pub lost_after: Option<usize>,
    /// The bytes a second of its transfers, each way; `None` adds nothing to the time a copy
    /// takes.
    pub transfer_rate: Option<Bytes>,
}

/// The settings of ARC evaluation, which `heddle-arc` interprets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArcConfig {
    /// The capacity of a warp of a GPU, as pairs such as `cells=64k,rows=8k`; `None` is the
    /// default.
    pub gpu_caps: Option<String>,
    /// The dialect of programs: `typed`, `classic`, or `auto`, which `None` is.
    pub dialect: Option<String>,
    /// How typed programs see cells: `classic`, or `triple`, which `None` is.
    pub cells: Option<String>,
}

/// The description of one key, for documentation and `--help`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyDescription {
    /// The dotted name in `heddle.toml`.
    pub name: &'static str,
    /// The environment variable that sets it.
    pub variable: String,
    /// The default, written as in `heddle.toml`.
    pub default: &'static str,
    /// The meaning, in one sentence.
    pub meaning: &'static str,
}

impl Default for RouteConfig {
    fn default() -> Self {
        Self {
            smart: true,
            min_gpu: Size::Bytes(Bytes(0)),
            allow: None,
            deny: Vec::new(),
            kinds: BTreeMap::new(),
            explore_share: 0.01,
            verify_share: 0.0,
        }
    }
}

impl Default for ProfileConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            capacity_spans: 65_536,
        }
    }
}

impl Default for SimtConfig {
    fn default() -> Self {
        Self {
            memory: Size::Bytes(Bytes(1 << 30)),
            fail_allocation: None,
            fail_launch: None,
            lost_after: None,
            transfer_rate: None,
        }
    }
}

impl Config {
    /// Loads the configuration of this process: the defaults, then the file that
    /// `HEDDLE_CONFIG` names (else `./heddle.toml`, else `heddle.toml` in the user's
    /// configuration folder, else none), then the `HEDDLE_*` variables.
    pub fn load() -> Result<Self, Error> {
        Self::load_named(std::env::var_os("HEDDLE_CONFIG"))
    }

    /// As [`load`](Self::load), but reads `file`, which must exist, instead of searching for a
    /// file.
    pub fn load_from(file: &Path) -> Result<Self, Error> {
        Self::load_named(Some(file.as_os_str().to_owned()))
    }

    fn load_named(named: Option<OsString>) -> Result<Self, Error> {
        let mut folders = vec![PathBuf::new()];
        folders.extend(user_folders().map(|user| user.config_dir().to_owned()));
        let file = layer::find_file(named, &folders)?;
        Self::from_sources(
            file.as_ref()
                .map(|(path, text)| (path.as_path(), text.as_str())),
            layer::environment(std::env::vars_os())?,
        )
    }

    /// Builds the configuration from these sources: the defaults, then the file of that path
    /// and content, then the variables among `environment` whose names begin with `HEDDLE_`.
    /// Reads nothing else, neither disk nor environment.
    ///
    /// A later layer replaces a key's whole value, lists and tables included.
    pub fn from_sources(
        file: Option<(&Path, &str)>,
        environment: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, Error> {
        let mut config = Self::default();
        if let Some((path, text)) = file {
            layer::apply_file(&mut config, path, text)?;
        }
        layer::apply_environment(&mut config, environment)?;
        Ok(config)
    }

    /// Every device that is named for use: for all operations, for a kind, or as an allowed
    /// one. In device order, each once.
    #[must_use]
    pub fn named_devices(&self) -> Vec<DeviceId> {
        let mut named: Vec<DeviceId> = self
            .device
            .iter()
            .chain(self.route.kinds.values())
            .chain(self.route.allow.iter().flatten())
            .copied()
            .collect();
        named.sort_unstable();
        named.dedup();
        named
    }

    /// The folder of the learned models: the folder set, else the user's cache folder, else
    /// `None`, for a user without a home folder.
    #[must_use]
    pub fn cache_folder(&self) -> Option<PathBuf> {
        self.cache_dir
            .clone()
            .or_else(|| user_folders().map(|user| user.cache_dir().to_owned()))
    }

    /// Every key, in documentation order.
    #[must_use]
    pub fn describe_keys() -> Vec<KeyDescription> {
        schema::KEYS
            .iter()
            .map(|key| KeyDescription {
                name: key.name,
                variable: key.variable(),
                default: key.default,
                meaning: key.meaning,
            })
            .collect()
    }
}

fn user_folders() -> Option<ProjectDirs> {
    ProjectDirs::from("", "", "heddle")
}
