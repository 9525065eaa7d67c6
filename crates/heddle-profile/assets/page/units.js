// Formats numbers with three significant digits and a unit. Every time, size and count
// on the page is formatted here.

const NARROW_SPACE = "\u202f";
const TIME_UNITS = [["ns", 1], ["µs", 1e3], ["ms", 1e6], ["s", 1e9]];
const BYTE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** Three significant digits, never in exponent form: 0.123, 1.23, 12.3, 123, 1230. */
function digits(value) {
  if (value === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(value)));
  // Rounding may carry into the next power of ten: 99.96 is 100, not 100.0.
  const places = Math.max(0, Math.min(6, 2 - size));
  const rounded = Number(value.toFixed(places));
  const carried = rounded !== 0 && Math.floor(Math.log10(Math.abs(rounded))) > size;
  return rounded.toFixed(carried ? Math.max(0, places - 1) : places);
}

/** The unit for a time: `["ms", 1e6]`. */
function timeUnit(ns) {
  const size = Math.abs(ns);
  // 999.6 µs is shown as 1.00 ms, so units change a little early.
  return TIME_UNITS.findLast(([, scale]) => size >= scale * 0.9995) ?? TIME_UNITS[0];
}

function time(ns) {
  if (ns === null || !Number.isFinite(ns)) return "–";
  if (ns === 0) return "0";
  if (Math.abs(ns) >= 99.5e9) {
    const seconds = Math.round(Math.abs(ns) / 1e9);
    return `${ns < 0 ? "−" : ""}${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
  }
  const [unit, scale] = timeUnit(ns);
  const value = ns / scale;
  const text = unit === "ns" && Number.isInteger(value) ? String(value) : digits(value);
  return `${text.replace("-", "−")}${NARROW_SPACE}${unit}`;
}

function bytes(count) {
  if (count === null || !Number.isFinite(count)) return "–";
  if (count === 0) return "0";
  let power = 0;
  while (power < BYTE_UNITS.length - 1 && Math.abs(count) >= 1023.5 * 1024 ** power) power += 1;
  const value = count / 1024 ** power;
  return `${power === 0 ? Math.round(value) : digits(value)}${NARROW_SPACE}${BYTE_UNITS[power]}`;
}

function rate(bytesPerSecond) {
  return bytesPerSecond === null || !Number.isFinite(bytesPerSecond) ? "–" : `${bytes(bytesPerSecond)}/s`;
}

const GROUPED = new Intl.NumberFormat("en-US");

function count(value) {
  return GROUPED.format(value);
}

/** A share of 1 as a percentage. A small share is not shown as 0 %, nor a large one as 100 %. */
function share(part) {
  if (part === null || !Number.isFinite(part)) return "–";
  const percent = part * 100;
  if (percent > 0 && percent < 0.1) return `<0.1${NARROW_SPACE}%`;
  if (percent > 99.9 && percent < 100) return `>99.9${NARROW_SPACE}%`;
  return `${percent < 10 && percent !== 0 ? percent.toFixed(1) : Math.round(percent)}${NARROW_SPACE}%`;
}

/** A change as a signed percentage: +12 %, −3.4 %. */
function change(ratio) {
  if (ratio === null || !Number.isFinite(ratio)) return "–";
  const percent = ratio * 100;
  const size = Math.abs(percent);
  if (size < 0.05) return `0${NARROW_SPACE}%`;
  const text = size >= 1000 ? count(Math.round(size)) : size >= 10 ? size.toFixed(0) : size.toFixed(1);
  return `${percent < 0 ? "−" : "+"}${text}${NARROW_SPACE}%`;
}

function plural(value, noun) {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** 2 to the power of an integer, with a superscript exponent. */
function powerOfTwo(exponent) {
  return `2${String(exponent).replace(/\d/g, (digit) => SUPERSCRIPTS[digit]).replace("-", "⁻")}`;
}

/** Control characters made visible, so that a name stays on its line. */
function oneLine(name) {
  return name
    .replace(/\r\n|\r|\n/g, "⏎")
    .replace(/\t/g, "⇥")
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, "·");
}

const SEGMENTER = typeof Intl.Segmenter === "function" ? new Intl.Segmenter() : null;

/** At most `limit` user-perceived characters; the middle is left out. */
function shortened(name, limit) {
  const line = oneLine(name);
  if (line.length <= limit) return line;
  const characters = SEGMENTER ? Array.from(SEGMENTER.segment(line), (part) => part.segment) : Array.from(line);
  if (characters.length <= limit) return line;
  const head = Math.ceil((limit - 1) * 0.6);
  return `${characters.slice(0, head).join("")}…${characters.slice(characters.length - (limit - 1 - head)).join("")}`;
}

/** Round numbers from 0 to `most`, about `wanted` of them. */
function roundSteps(most, wanted) {
  const rough = most / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999) * power;
  const steps = [];
  for (let index = 0; index * step <= most * 1.0001; index += 1) steps.push(index * step);
  return steps;
}

/** A mark of a byte axis: a round number needs no digits after its point. */
function byteMark(value) {
  return bytes(value).replace(/\.0+(?=\u202f)/, "");
}

/** Ticks of a byte axis lie on round numbers of its unit. */
function byteSteps(most, wanted) {
  if (!(most > 0)) return [0];
  const power = Math.min(BYTE_UNITS.length - 1, Math.max(0, Math.floor(Math.log2(most) / 10)));
  return roundSteps(most / 1024 ** power, wanted).map((value) => value * 1024 ** power);
}
