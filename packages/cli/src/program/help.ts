/** The text of `--help`. */
import type { Command, CommandEntry, Examples } from "./command.js";
import { GLOBAL_OPTIONS, usageOf } from "./command-line.js";
import { type Option, type Options, optionName } from "./option.js";

const FILES_AND_ENVIRONMENT = `Files are paths, http: and https: URLs, or s3://bucket/key URLs. From a URL, only the byte ranges that the command needs are fetched. S3 requests use AWS_REGION, AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN; without keys they are not signed. NO_COLOR turns colors off.`;
/** @public also shown on the page of commands */
export const EXIT_CODES: readonly Row[] = [
  ["0", "success"],
  ["1", "failure, for example a row that does not exist"],
  ["2", "invalid command line"],
  ["3", "damaged file"],
  ["4", "unsupported"],
  ["5", "input or output error"],
  ["130", "interrupted"],
];

type Row = readonly [left: string, right: string];

/** Help of a command. */
export function commandHelp(
  name: string,
  { summary }: CommandEntry,
  command: Command,
  width: number,
): string {
  const { about, args, options, examples } = command;
  return sections(
    [`${summary}.`],
    about === undefined ? [] : wrapped(about, width),
    [`Usage: ${usageOf(name, args)}${Object.keys(options).length === 0 ? "" : " [options]"}`],
    titled("Arguments", argumentRows(args), width),
    titled("Options", optionRows(options), width),
    exampleLines(examples),
    ["Options of all commands: cfile --help"],
  );
}

/** Help of a group of commands, and of `cfile` itself. */
export function groupHelp(
  name: string,
  { summary, about, examples = [], commands = {} }: CommandEntry,
  width: number,
): string {
  const rows = Object.entries(commands).map(([part, entry]): Row => [`${name} ${part}`, entry.summary]);
  const isRoot = name === "cfile";
  return sections(
    [`${summary}.`],
    about === undefined ? [] : wrapped(about, width),
    [`Usage: ${name} <command> [options]`],
    titled("Commands", rows, width),
    ...(isRoot
      ? [
          titled("Options of all commands", optionRows(GLOBAL_OPTIONS), width),
          wrapped(FILES_AND_ENVIRONMENT, width),
          titled("Exit codes", EXIT_CODES, width),
        ]
      : []),
    exampleLines(examples),
    [`"${name} <command> --help" describes a command.`],
  );
}

function exampleLines(examples: Examples): string[] {
  return ["Examples:", ...examples.flatMap(([what, line]) => [`  # ${what}`, `  ${line}`])];
}

function sections(...parts: readonly (readonly string[])[]): string {
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

function argumentRows(args: Options): Row[] {
  return Object.entries(args).map(([key, option]) => [key, described({ ...option, isRequired: false })]);
}

function optionRows(options: Options): Row[] {
  return Object.entries(options).map(([key, option]) => [optionText(key, option), described(option)]);
}

/** `-o, --output DIR`, `    --[no-]sync`. */
function optionText(key: string, { short, hint, canNegate }: Option<unknown>): string {
  const name = canNegate ? `--[no-]${optionName(key).slice(2)}` : optionName(key);
  return `${short === undefined ? "    " : `-${short}, `}${name}${hint === undefined ? "" : ` ${hint}`}`;
}

function described({ summary, choices, preset, isRequired }: Option<unknown>): string {
  const notes = [
    ...(choices === undefined ? [] : [`one of ${choices.join(", ")}`]),
    ...(preset === undefined ? [] : [`default: ${preset === "," ? '","' : preset || '""'}`]),
    ...(isRequired ? ["required"] : []),
  ];
  return notes.length === 0 ? summary : `${summary} (${notes.join("; ")})`;
}

function titled(title: string, rows: readonly Row[], width: number): string[] {
  const left = Math.min(28, Math.max(0, ...rows.map(([name]) => name.length)));
  const indent = " ".repeat(left + 4);
  const lines = rows.flatMap(([name, text]) => {
    const [first = "", ...others] = wrapped(text, Math.max(30, width - indent.length));
    const begun =
      name.length > left ? [`  ${name}`, `${indent}${first}`] : [`  ${name.padEnd(left)}  ${first}`];
    return [...begun, ...others.map((line) => indent + line)];
  });
  return lines.length === 0 ? [] : [`${title}:`, ...lines];
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
