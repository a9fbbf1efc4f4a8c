/** Runs the command in this process, with streams in memory. */
import { Readable, Writable } from "node:stream";
import { type OutputStream, runCli } from "../src/index.js";

class Memory extends Writable {
  readonly isTTY: boolean;
  private readonly chunks: Buffer[] = [];

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString("utf8");
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.chunks.push(chunk);
    done();
  }
}

export interface RunOptions {
  readonly stdin?: string;
  readonly isTTY?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly stdout?: OutputStream;
}

export interface RunResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function run(args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const stdout = new Memory(options.isTTY ?? false);
  const stderr = new Memory(options.isTTY ?? false);
  const code = await runCli(args, {
    stdin: Readable.from([Buffer.from(options.stdin ?? "")]),
    stdout: options.stdout ?? stdout,
    stderr,
    env: options.env ?? {},
    signal: options.signal,
  });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** Standard output of a run that must succeed. */
export async function output(args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await run(args, options);
  if (code !== 0) {
    throw new Error(`cfile ${args.join(" ")} ended with ${code}: ${stderr}`);
  }
  return stdout;
}
