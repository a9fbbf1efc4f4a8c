/** The reference of the `cfile` command, generated from the command definitions. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { recorder } from "./command-recorder.mjs";
import { docsFolder, root } from "./folders.mjs";

const INTRODUCTION = `# The cfile command

\`npm install --global @cfile/cli\`. \`cfile COMMAND --help\` shows the same text. For
examples, see the [README of @cfile/cli](packages/cli.md).
`;

export async function writeCommandReference() {
  writeFileSync(join(docsFolder, "cli.md"), await commandReference());
}

export async function commandReference() {
  const commands = await readCommands();
  const lines = [INTRODUCTION, "| command | what it does |", "| --- | --- |"];
  for (const { name, describe } of commands) {
    lines.push(`| [\`${name}\`](#${anchor(name)}) | ${cell(describe)} |`);
  }
  lines.push("", ...exitCodes());
  for (const command of commands) {
    lines.push(...section(command, 2));
  }
  return `${lines.join("\n")}\n`;
}

/** @returns {Promise<import("./command-recorder.mjs").RecordedCommand[]>} */
export async function readCommands() {
  const program = join(root, "packages", "cli", "dist", "program");
  const { addCommands } = await import(join(program, "command-list.js"));
  const { CliContext } = await import(join(program, "context.js"));
  const { processIo } = await import(join(program, "io.js"));
  const { line, commands } = recorder("cfile");
  await addCommands(line, new CliContext(processIo(), false));
  return commands;
}

function exitCodes() {
  return [
    "Every command takes `--header` (sent with requests for URLs, may be repeated), `--stats` (what reading took), `--help` and `--version`.",
    "Exit codes: 0 ok, 1 failure, 2 usage, 3 damaged file, 4 unsupported, 5 input or output, 130 interrupted.",
    "",
  ];
}

/**
 * @param {import("./command-recorder.mjs").RecordedCommand} command
 * @param {number} level
 * @returns {string[]}
 */
function section({ name, usage, describe, options, examples, parts }, level) {
  const lines = [`${"#".repeat(level)} ${name}`, "", `${sentence(describe)}`, ""];
  if (parts.length === 0) {
    lines.push(
      "```sh",
      `${usage}${options.some(({ isPositional }) => !isPositional) ? " [options]" : ""}`,
      "```",
      "",
    );
  }
  const shown = options.filter(({ settings }) => settings.hidden !== true);
  if (shown.length > 0) {
    lines.push("| argument or option | what it is | values | default |", "| --- | --- | --- | --- |");
    lines.push(...shown.map(optionRow), "");
  }
  if (examples.length > 0) {
    lines.push("```sh", ...examples.map(({ command, describe: what }) => `${command}  # ${what}`), "```", "");
  }
  for (const part of parts) {
    lines.push(...section(part, level + 1));
  }
  return lines;
}

/** @param {import("./command-recorder.mjs").RecordedOption} option */
function optionRow({ name, isPositional, settings }) {
  const { alias = [], choices, type, describe = "", requiresArg } = settings;
  const short = [alias].flat().map((letter) => `\`-${letter}\``);
  const shown = isPositional ? `\`${name}\`` : [...short, `\`--${name}\``].join(", ");
  // yargs appends the default to the description; here, defaults have their own column.
  const [, text = describe, stated] = /^(.*?) \[default: ([^\]]*)\]$/.exec(describe) ?? [];
  const values =
    choices?.map((choice) => `\`${choice}\``).join(", ") ??
    (type === "boolean" ? "" : requiresArg || isPositional ? "text" : (type ?? ""));
  const preset = stated ?? (settings.default === undefined ? "" : `\`${settings.default}\``);
  return `| ${shown}${settings.demandOption ? " (required)" : ""} | ${cell(text)} | ${values} | ${cell(preset)} |`;
}

/** @param {string} text */
function cell(text) {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("{{", "&#123;&#123;");
}

/** @param {string} text */
function sentence(text) {
  return `${cell(text.charAt(0).toUpperCase() + text.slice(1))}.`;
}

/** @param {string} name */
function anchor(name) {
  return name.replaceAll(" ", "-");
}
