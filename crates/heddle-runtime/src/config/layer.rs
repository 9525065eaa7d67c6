//! The layers over the defaults: a file, then the environment.
//!
//! A layer finds the key of a setting and reports where a mistake is. The schema checks the
//! value.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use heddle_profile::{read_file, read_regular_file};
use toml::de::{DeTable, DeValue};

use super::Config;
use super::schema::{self, KEYS, Key, PREFIX, RESERVED};
use super::value::{Value, quoted};
use crate::error::Error;

/// The variable that names the file to read.
pub(super) const FILE_VARIABLE: &str = "HEDDLE_CONFIG";

/// The most bytes of a file that is read. One with every key takes some 4 KiB.
const MAX_BYTES: u64 = 1 << 20;

/// The name of the default file.
const FILE_NAME: &str = "heddle.toml";

/// Reads the file `named`, which must exist. With no name, reads the first `heddle.toml` that
/// exists in `folders`, if any.
pub(super) fn find_file(
    named: Option<OsString>,
    folders: &[PathBuf],
) -> Result<Option<(PathBuf, String)>, Error> {
    if let Some(named) = named {
        if named.is_empty() {
            return Err(Error::Config {
                origin: FILE_VARIABLE.to_owned(),
                message: "expected the path of a file, found nothing".to_owned(),
                hint: Some("unset it to read heddle.toml where there is one".to_owned()),
            });
        }
        let path = PathBuf::from(named);
        // A pipe that is named is read, so that `--config <(…)` works.
        let bytes = read_file(&path, MAX_BYTES);
        let text = bytes.and_then(text_of);
        let text = text.map_err(|source| unreadable(&path, source))?;
        return Ok(Some((path, text)));
    }
    for folder in folders {
        let path = folder.join(FILE_NAME);
        match read_regular_file(&path, MAX_BYTES).and_then(text_of) {
            Ok(text) => return Ok(Some((path, text))),
            Err(source) if is_absent(&path, &source) => {}
            Err(source) => return Err(unreadable(&path, source)),
        }
    }
    Ok(None)
}

fn text_of(bytes: Vec<u8>) -> io::Result<String> {
    let text = String::from_utf8(bytes);
    text.map_err(|error| io::Error::new(ErrorKind::InvalidData, error.utf8_error()))
}

/// Whether there is no file, as far as this process can see. Service accounts have homes such
/// as `/dev/null` and folders that they may not enter; a file that is seen and may not be read
/// is a mistake.
fn is_absent(path: &Path, error: &std::io::Error) -> bool {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => true,
        ErrorKind::PermissionDenied => path.symlink_metadata().is_err(),
        _ => false,
    }
}

fn unreadable(path: &Path, source: std::io::Error) -> Error {
    Error::File {
        action: "read",
        path: path.to_owned(),
        source,
    }
}

/// The variables of this process with our prefix.
pub(super) fn environment(
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> Result<Vec<(String, String)>, Error> {
    variables
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
        .filter(|(name, _)| name.starts_with(PREFIX) && !is_reserved(name))
        .map(|(name, value)| match value.into_string() {
            Ok(value) => Ok((name, value)),
            // What is no setting has no effect, whatever its value is.
            Err(value) if schema::of_variable(&name).is_none() => {
                Ok((name, value.to_string_lossy().into_owned()))
            }
            Err(_) => Err(Error::Config {
                origin: name,
                message: "expected Unicode text, found other bytes".to_owned(),
                hint: None,
            }),
        })
        .collect()
}

fn is_reserved(variable: &str) -> bool {
    RESERVED
        .iter()
        .any(|name| schema::variable(name) == variable)
}

/// Applies the settings of the file.
pub(super) fn apply_file(config: &mut Config, path: &Path, text: &str) -> Result<(), Error> {
    let file = File { path, text };
    let root = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        file.mistake(at, error.message().to_owned(), None)
    })?;
    file.apply(config, "", root.get_ref())?;
    let paths = config.cache_dir.iter_mut().chain(&mut config.memory.log);
    for (set, folder) in paths.zip(std::iter::repeat(path.parent())) {
        *set = folder.map_or_else(|| set.clone(), |folder| folder.join(&*set));
    }
    Ok(())
}

/// A file that is being read, for the positions of its mistakes.
struct File<'a> {
    path: &'a Path,
    text: &'a str,
}

impl File<'_> {
    fn apply(&self, config: &mut Config, section: &str, table: &DeTable<'_>) -> Result<(), Error> {
        let mut entries: Vec<_> = table.iter().collect();
        // Sorted by position, so that the first mistake in the file is reported.
        entries.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in entries {
            let (at, value) = (key.span().start, value.get_ref());
            let name = dotted(section, key.get_ref());
            if let Some(key) = schema::find(&name) {
                (key.set)(config, Value::Toml(value)).map_err(|mismatch| {
                    let hint = mismatch.hint.map(str::to_owned);
                    let at = mismatch.at.unwrap_or(at);
                    self.mistake(at, format!("`{name}`: {mismatch}"), hint)
                })?;
            } else if !schema::sections().any(|section| section == name) {
                let names = KEYS.iter().map(|key| key.name).chain(schema::sections());
                let hint = schema::nearest(&name, names).map(did_you_mean);
                return Err(self.mistake(at, format!("there is no key `{name}`"), hint));
            } else if let DeValue::Table(table) = value {
                self.apply(config, &name, table)?;
            } else {
                let mismatch = Value::Toml(value).mismatch("a table");
                let hint = format!("write its keys under `[{name}]`");
                return Err(self.mistake(at, format!("`{name}`: {mismatch}"), Some(hint)));
            }
        }
        Ok(())
    }

    fn mistake(&self, at: usize, message: String, hint: Option<String>) -> Error {
        let before = self.text.bytes().take(at);
        let line = 1 + before.filter(|&byte| byte == b'\n').count();
        Error::Config {
            origin: format!("{}:{line}", self.path.display()),
            message,
            hint,
        }
    }
}

/// A key's dotted name as TOML writes it. A key that needs quotes keeps them, so that
/// `"route.smart"` is not taken for `route.smart`.
fn dotted(section: &str, key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let key = if !key.is_empty() && key.chars().all(bare) {
        key.to_owned()
    } else {
        quoted(key)
    };
    if section.is_empty() {
        key
    } else {
        format!("{section}.{key}")
    }
}

/// Applies the settings of the environment. Other variables are ignored.
pub(super) fn apply_environment(
    config: &mut Config,
    environment: impl IntoIterator<Item = (String, String)>,
) -> Result<(), Error> {
    // Sorted, so that the reported mistake does not depend on the system's order.
    let ours: BTreeMap<String, String> = environment
        .into_iter()
        .filter(|(name, _)| name.starts_with(PREFIX) && !is_reserved(name))
        .collect();
    for (variable, text) in ours {
        let Some(key) = schema::of_variable(&variable) else {
            config.warnings.push(unknown_variable(&variable));
            continue;
        };
        (key.set)(config, Value::Variable(&text)).map_err(|mismatch| Error::Config {
            origin: variable,
            message: mismatch.to_string(),
            hint: mismatch.hint.map(str::to_owned),
        })?;
    }
    Ok(())
}

fn unknown_variable(variable: &str) -> String {
    let unknown = variable[PREFIX.len()..].to_lowercase();
    let names = KEYS.iter().map(|key: &Key| key.name).chain(RESERVED);
    let hint = schema::near(&unknown, names)
        .map(|name| format!("; {}", did_you_mean(&schema::variable(name))))
        .unwrap_or_default();
    format!("{variable} is no setting and was ignored{hint}")
}

fn did_you_mean(name: &str) -> String {
    format!("did you mean `{name}`?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_file_must_exist_and_an_unnamed_one_need_not() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("other.toml");
        assert!(matches!(
            find_file(Some(missing.into()), &[]),
            Err(Error::File { action: "read", .. })
        ));
        assert!(matches!(
            find_file(Some(OsString::new()), &[]),
            Err(Error::Config { .. })
        ));
        assert!(
            find_file(None, &[folder.path().to_owned()])
                .unwrap()
                .is_none()
        );
    }

    #[test]
    fn a_folder_that_is_none_has_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let folders = ["/dev/null".into(), "/dev/null/.config/heddle".into(), file];
        assert!(find_file(None, &folders).unwrap().is_none());
        // A file that is named has to be there.
        assert!(find_file(Some("/dev/null/heddle.toml".into()), &[]).is_err());
    }

    #[test]
    fn a_file_without_an_end_is_a_mistake() {
        assert!(matches!(
            find_file(Some("/dev/zero".into()), &[]),
            Err(Error::File { action: "read", .. })
        ));
        let pipe = tempfile::tempdir().unwrap();
        let made = std::process::Command::new("mkfifo")
            .arg(pipe.path().join(FILE_NAME))
            .status();
        assert!(made.unwrap().success());
        let error = find_file(None, &[pipe.path().to_owned()]).unwrap_err();
        let why = crate::error::with_causes(&error).to_string();
        assert!(why.contains("no regular file"), "{why}");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE_NAME);
        // More than fits into memory.
        std::fs::File::create(&path)
            .unwrap()
            .set_len(1 << 40)
            .unwrap();
        assert!(find_file(None, &[folder.path().to_owned()]).is_err());
    }

    #[test]
    fn a_folder_that_may_not_be_entered_has_no_file_and_a_forbidden_file_is_a_mistake() {
        let denied = std::io::Error::from(ErrorKind::PermissionDenied);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE_NAME);
        assert!(is_absent(&path, &denied));
        std::fs::write(&path, "").unwrap();
        assert!(!is_absent(&path, &denied));
    }

    #[test]
    fn the_first_folder_with_a_file_wins() {
        let (near, far) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let folders = [near.path().to_owned(), far.path().to_owned()];
        std::fs::write(far.path().join(FILE_NAME), "threads = 1").unwrap();
        let (_, text) = find_file(None, &folders).unwrap().unwrap();
        assert_eq!(text, "threads = 1");
        std::fs::write(near.path().join(FILE_NAME), "threads = 2").unwrap();
        let (path, text) = find_file(None, &folders).unwrap().unwrap();
        assert_eq!(
            (path, text.as_str()),
            (near.path().join(FILE_NAME), "threads = 2")
        );
    }

    #[test]
    fn what_is_there_but_no_file_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(FILE_NAME)).unwrap();
        assert!(find_file(None, &[folder.path().to_owned()]).is_err());
    }

    #[test]
    fn only_variables_with_the_prefix_are_read() {
        let pairs = [
            ("PATH", "x"),
            ("HEDDLE_CONFIG", "y"),
            ("HEDDLE_THREADS", "2"),
        ]
        .map(|(name, value)| (OsString::from(name), OsString::from(value)));
        assert_eq!(
            environment(pairs.into_iter()).unwrap(),
            [("HEDDLE_THREADS".to_owned(), "2".to_owned())]
        );
    }
}
