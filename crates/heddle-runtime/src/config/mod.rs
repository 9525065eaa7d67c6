//! What a user can set: defaults, under `heddle.toml`, under `HEDDLE_*` variables.
//!
//! Here is plain data and how it is read; nothing here acts on a setting. Every
//! key has one name in the file, one variable (`route.min_gpu` is
//! `HEDDLE_ROUTE_MIN_GPU`) and one line in [`Config::describe_keys`]. A key that
//! does not exist is an error in the file, which is all ours, and a
//! [warning](Config::warnings) in the environment, which is not.
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
use std::path::{Path, PathBuf};

use directories::ProjectDirs;

pub use memory::MemoryConfig;
pub use size::Size;

use crate::device::DeviceId;
use crate::error::Error;
use crate::units::Bytes;

/// Everything that can be set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// The device every operation runs on; `None` lets the router choose.
    pub device: Option<DeviceId>,
    /// Threads of the CPU device, at least one; `None` takes as many as the
    /// process may use.
    pub threads: Option<usize>,
    /// Where learned models are kept; `None` is the user's cache folder. See
    /// [`Config::cache_folder`].
    pub cache_dir: Option<PathBuf>,
    /// How operations find their device.
    pub route: RouteConfig,
    /// How much memory operations may hold.
    pub memory: MemoryConfig,
    /// What is recorded.
    pub profile: ProfileConfig,
    /// What emulated GPUs are like, where one is named.
    pub simt: SimtConfig,
    /// How ARC programs are evaluated.
    pub arc: ArcConfig,
    /// One line for each `HEDDLE_*` variable that is no setting and was ignored. A
    /// runtime has them among its [notes](crate::Runtime::notes).
    pub warnings: Vec<String>,
}

/// How operations find their device.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RouteConfig {
    /// Whether prices decide. If not, the first GPU takes all it can run.
    pub smart: bool,
    /// The least operand size that may go to a GPU. A share is of that GPU's memory.
    pub min_gpu: Size,
    /// The only devices that may be used; `None` is all of them. Never empty.
    pub allow: Option<Vec<DeviceId>>,
    /// Devices that are never used.
    pub deny: Vec<DeviceId>,
    /// The device of all operations of one kind, by the kind's name.
    pub kinds: BTreeMap<String, DeviceId>,
    /// Share of all time that measuring a device that is not the cheapest may
    /// cost, 0 to 1.
    pub explore_share: f64,
    /// Share of operations run on a second device and compared, 0 to 1.
    pub verify_share: f64,
}

/// What is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProfileConfig {
    /// Whether a span is recorded for every operation.
    pub enabled: bool,
    /// Spans kept before the oldest are dropped.
    pub capacity_spans: usize,
}

/// What an emulated GPU is like and what goes wrong with it. Counts start at one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SimtConfig {
    /// Memory each has. A share is of the host's.
    pub memory: Size,
    /// The allocation that fails as if memory were short.
    pub fail_allocation: Option<usize>,
    /// The launch that fails.
    pub fail_launch: Option<usize>,
    /// Calls after which it is lost.
    pub lost_after: Option<usize>,
    /// Bytes its bus carries in a second, each way; `None` adds nothing to the
    /// time a copy takes.
    pub transfer_rate: Option<Bytes>,
}

/// How ARC programs are evaluated. Kept for `heddle-arc`, which knows what it means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArcConfig {
    /// What a warp of a GPU can hold, as pairs such as `cells=64k,rows=8k`; `None` is
    /// what it holds by itself.
    pub gpu_caps: Option<String>,
}

/// One key, for documentation and `--help`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyDescription {
    /// Its dotted name in `heddle.toml`.
    pub name: &'static str,
    /// The environment variable that sets it.
    pub variable: String,
    /// Its default, written as it would be in `heddle.toml`.
    pub default: &'static str,
    /// What it does, in one sentence.
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
    /// What this process is configured to: the defaults, under the file that
    /// `HEDDLE_CONFIG` names (else `./heddle.toml`, else `heddle.toml` in the
    /// user's configuration folder, else none), under the `HEDDLE_*` variables.
    pub fn load() -> Result<Self, Error> {
        Self::load_named(std::env::var_os("HEDDLE_CONFIG"))
    }

    /// As [`load`](Self::load), with `file`, which must exist, in place of the
    /// file it would look for.
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

    /// The configuration these sources make: the defaults, under the file of that
    /// path and content, under the variables among `environment` whose names begin
    /// with `HEDDLE_`. Reads nothing else, neither disk nor environment.
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

    /// Every device that is named to be used: for all operations, for some kind,
    /// or as one of those allowed. In device order, each once.
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

    /// Where learned models are kept: the folder set, else the user's cache
    /// folder, else nowhere, for a user who has no home.
    #[must_use]
    pub fn cache_folder(&self) -> Option<PathBuf> {
        self.cache_dir
            .clone()
            .or_else(|| user_folders().map(|user| user.cache_dir().to_owned()))
    }

    /// Every key there is, in the order they are documented in.
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
