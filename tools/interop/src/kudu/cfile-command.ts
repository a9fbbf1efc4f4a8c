/** Runs the `cfile` command in this process. */
import { Readable, Writable } from "node:stream";
import { processIo, runCli } from "@cfile/cli";
import { ProcessError } from "../processes.js";

/**
 * @param input stdin of the command
 * @returns the output of the command
 * @throws ProcessError with the output when it fails
 */
export async function cfileOutput(args: readonly string[], input?: Uint8Array): Promise<string> {
  const { code, output, messages } = await cfileAnswer(args, input);
  if (code !== 0) {
    throw new ProcessError(`cfile ${args.join(" ")} exited with ${code}: ${messages}${output}`);
  }
  return `${output}${messages}`;
}

/** The exit code, and what the command wrote to stdout and stderr. */
export async function cfileAnswer(
  args: readonly string[],
  input?: Uint8Array,
): Promise<{ readonly code: number; readonly output: string; readonly messages: string }> {
  const sink = (said: string[]): Writable =>
    new Writable({
      write(chunk, _encoding, done) {
        said.push(String(chunk));
        done();
      },
    });
  const [output, messages]: [string[], string[]] = [[], []];
  const code = await runCli(args, {
    ...processIo(),
    ...(input === undefined ? {} : { stdin: Readable.from([input]) }),
    ...{ stdout: sink(output), stderr: sink(messages) },
  });
  return { code, output: output.join(""), messages: messages.join("") };
}
