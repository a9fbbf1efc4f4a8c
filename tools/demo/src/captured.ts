import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import type { CliIo } from "@cfile/cli";

/** Runs a command and returns what it wrote: standard output first, then messages. */
export async function captured(
  run: (io: CliIo) => Promise<number>,
): Promise<{ readonly exitCode: number; readonly output: string }> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const output = Promise.all([text(stdout), text(stderr)]);
  const env = { ...process.env, NO_COLOR: "1", COLUMNS: "90" };
  const exitCode = await run({ stdin: process.stdin, stdout, stderr, env });
  stdout.end();
  stderr.end();
  return { exitCode, output: (await output).join("").trimEnd() };
}
