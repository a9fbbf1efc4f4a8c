/** The reference of the `cfile` command, generated from the definitions that the command itself uses. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { docsFolder } from "./folders.mjs";

/** @typedef {import("@cfile/cli/reference").Command} Command */
/** @typedef {import("@cfile/cli/reference").CommandEntry} CommandEntry */
/** @typedef {import("@cfile/cli/reference").Option<unknown>} Option */

/**
 * @typedef {object} NamedCommand
 * @property {string} name words, such as `cfile table scan`
 * @property {CommandEntry} entry
 * @property {Command | undefined} command undefined for groups
 * @property {NamedCommand[]} parts commands of a group
 */

const INTRODUCTION = `# The cfile command

\`\`\`sh
npm install --global @cfile/cli
\`\`\`

\`cfile COMMAND --help\` shows what this page says about a command. The [README of @cfile/cli](packages/cli.md) has examples with
their output.
`;

export async function writeCommandReference() {
  writeFileSync(join(docsFolder, "cli.md"), await commandReference());
}

export async function commandReference() {
  const { commands, globalOptions, exitCodes } = await readCommands();
  return `${[
    INTRODUCTION,
    "| command | summary |",
    "| --- | --- |",
    ...commands.map(({ name, entry }) => `| [\`${name}\`](#${anchor(name)}) | ${cell(entry.summary)} |`),
    "",
    "## Options of all commands",
    "",
    ...optionTable(globalOptions),
    "## Exit codes",
    "",
    "| code | meaning |",
    "| --- | --- |",
    ...exitCodes.map(([code, meaning]) => `| ${code} | ${meaning} |`),
    "",
    ...commands.flatMap((command) => section(command, 2)),
  ].join("\n")}\n`;
}

export async function readCommands() {
  const { COMMANDS, EXIT_CODES, GLOBAL_OPTIONS } = await import("@cfile/cli/reference");
  return {
    commands: await namedCommands("cfile", COMMANDS),
    globalOptions: GLOBAL_OPTIONS,
    exitCodes: EXIT_CODES,
  };
}

/**
 * @param {string} parent
 * @param {CommandEntry} group
 * @returns {Promise<NamedCommand[]>}
 */
function namedCommands(parent, group) {
  return Promise.all(
    Object.entries(group.commands ?? {}).map(async ([word, entry]) => {
      const name = `${parent} ${word}`;
      return { name, entry, command: await entry.load?.(), parts: await namedCommands(name, entry) };
    }),
  );
}

/**
 * @param {NamedCommand} command
 * @param {number} level
 * @returns {string[]}
 */
function section({ name, entry, command, parts }, level) {
  const { about, examples = [] } = command ?? entry;
  return [
    `${"#".repeat(level)} ${name}`,
    "",
    `${cell(entry.summary)}.${about === undefined ? "" : ` ${cell(about)}`}`,
    "",
    ...(command === undefined ? [] : usage(name, command)),
    ...(examples.length === 0
      ? []
      : ["```sh", ...examples.flatMap(([what, line]) => [`# ${what}`, line]), "```", ""]),
    ...parts.flatMap((part) => section(part, level + 1)),
  ];
}

/**
 * @param {string} name
 * @param {Command} command
 */
function usage(name, { args, options }) {
  const words = Object.entries(args).map(([key, { isList, isRequired }]) => {
    const word = isList ? `${key}..` : key;
    return isRequired ? `<${word}>` : `[${word}]`;
  });
  const hasOptions = Object.keys(options).length > 0;
  return [
    "```sh",
    [name, ...words, ...(hasOptions ? ["[options]"] : [])].join(" "),
    "```",
    "",
    ...optionTable(args, (key) => `\`${key}\``),
    ...optionTable(options),
  ];
}

/**
 * @param {Readonly<Record<string, Option>>} options
 * @param {(key: string, option: Option) => string} nameOf
 */
function optionTable(options, nameOf = optionName) {
  const entries = Object.entries(options);
  if (entries.length === 0) {
    return [];
  }
  const rows = entries.map(([key, option]) => {
    const { summary, choices, preset, isRequired } = option;
    const values = choices === undefined ? "" : `: ${choices.map((choice) => `\`${choice}\``).join(", ")}`;
    const isMandatory = isRequired && nameOf === optionName;
    return `| ${nameOf(key, option)} | ${cell(summary)}${values} | ${isMandatory ? "required" : cell(preset ?? "")} |`;
  });
  const title = nameOf === optionName ? "option" : "argument";
  return [`| ${title} | description | default |`, "| --- | --- | --- |", ...rows, ""];
}

/**
 * @param {string} key
 * @param {Option} option
 */
function optionName(key, { short, hint, canNegate }) {
  const word = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const long = `\`--${canNegate ? "[no-]" : ""}${word}${hint === undefined ? "" : ` ${hint}`}\``;
  return short === undefined ? long : `\`-${short}\`, ${long}`;
}

/** @param {string} text */
function cell(text) {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("{{", "&#123;&#123;");
}

/** @param {string} name */
function anchor(name) {
  return name.replaceAll(" ", "-");
}
