/** Runs an example as a reader would, in a scratch folder that contains the `fixtures` of the repository. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

export interface ExampleResult {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** The folder in which the examples of one page run, in sequence. */
export class ScratchFolder {
  readonly path: string = mkdtempSync(join(tmpdir(), "cfile-readme-"));
  private readonly bin: string = join(this.path, ".bin");

  /** `root` is the root folder of the repository. */
  constructor(root: string) {
    symlinkSync(join(root, "fixtures"), join(this.path, "fixtures"));
    mkdirSync(this.bin);
    const shim = join(this.bin, "cfile");
    writeFileSync(
      shim,
      `#!/bin/sh\nexec "${process.execPath}" "${join(root, "packages/cli/dist/bundle/cfile.js")}" "$@"\n`,
    );
    chmodSync(shim, 0o755);
  }

  /**
   * Runs an ES module. Its imports are resolved as if the file were in `folder`.
   *
   * @param others code of other modules in the same folder, by file name
   */
  runModule(code: string, folder: string, others: ReadonlyMap<string, string>): ExampleResult {
    const file = join(mkdtempSync(join(folder, ".readme-example-")), "example.mjs");
    try {
      writeFileSync(file, code);
      for (const [name, other] of others) {
        writeFileSync(join(file, "..", name), other);
      }
      return this.run(process.execPath, [file], "");
    } finally {
      rmSync(join(file, ".."), { recursive: true, force: true });
    }
  }

  /** Runs shell commands with `cfile` on PATH. A leading `$ ` is removed from each command. */
  runShell(commands: string): ExampleResult {
    return this.run("sh", ["-e"], commands.replace(/^\$ /gm, ""));
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  private run(command: string, args: string[], input: string): ExampleResult {
    return spawnSync(command, args, {
      cwd: this.path,
      encoding: "utf8",
      input,
      timeout: 60_000,
      env: {
        ...process.env,
        PATH: `${this.bin}${delimiter}${process.env["PATH"] ?? ""}`,
        NO_COLOR: "1",
        COLUMNS: "100",
        NODE_OPTIONS: "",
      },
    });
  }
}
