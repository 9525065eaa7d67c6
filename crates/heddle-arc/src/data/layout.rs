//! What a JSON file holds, and the tasks in it.

use super::grid::{Reader, brief};
use super::source::Source;
use super::{DataError, Task};
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// A file by what it holds.
enum Layout {
    /// `{"train": [pairs], "test": [pairs]}`: one task, named by its file.
    Task(Map<String, Json>),
    /// `{"train": {id: task}, "eval": {id: task}}`: whole sets.
    Sets(Vec<Map<String, Json>>),
    /// `{id: task}`: the challenges of a competition.
    Challenges(Map<String, Json>),
    /// `{id: [output, …]}`: their solutions.
    Solutions(Map<String, Json>),
    /// Anything else, in words.
    Other(String),
}

fn recognise(json: Json) -> Layout {
    let Json::Object(keys) = json else {
        return Layout::Other(brief(&json));
    };
    if keys.is_empty() {
        return Layout::Other("an empty object".to_owned());
    }
    if keys.get("train").is_some_and(Json::is_array) || keys.get("test").is_some_and(Json::is_array)
    {
        return Layout::Task(keys);
    }
    let is_task = |json: &Json| json.get("train").is_some() || json.get("test").is_some();
    if keys.values().all(is_task) {
        return Layout::Challenges(keys);
    }
    let is_set = |json: &Json| {
        json.as_object()
            .is_some_and(|set| set.values().all(is_task))
    };
    if keys.values().all(is_set) {
        let sets = keys.into_iter().filter_map(|(_, set)| match set {
            Json::Object(set) => Some(set),
            _ => None,
        });
        return Layout::Sets(sets.collect());
    }
    let is_answer = |json: &Json| {
        let grids = json.as_array();
        grids.is_some_and(|grids| !grids.is_empty() && grids.iter().all(Json::is_array))
    };
    if keys.values().all(is_answer) {
        return Layout::Solutions(keys);
    }
    let names: Vec<&str> = keys.keys().take(3).map(String::as_str).collect();
    Layout::Other(format!("an object with the keys {}…", names.join(", ")))
}

/// The tasks of each file, in the order of their names. A file that holds
/// something else is an error if it was named, a note if it was found.
pub(super) fn tasks(
    sources: Vec<Source>,
    notes: &mut Vec<String>,
) -> Result<Vec<(String, Vec<Task>)>, DataError> {
    let mut challenges: Vec<(String, Map<String, Json>, bool)> = Vec::new();
    let mut solutions: BTreeMap<String, Map<String, Json>> = BTreeMap::new();
    let mut found: Vec<(String, Vec<Task>)> = Vec::new();
    for source in sources {
        let json = parse(&source)?;
        let (file, named) = (source.name, source.named);
        match recognise(json) {
            Layout::Task(task) => {
                let id = Path::new(&file)
                    .file_stem()
                    .map_or_else(|| file.clone(), |stem| stem.to_string_lossy().into_owned());
                let reader = Reader {
                    file: &file,
                    task: id.into(),
                };
                let task = reader.task(&task, None)?;
                found.push((file, vec![task]));
            }
            Layout::Sets(sets) => {
                let mut tasks = Vec::new();
                for set in &sets {
                    tasks.extend(set_of(&file, set, None)?);
                }
                found.push((file, tasks));
            }
            Layout::Challenges(set) => challenges.push((file, set, named)),
            Layout::Solutions(set) => {
                solutions.insert(file, set);
            }
            Layout::Other(what) if named => return Err(DataError::Layout { file, found: what }),
            Layout::Other(what) => notes.push(format!("{file}: left out, {what} is no task")),
        }
    }
    let used = challenges.len();
    for (file, set, named) in challenges {
        let answers = solutions.get(&solutions_name(&file));
        if answers.is_none() && !named && !has_outputs(&set) {
            notes.push(format!(
                "{file}: left out, its test pairs have no outputs and no solutions file is beside it"
            ));
            continue;
        }
        let tasks = set_of(&file, &set, answers)?;
        found.push((file, tasks));
    }
    if used == 0
        && found.is_empty()
        && let Some(file) = solutions.into_keys().next()
    {
        return Err(DataError::Layout {
            file,
            found: "solutions without their challenges".to_owned(),
        });
    }
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(found)
}

fn parse(source: &Source) -> Result<Json, DataError> {
    serde_json::from_slice(&source.bytes).map_err(|error| {
        // Its own words end in the place, which stands before them here.
        let text = error.to_string();
        let found = text
            .split_once(" at line ")
            .map_or(text.as_str(), |(found, _)| found);
        DataError::NotJson {
            file: source.name.clone(),
            line: error.line(),
            column: error.column(),
            found: found.to_owned(),
        }
    })
}

fn set_of(
    file: &str,
    set: &Map<String, Json>,
    solutions: Option<&Map<String, Json>>,
) -> Result<Vec<Task>, DataError> {
    let mut tasks = Vec::with_capacity(set.len());
    for (id, task) in set {
        let reader = Reader {
            file,
            task: Arc::from(id.as_str()),
        };
        let Json::Object(task) = task else {
            return Err(DataError::Layout {
                file: file.to_owned(),
                found: format!("{id} is {}", brief(task)),
            });
        };
        let answers = solutions
            .and_then(|solutions| solutions.get(id))
            .and_then(Json::as_array);
        tasks.push(reader.task(task, answers.map(Vec::as_slice))?);
    }
    Ok(tasks)
}

fn has_outputs(set: &Map<String, Json>) -> bool {
    let pairs = set
        .values()
        .filter_map(|task| task.get("test").and_then(Json::as_array));
    pairs.flatten().any(|pair| pair.get("output").is_some())
}

/// What the solutions of a challenges file are called.
pub(super) fn solutions_name(challenges: &str) -> String {
    match challenges.rfind("challenges") {
        Some(at) => format!(
            "{}solutions{}",
            &challenges[..at],
            &challenges[at + "challenges".len()..]
        ),
        None => String::new(),
    }
}
