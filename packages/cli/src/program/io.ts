/** The streams of the command; tests and other programs pass their own. */
import type { Readable, Writable } from "node:stream";

/** A Node stream, which may be a terminal with a number of columns. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** The streams and the environment that a command line runs in. */
export interface CliIo {
  readonly stdin: Readable;
  /** Results. */
  readonly stdout: OutputStream;
  /** Messages and progress. */
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts the command; incomplete files are removed. */
  readonly signal?: AbortSignal | undefined;
}

/** The process's own streams and environment. */
export function processIo(signal?: AbortSignal): CliIo {
  return { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: process.env, signal };
}

const DEFAULT_WIDTH = 80;

/** Columns of the terminal, else of `COLUMNS`, else 80. */
export function widthOf({ stdout, env }: CliIo): number {
  const stated = Number(env["COLUMNS"]);
  return stdout.columns ?? (Number.isInteger(stated) && stated >= 20 ? stated : DEFAULT_WIDTH);
}
