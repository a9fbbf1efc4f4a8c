/** Our own command line, run in this process. */
import { Writable } from "node:stream";
import { processIo, runCli } from "@cfile/cli";
import { ProcessError } from "../processes.js";

/**
 * @returns what the command said
 * @throws ProcessError with that when it fails
 */
export async function cfileOutput(args: readonly string[]): Promise<string> {
  const said: string[] = [];
  const output = (): Writable =>
    new Writable({
      write(chunk, _encoding, done) {
        said.push(String(chunk));
        done();
      },
    });
  const code = await runCli(args, { ...processIo(), stdout: output(), stderr: output() });
  if (code !== 0) {
    throw new ProcessError(`cfile ${args.join(" ")} ended with ${code}: ${said.join("")}`);
  }
  return said.join("");
}
