// One colour for one meaning, in every chart: a device, or a kind of time.
//
// The four kinds of time and the devices share hues on purpose: computing on the CPU
// has the CPU's colour. The hues are distinguishable with any kind of colour blindness
// (blue, bluish green, orange, grey, purple), and colour is never the only mark.

const WAYS = [
  {key: "gpu", label: "GPU computing", short: "GPU"},
  {key: "cpu", label: "CPU computing", short: "CPU"},
  {key: "transfer", label: "Transfer", short: "transfer"},
  {key: "overhead", label: "Overhead", short: "overhead"},
];

/** The current value of a colour of the style sheet, as `#rrggbb`. */
function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** The style sheet's name for a device's colour. */
function deviceColourName(device) {
  const [kind, index] = device.split(":");
  if (kind === "cpu") return "cpu";
  if (kind === "simt") return "simt";
  return `gpu-${(Number.parseInt(index, 10) || 0) % 8}`;
}

function deviceColour(device) {
  return colour(deviceColourName(device));
}

function isGpu(device) {
  return device !== "cpu";
}

function channels(hex) {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
}

/** `amount` of 1 gives `towards`, 0 gives `from`. */
function mixed(from, towards, amount) {
  const to = channels(towards);
  const parts = channels(from).map((value, index) => Math.round(value + (to[index] - value) * amount));
  return `#${parts.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

/** Relative luminance as WCAG defines it. */
function luminance(hex) {
  const [red, green, blue] = channels(hex).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one, other) {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Black or white, the one with more contrast on a colour. */
function inkOn(background) {
  return contrast(background, "#ffffff") >= contrast(background, "#10141a") ? "#ffffff" : "#10141a";
}
