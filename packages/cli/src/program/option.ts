/** Options and arguments: how help shows them, and how their text becomes a value. */
import { UsageError } from "./exit-code.js";

/** One option or argument. */
export interface Option<T> {
  /** Placeholder for the value in help, like `N`; absent for flags. */
  readonly hint?: string | undefined;
  /** A phrase that starts in lower case. */
  readonly summary: string;
  /** One letter. */
  readonly short?: string | undefined;
  readonly choices?: readonly string[] | undefined;
  /** Default, as it would be typed or as a phrase. */
  readonly preset?: string | undefined;
  /** Whether it may be given more than once. */
  readonly isList?: boolean;
  readonly isRequired?: boolean;
  /** Whether `--no-NAME` is meaningful. */
  readonly canNegate?: boolean;
  /**
   * @param name for messages: `--limit`, `<file>`
   * @param given values on the command line, in order
   * @throws UsageError for text that is not a value of the option
   */
  readonly read: (name: string, given: Given) => T;
}

/** Options by the name of their value: `asOf` is `--as-of`. */
export type Options = Readonly<Record<string, Option<unknown>>>;

export type Values<O extends Options> = {
  readonly [K in keyof O]: O[K] extends Option<infer T> ? T : never;
};

type Parse<T> = (name: string, text: string) => T;
type Given = readonly (string | boolean)[];

/** Makes an error like `invalid --limit: "x" (must be an integer >= 0)`. */
export function invalidValue(name: string, text: string, expected: string): UsageError {
  return new UsageError(`invalid ${name}: ${JSON.stringify(text)} (${expected})`);
}

function only(name: string, given: Given): string | undefined {
  if (given.length > 1) {
    throw new UsageError(`${name} is given more than once`);
  }
  return given.length === 0 ? undefined : String(given[0]);
}

export function flag(summary: string): Option<boolean> {
  return { summary, read: (_, given) => given.at(-1) === true };
}

/** A flag that `--no-NAME` turns off; `undefined` when the command line does not have it. */
export function toggle(summary: string, preset?: string): Option<boolean | undefined> {
  const read = (_: string, given: Given) => (given.length === 0 ? undefined : given.at(-1) === true);
  return { summary, preset, canNegate: true, read };
}

/** @param preset describes what happens without the option */
export function value<T>(
  hint: string,
  summary: string,
  parse: Parse<T>,
  preset?: string,
): Option<T | undefined> {
  return {
    hint,
    summary,
    preset,
    read: (name, given) => {
      const text = only(name, given);
      return text === undefined ? undefined : parse(name, text);
    },
  };
}

export function text(hint: string, summary: string, preset?: string): Option<string | undefined> {
  return value(hint, summary, (_, given) => given, preset);
}

export function choice<const C extends string>(
  summary: string,
  choices: readonly C[],
  preset?: string,
): Option<C | undefined> {
  const parse = (name: string, given: string): C => {
    const found = choices.find((one) => one === given);
    if (found === undefined) {
      throw invalidValue(name, given, `must be one of ${choices.join(", ")}`);
    }
    return found;
  };
  return { ...value("NAME", summary, parse, preset), choices };
}

export function list(hint: string, summary: string): Option<readonly string[]> {
  return { hint, summary, isList: true, read: (_, given) => given.map(String) };
}

/** The option with a default, which is parsed like a value on the command line. */
export function withDefault<T>(option: Option<T | undefined>, preset: string): Option<T> {
  const { read } = required(option);
  return { ...option, preset, read: (name, given) => read(name, given.length === 0 ? [preset] : given) };
}

export function withShort<T>(short: string, option: Option<T>): Option<T> {
  return { ...option, short };
}

export function required<T>(option: Option<T | undefined>): Option<T> {
  const read = (name: string, given: Given): T => {
    const found = given.length === 0 ? undefined : option.read(name, given);
    if (found === undefined) {
      throw new UsageError(`missing ${name.startsWith("-") ? "option" : "argument"}: ${name}`);
    }
    return found;
  };
  return { ...option, isRequired: true, read };
}

/** @throws UsageError when more than one of the values, by option, is given */
export function exclusive(values: Readonly<Record<string, unknown>>): void {
  const given = Object.entries(values).filter(([, one]) => one !== undefined && one !== false);
  if (given.length > 1) {
    throw new UsageError(`${given.map(([name]) => name).join(" and ")} exclude each other`);
  }
}

/** `asOf` is `--as-of`. */
export function optionName(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
