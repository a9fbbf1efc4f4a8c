/** Colours, or their absence. */
import { styleText } from "node:util";
import type { CliIo } from "./io.js";

type Format = Parameters<typeof styleText>[0];

/** Gives the text a look where colours are on, and leaves it alone where they are off. */
export type Style = (format: Format, text: string) => string;

const plain: Style = (_format, text) => text;
const coloured: Style = (format, text) =>
  text === "" ? "" : styleText(format, text, { validateStream: false });

/**
 * `choice` is what the command line says. Without it NO_COLOR turns colours off, FORCE_COLOR on, and else a terminal
 * has them.
 */
export function makeStyle(
  { stdout, env }: Pick<CliIo, "stdout" | "env">,
  choice?: boolean | undefined,
): Style {
  return (choice ?? colourByDefault(stdout.isTTY === true, env)) ? coloured : plain;
}

function colourByDefault(isTerminal: boolean, env: CliIo["env"]): boolean {
  if (env["NO_COLOR"]) {
    return false;
  }
  const forced = env["FORCE_COLOR"];
  return forced ? forced !== "0" : isTerminal && env["TERM"] !== "dumb";
}
