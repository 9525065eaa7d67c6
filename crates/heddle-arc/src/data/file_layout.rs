//! The layout of a JSON file and the tasks in it.

use super::grid::GridReader;
use super::json::{Json, Keys};
use super::source::Sources;
use super::{DataError, Task};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// The layout of a file, recognised by its contents.
enum FileLayout<'a> {
    /// `{"train": [pairs], "test": [pairs]}`: one task, named by its file.
    Task(Keys<'a>),
    /// `{"train": {id: task}, "eval": {id: task}}`: whole sets.
    Sets(Vec<Keys<'a>>),
    /// `{id: task}`: the challenges of a competition.
    Challenges(Keys<'a>),
    /// `{id: [output, …]}`: their solutions.
    Solutions(Keys<'a>),
    /// Anything else, described in words.
    Other(String),
}

fn recognise(json: Json<'_>) -> FileLayout<'_> {
    let Json::Object(keys) = json else {
        return FileLayout::Other(json.to_string());
    };
    if keys.is_empty() {
        return FileLayout::Other("an empty object".to_owned());
    }
    if keys.get("train").is_some_and(Json::is_list) || keys.get("test").is_some_and(Json::is_list) {
        return FileLayout::Task(keys);
    }
    let is_task = |json: &Json<'_>| json.get("train").is_some() || json.get("test").is_some();
    if keys.values().all(is_task) {
        return FileLayout::Challenges(keys);
    }
    let is_set = |json: &Json<'_>| match json {
        Json::Object(set) => set.values().all(is_task),
        _ => false,
    };
    if keys.values().all(is_set) {
        let sets = keys.into_values().filter_map(|set| match set {
            Json::Object(set) => Some(set),
            _ => None,
        });
        return FileLayout::Sets(sets.collect());
    }
    let is_answer = |json: &Json<'_>| match json {
        Json::Grid { .. } => true,
        Json::List(grids) => !grids.is_empty() && grids.iter().all(Json::is_list),
        _ => false,
    };
    if keys.values().all(is_answer) {
        return FileLayout::Solutions(keys);
    }
    let short = |(key, _): (&str, &Json<'_>)| key.chars().take(20).collect::<String>();
    let names: Vec<String> = keys.iter().take(3).map(short).collect();
    FileLayout::Other(format!("an object with the keys {}…", names.join(", ")))
}

/// The tasks of one file, with its name.
type FileTasks = (Arc<str>, Vec<Task>);

/// The tasks of each file, in the order of file names. Another layout is an error in a file
/// that the user named, and a note in a file found in a folder or archive. A file is dropped
/// before the next is read; only challenges and their solutions are in memory together.
pub(super) fn tasks(
    mut sources: Sources,
    notes: &mut Vec<String>,
) -> Result<Vec<FileTasks>, DataError> {
    let mut found: Vec<FileTasks> = Vec::new();
    let mut has_challenges = false;
    // Solutions that were read with their challenges, whose names come first.
    let mut used: HashSet<usize> = HashSet::new();
    let mut without_challenges: Option<String> = None;
    for at in 0..sources.len() {
        if used.contains(&at) {
            continue;
        }
        let source = sources.read(at)?;
        let json = sources.parse(&source)?;
        let (file, named) = (&*source.name, source.named);
        match recognise(json) {
            FileLayout::Task(task) => {
                let id = Path::new(file)
                    .file_stem()
                    .map_or(file.into(), |stem| stem.to_string_lossy());
                let reader = GridReader {
                    file,
                    task: Arc::from(&*id),
                };
                let task = reader.task(task, None)?;
                found.push((file.into(), vec![task]));
            }
            FileLayout::Sets(sets) => {
                let mut tasks = Vec::new();
                for set in sets {
                    tasks.extend(set_of(file, set, None)?);
                }
                found.push((file.into(), tasks));
            }
            FileLayout::Challenges(set) => {
                has_challenges = true;
                let beside = sources.find(&solutions_name(file));
                let solutions = match beside {
                    Some(beside) => Some(sources.read(beside)?),
                    None => None,
                };
                let answers = match &solutions {
                    Some(solutions) => match recognise(sources.parse(solutions)?) {
                        FileLayout::Solutions(answers) => Some(answers),
                        _ => None,
                    },
                    None => None,
                };
                if answers.is_some() {
                    used.extend(beside);
                } else if !named && !has_outputs(&set) {
                    notes.push(format!(
                        "{file}: left out, its test pairs have no outputs and no solutions file \
                         is beside it"
                    ));
                    continue;
                }
                found.push((file.into(), set_of(file, set, answers.as_ref())?));
            }
            FileLayout::Solutions(_) => {
                without_challenges.get_or_insert_with(|| file.to_owned());
            }
            FileLayout::Other(what) if named => {
                return Err(DataError::FileLayout {
                    file: file.to_owned(),
                    found: what,
                });
            }
            FileLayout::Other(what) => notes.push(format!("{file}: left out, {what} is no task")),
        }
    }
    if !has_challenges
        && found.is_empty()
        && let Some(file) = without_challenges
    {
        return Err(DataError::FileLayout {
            file,
            found: "solutions without their challenges".to_owned(),
        });
    }
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(found)
}

fn set_of(file: &str, set: Keys<'_>, solutions: Option<&Keys<'_>>) -> Result<Vec<Task>, DataError> {
    let mut tasks = Vec::with_capacity(set.len());
    for (id, task) in set {
        let reader = GridReader {
            file,
            task: Arc::from(&*id),
        };
        let Json::Object(task) = task else {
            return Err(DataError::FileLayout {
                file: file.to_owned(),
                found: format!("{id} is {task}"),
            });
        };
        let answers = solutions
            .and_then(|solutions| solutions.get(&id))
            .and_then(Json::items);
        tasks.push(reader.task(task, answers.as_deref())?);
    }
    Ok(tasks)
}

fn has_outputs(set: &Keys<'_>) -> bool {
    let mut of_tasks = set
        .values()
        .filter_map(|task| task.get("test").and_then(Json::items));
    of_tasks.any(|pairs| pairs.iter().any(|pair| pair.get("output").is_some()))
}

/// The name of the solutions file of a challenges file.
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
