/**
 * A Java program, compiled on demand, that answers lines of text. Answers end with "OK" or "ERR
 * reason".
 */
import type { ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { runProcess, startProcess, stopProcess } from "./processes.js";

/** The folder of the drivers, which also has the configuration of HBase. */
export const SOURCES: string = fileURLToPath(new URL("../java/", import.meta.url));
/** Java modules that libraries access by reflection. */
const OPENED = [
  "java.lang",
  "java.lang.invoke",
  "java.io",
  "java.net",
  "java.nio",
  "java.util",
  "java.util.concurrent",
  "java.util.concurrent.atomic",
  "sun.nio.ch",
  "sun.util.calendar",
];
/** Arguments of `java`. */
export const OPENINGS: readonly string[] = OPENED.map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`);

const SHORT_LIVED = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"];

export interface JavaProgram {
  /** Class path of libraries. */
  readonly classPath: string;
  /** Name of the class and of its file. */
  readonly main: string;
  /** Output folder for its classes. */
  readonly classes: string;
  readonly heap?: string | undefined;
  /** Options of the virtual machine. Default: those of short programs. */
  readonly tuning?: readonly string[] | undefined;
  /** Folder for its temporary files. Default: that of the system. */
  readonly scratch?: string | undefined;
}

/** An answer of the driver other than "OK". */
export class DriverError extends Error {
  override readonly name = "DriverError";
}

/**
 * A driver with its classes in `folder`, compiled unless they exist.
 * @param sources the folder of its source
 */
export async function compiledDriver(
  folder: string,
  classPath: string,
  main: string,
  sources: string = SOURCES,
): Promise<JavaProgram> {
  const hash = createHash("sha256").update(classPath);
  for (const name of (await readdir(sources)).sort()) {
    hash.update(await readFile(join(sources, name)));
  }
  const classes = join(folder, `${main}-${hash.digest("hex").slice(0, 12)}`);
  if (!existsSync(classes)) {
    const half = `${classes}.${process.pid}`;
    await mkdir(half, { recursive: true });
    const options = ["-nowarn", "-proc:none", "-cp", classPath, "-sourcepath", sources, "-d", half];
    await runProcess("javac", [...options, join(sources, `${main}.java`)]);
    await rename(half, classes).catch(async (error: unknown) => {
      // Another process was faster.
      await rm(half, { recursive: true, force: true });
      if (!existsSync(classes)) {
        throw error;
      }
    });
  }
  return { classPath, main, classes };
}

export class JavaDriver {
  private readonly child: ChildProcess;
  private readonly waiting: {
    what: string;
    lines: string[];
    resolve: (lines: string[]) => void;
    reject: (e: Error) => void;
  }[] = [];
  private messages = "";
  private ended: Error | undefined;

  constructor(
    { classPath, main, classes, heap = "256m", tuning = SHORT_LIVED, scratch = tmpdir() }: JavaProgram,
    args: readonly string[] = [],
  ) {
    this.child = startProcess(
      "java",
      [
        `-Xmx${heap}`,
        `-Djava.io.tmpdir=${scratch}`,
        ...tuning,
        ...OPENINGS,
        "-cp",
        `${classes}:${classPath}`,
        main,
        ...args,
      ],
      { stdio: ["pipe", "pipe", "pipe"] },
    );
    this.child.stderr?.on("data", (data: Buffer) => {
      this.messages = (this.messages + data).slice(-4000);
    });
    if (this.child.stdout !== null) {
      createInterface({ input: this.child.stdout }).on("line", (line) => this.receive(line));
    }
    this.child.once("close", (code) =>
      this.fail(new DriverError(`${main} exited with ${code}: ${this.messages}`)),
    );
    this.child.once("error", (error) => this.fail(error));
    this.child.stdin?.on("error", () => undefined);
  }

  /**
   * Sends a command with the lines that belong to it, and returns the lines of the answer.
   * @throws DriverError with the driver's reason, or when the driver has exited
   */
  ask(command: readonly (string | number | bigint)[], lines: readonly string[] = []): Promise<string[]> {
    return new Promise((resolve, reject) => {
      if (this.ended !== undefined) {
        reject(this.ended);
        return;
      }
      this.waiting.push({ what: command.slice(0, 3).join(" "), lines: [], resolve, reject });
      this.child.stdin?.write(`${[command.join("\t"), ...lines].join("\n")}\n`);
    });
  }

  get isEnded(): boolean {
    return this.ended !== undefined;
  }

  async stop(): Promise<void> {
    this.child.stdin?.end();
    await stopProcess(this.child, "SIGKILL");
  }

  private receive(line: string): void {
    const [first] = this.waiting;
    if (first === undefined) {
      return;
    }
    if (line === "OK") {
      this.waiting.shift();
      first.resolve(first.lines);
    } else if (line.startsWith("ERR ")) {
      this.waiting.shift();
      first.reject(new DriverError(`${line.slice("ERR ".length)} (${first.what})`));
    } else {
      first.lines.push(line);
    }
  }

  private fail(error: Error): void {
    this.ended ??= error;
    for (const { reject } of this.waiting.splice(0)) {
      reject(error);
    }
  }
}
