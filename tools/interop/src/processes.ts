/** Child processes that never outlive this process, and temporary folders that it always removes. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { connect, createServer } from "node:net";

const running = new Set<ChildProcess>();
const leftovers = new Set<string>();
let isWatching = false;
const MIN_PORT = 11_000;
const MAX_PORT = 32_000;

/** Starts a process; it is killed when this process ends for any reason. */
export function startProcess(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  watch();
  const child = spawn(command, args, options);
  running.add(child);
  child.once("exit", () => running.delete(child));
  child.once("error", () => running.delete(child));
  return child;
}

/** Runs a process to its end and returns its output. Errors contain its standard error. */
export async function runProcess(
  command: string,
  args: readonly string[],
  options: Omit<SpawnOptions, "stdio"> = {},
): Promise<string> {
  const child = startProcess(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const output: Buffer[] = [];
  const messages: Buffer[] = [];
  child.stdout?.on("data", (data: Buffer) => output.push(data));
  child.stderr?.on("data", (data: Buffer) => messages.push(data));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const text = Buffer.concat(output).toString();
  if (code !== 0) {
    const said = `${Buffer.concat(messages)}${text}`.slice(-2000);
    throw new ProcessError(`${command} ${args.slice(0, 3).join(" ")} exited with ${code}: ${said}`);
  }
  return text;
}

export class ProcessError extends Error {
  override readonly name = "ProcessError";
}

/** Stops a process with a signal and waits for its end. */
export async function stopProcess(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return;
  }
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill(signal);
  const harder = setTimeout(() => child.kill("SIGKILL"), 20_000);
  await ended;
  clearTimeout(harder);
}

/** Free ports of the loopback interface, outside the range of ephemeral ports. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = MIN_PORT + Math.floor(Math.random() * (MAX_PORT - MIN_PORT));
    if (!ports.includes(port) && (await isFree(port))) {
      ports.push(port);
    }
  }
  return ports;
}

/** Whether a process accepts connections at a port of the loopback interface. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listens = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
  if (listens) {
    await new Promise((resolve) => server.close(resolve));
  }
  return listens;
}

/**
 * Removes a folder when this process ends for any reason.
 * @returns a function that cancels the removal
 */
export function removedAtEnd(folder: string): () => void {
  watch();
  leftovers.add(folder);
  return () => void leftovers.delete(folder);
}

function watch(): void {
  if (isWatching) {
    return;
  }
  isWatching = true;
  process.once("exit", () => {
    for (const child of running) {
      child.kill("SIGKILL");
    }
    // A killed process may still write for a moment.
    for (const folder of leftovers) {
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    }
  });
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const) {
    process.once(signal, () => process.exit(code));
  }
}
