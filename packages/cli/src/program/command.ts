/** The definition of a command: all that help, completion and the reference on the site show, and its code. */
import type { CliContext } from "./context.js";
import { type Options, optionName, type Values } from "./option.js";

/** The values of each option and argument on the command line. */
export type Given = ReadonlyMap<string, readonly (string | boolean)[]>;

export type Examples = readonly (readonly [what: string, command: string])[];

/** One command: its texts, arguments and options, and what it does. */
export interface Command {
  /** A paragraph after the summary. */
  readonly about?: string | undefined;
  readonly args: Options;
  readonly options: Options;
  readonly examples: Examples;
  /** Runs the command. Throws `UsageError` for text that is not a value of its option. */
  readonly run: (context: CliContext, given: Given) => Promise<void>;
}

/** A command, which is loaded lazily, or a group of commands. */
export interface CommandEntry {
  /** Imperative, under 60 characters, without a full stop. */
  readonly summary: string;
  readonly about?: string;
  readonly examples?: Examples;
  /** Other names, which help does not show. */
  readonly aliases?: readonly string[];
  /** Loads a command; groups have none. */
  readonly load?: () => Promise<Command>;
  readonly commands?: Readonly<Record<string, CommandEntry>>;
}

/** @param spec `run` takes the values of arguments and options by their keys */
export function command<A extends Options, O extends Options>(
  spec: Omit<Command, "args" | "options" | "run"> & {
    readonly args: A;
    readonly options: O;
    readonly run: (context: CliContext, values: Values<A> & Values<O>) => Promise<void>;
  },
): Command {
  return {
    ...spec,
    run: (context, given) =>
      spec.run(context, {
        ...valuesOf(spec.args, given, argumentName),
        ...valuesOf(spec.options, given, optionName),
      }),
  };
}

function valuesOf<O extends Options>(
  options: O,
  given: Given,
  nameOf: (key: string, option: Options[string]) => string,
): Values<O> {
  return Object.fromEntries(
    Object.entries(options).map(([key, option]) => [
      key,
      option.read(nameOf(key, option), given.get(key) ?? []),
    ]),
  ) as Values<O>;
}

/** `<file>`, `<files..>`, or in brackets when it is optional. */
export function argumentName(key: string, { isList, isRequired }: Options[string]): string {
  const name = key + (isList ? ".." : "");
  return isRequired ? `<${name}>` : `[${name}]`;
}
