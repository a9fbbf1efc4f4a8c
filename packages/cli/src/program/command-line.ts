/** Parses a command line: the command that it names, and the values of its options and arguments. */
import { parseArgs } from "node:util";
import { SOURCE_OPTIONS } from "../options/input-sources.js";
import { argumentName, type Command, type CommandEntry, type Given } from "./command.js";
import { COMMANDS } from "./commands.js";
import { UsageError } from "./exit-code.js";
import { flag, type Option, type Options, optionName, withShort } from "./option.js";

/** Options of every command. */
export const GLOBAL_OPTIONS = {
  ...SOURCE_OPTIONS,
  help: withShort("h", flag("show help")),
  version: flag("show the version"),
};

export interface FoundCommand {
  /** `cfile kudu scan`. */
  readonly name: string;
  readonly entry: CommandEntry;
  /** The command line without the words of the name. */
  readonly rest: readonly string[];
}

/** @throws UsageError for an unknown command, naming the nearest one */
export function findCommand(args: readonly string[]): FoundCommand {
  let entry: CommandEntry = COMMANDS;
  let name = "cfile";
  const words = new Set<number>();
  for (const token of tokensOf(args, GLOBAL_OPTIONS)) {
    const { commands } = entry;
    if (commands === undefined || token.kind === "option-terminator") {
      break;
    }
    if (token.kind === "positional") {
      const [word, next] =
        Object.entries(commands).find(([key, { aliases = [] }]) => [key, ...aliases].includes(token.value)) ??
        [];
      if (next === undefined) {
        const hint = nearest(token.value, Object.keys(commands)) ?? `"${name} --help" lists the commands`;
        throw new UsageError(`unknown command: "${token.value}" (${hint})`);
      }
      entry = next;
      name += ` ${word}`;
      words.add(token.index);
    }
  }
  return { name, entry, rest: args.filter((_, i) => !words.has(i)) };
}

/**
 * The values that the words give to the options and arguments of a command, and to global options.
 *
 * @throws UsageError for unknown options, options without their value, and extra arguments
 */
export function readWords({ name, rest }: FoundCommand, { args, options }: Command): Given {
  const known: Options = { ...GLOBAL_OPTIONS, ...options };
  const byName = new Map(Object.keys(known).map((key) => [optionName(key).slice(2), key]));
  const given = new Map<string, (string | boolean)[]>();
  const texts: string[] = [];
  let negativeNumber = -1;
  for (const token of tokensOf(rest, known)) {
    if (token.kind === "positional") {
      texts.push(token.value);
    } else if (token.kind === "option" && token.index !== negativeNumber) {
      const isNegated = token.name.startsWith("no-") && !byName.has(token.name);
      const key = byName.get(isNegated ? token.name.slice(3) : token.name);
      const option = key === undefined ? undefined : known[key];
      const word = rest[token.index] ?? "";
      if (/^-\.?\d/.test(word)) {
        texts.push(word);
        negativeNumber = token.index;
      } else if (key === undefined || option === undefined || (isNegated && option.canNegate !== true)) {
        throw unknownOption(token.rawName, [...byName.keys()]);
      } else {
        given.set(key, [...(given.get(key) ?? []), optionValue(option, token, !isNegated)]);
      }
    }
  }
  for (const [key, found] of assigned(args, texts, name)) {
    given.set(key, found);
  }
  return given;
}

type Token = ReturnType<typeof tokensOf>[number];

function tokensOf(args: readonly string[], options: Options) {
  const types = Object.entries(options).map(
    ([key, { hint, short }]): [string, { type: "boolean" | "string"; short?: string }] => [
      optionName(key).slice(2),
      { type: hint === undefined ? "boolean" : "string", ...(short && { short }) },
    ],
  );
  return parseArgs({
    args: [...args],
    options: Object.fromEntries(types),
    strict: false,
    tokens: true,
  }).tokens;
}

function optionValue(
  { hint }: Option<unknown>,
  token: Extract<Token, { kind: "option" }>,
  isOn: boolean,
): string | boolean {
  if (hint === undefined && token.value !== undefined) {
    throw new UsageError(`${token.rawName} takes no value (found "${token.value}")`);
  }
  if (hint !== undefined && token.value === undefined) {
    throw new UsageError(`missing value: ${token.rawName} ${hint}`);
  }
  return token.value ?? isOn;
}

/** Arguments in order; a list takes all texts except those that required arguments after it need. */
function assigned(args: Options, texts: readonly string[], name: string): [string, string[]][] {
  const entries = Object.entries(args);
  let at = 0;
  const found = entries.map(([key, { isList }], i): [string, string[]] => {
    const after = entries.slice(i + 1).filter(([, other]) => other.isRequired).length;
    const count = isList ? Math.max(0, texts.length - at - after) : 1;
    at += count;
    return [key, texts.slice(at - count, at)];
  });
  const extra = texts[at];
  if (extra !== undefined) {
    throw new UsageError(`unexpected argument: "${extra}" (usage: ${usageOf(name, args)})`);
  }
  return found;
}

/** `cfile get <file>`. */
export function usageOf(name: string, args: Options): string {
  return [name, ...Object.entries(args).map(([key, option]) => argumentName(key, option))].join(" ");
}

function unknownOption(name: string, known: readonly string[]): UsageError {
  const hint = nearest(name.replace(/^-+/, ""), known, "--");
  return new UsageError(`unknown option: ${name}${hint === undefined ? "" : ` (${hint})`}`);
}

/** `did you mean "inspect"?` if at most a third of the letters differ. */
function nearest(word: string, names: readonly string[], prefix = ""): string | undefined {
  const [best] = names
    .map((name) => ({ name, distance: editDistance(word.slice(0, 40), name) }))
    .sort((a, b) => a.distance - b.distance);
  return best !== undefined && best.distance <= Math.max(1, word.length / 3)
    ? `did you mean "${prefix}${best.name}"?`
    : undefined;
}

/** The number of letters to insert, remove or replace. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
