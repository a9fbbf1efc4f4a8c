/** Runs the `cfile` command in this process. */
import { Writable } from "node:stream";
import { processIo, runCli } from "@cfile/cli";
import { ProcessError } from "../processes.js";

/**
 * @returns the output of the command
 * @throws ProcessError with the output when it fails
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
    throw new ProcessError(`cfile ${args.join(" ")} exited with ${code}: ${said.join("")}`);
  }
  return said.join("");
}
