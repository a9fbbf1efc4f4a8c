/** Colors of the output. */
import { styleText } from "node:util";
import type { CliIo } from "../io.js";

type Format = Parameters<typeof styleText>[0];

/** Formats the text if colors are on; otherwise returns it unchanged. */
export type Style = (format: Format, text: string) => string;

const plain: Style = (_format, text) => text;
const colored: Style = (format, text) =>
  text === "" ? "" : styleText(format, text, { validateStream: false });

/** @param choice of the command line; default: NO_COLOR turns colors off, FORCE_COLOR turns them on, else they are on in a terminal */
export function makeStyle(
  { stdout, env }: Pick<CliIo, "stdout" | "env">,
  choice?: boolean | undefined,
): Style {
  return (choice ?? colorByDefault(stdout.isTTY === true, env)) ? colored : plain;
}

function colorByDefault(isTerminal: boolean, env: CliIo["env"]): boolean {
  if (env["NO_COLOR"]) {
    return false;
  }
  const forced = env["FORCE_COLOR"];
  return forced ? forced !== "0" : isTerminal && env["TERM"] !== "dumb";
}
