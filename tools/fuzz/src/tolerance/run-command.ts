/** Runs a command line of `cfile` in this process. */
import { Readable, Writable } from "node:stream";
import { runCli } from "@cfile/cli";

/** @param input the text of stdin */
export async function runCommand(
  args: readonly string[],
  input = "",
): Promise<{ readonly code: number; readonly stdout: string }> {
  const chunks: Buffer[] = [];
  const stdout = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  const stderr = new Writable({ write: (_chunk, _encoding, done) => done() });
  const stdin = Readable.from(input === "" ? [] : [input]);
  const code = await runCli(args, {
    stdin,
    stdout: Object.assign(stdout, { isTTY: false }),
    stderr: Object.assign(stderr, { isTTY: false }),
    env: {},
  });
  return { code, stdout: Buffer.concat(chunks).toString("utf8") };
}
