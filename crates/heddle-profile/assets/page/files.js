// Recordings from the user's disk, dropped onto the page or chosen. They are read
// here and not sent anywhere.

/** Calls `take(run)` for a file that can be read, `refuse(message)` for another. */
function listenForFiles(input, take, refuse) {
  const read = async (files) => {
    const [file, ...more] = files;
    if (!file) return;
    if (more.length) refuse(`${plural(more.length + 1, "file")} were dropped; only the first, ${file.name}, is shown.`);
    try {
      take(readRecording(await file.text(), file.name));
    } catch (problem) {
      refuse(problem instanceof RecordingError ? problem.message : `${file.name} could not be read: ${problem.message}`);
    }
  };
  input.addEventListener("change", async () => {
    await read(input.files);
    // The same file may be chosen again.
    input.value = "";
  });

  let depth = 0;
  const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");
  const mark = (over) => document.body.classList.toggle("dropping", over);
  document.addEventListener("dragenter", (event) => {
    if (!carriesFiles(event)) return;
    depth += 1;
    mark(true);
  });
  document.addEventListener("dragleave", () => {
    depth = Math.max(0, depth - 1);
    mark(depth > 0);
  });
  document.addEventListener("dragover", (event) => {
    if (carriesFiles(event)) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth = 0;
    mark(false);
    read(event.dataTransfer.files);
  });
}
