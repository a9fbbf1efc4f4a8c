/** Runs splits one after the other, each to its own file; a failure is reported, and the next split runs. */
import { isCFileError } from "@cfile/bytes";
import type { ByteSource } from "@cfile/io";
import type { KuduDir } from "@cfile/kudu-dir";
import type { Split } from "@cfile/splits";
import { parseSplit } from "@cfile/splits";
import type { Recovered } from "@cfile/splits/run";
import { isRetryable, runSplit, splitFileName } from "@cfile/splits/run";
import type { CliContext } from "../program/context.js";
import { EXIT, exitCodeOf } from "../program/exit-code.js";
import { OutputClosed } from "../program/text-output.js";
import { accountJson } from "./account-json.js";
import type { AllowedRoots } from "./allowed-roots.js";
import type { InputLine } from "./input-lines.js";
import { removeLeftOvers, splitTarget } from "./split-target.js";

export interface WorkerSettings {
  readonly output: string;
  /** Default: everything may be read. */
  readonly roots: AllowedRoots | undefined;
  readonly recover: boolean;
  readonly serverKey: string | undefined;
}

/** A line of the output, and its exit code. */
export interface SplitAnswer {
  readonly json: Readonly<Record<string, unknown>>;
  readonly exitCode: number;
}

export class SplitWorker {
  private readonly context: CliContext;
  private readonly settings: WorkerSettings;
  /** The directories of the last split; the next one usually has the same. */
  private opened: { readonly key: string; readonly dir: KuduDir } | undefined;

  constructor(context: CliContext, settings: WorkerSettings) {
    this.context = context;
    this.settings = settings;
  }

  /** @throws only what interrupts the command */
  async run({ number, text }: InputLine): Promise<SplitAnswer> {
    const begun = performance.now();
    let split: Split | undefined;
    try {
      if (typeof text !== "string") {
        throw text;
      }
      split = await parseSplit(text, `line ${number}`);
      return await this.runSplit(split, begun);
    } catch (error) {
      const exitCode = exitCodeOf(error);
      if (exitCode === EXIT.interrupted || error instanceof OutputClosed) {
        throw error;
      }
      const id = split?.id ?? statedId(text);
      return {
        json: { id, line: number, error: errorJson(error), retryable: isRetryable(error) },
        exitCode,
      };
    }
  }

  async close(): Promise<void> {
    const { opened } = this;
    this.opened = undefined;
    await opened?.dir.close();
  }

  private async runSplit(split: Split, begun: number): Promise<SplitAnswer> {
    const { output, roots, recover } = this.settings;
    const { sources, io } = this.context;
    const open = async (location: string): Promise<ByteSource> => {
      await roots?.require(location);
      return sources.openAnew(location);
    };
    const file = splitFileName(split);
    const dir =
      split.kind === "kudu" || split.kind === "tablet" ? await this.directory(split.dirs ?? []) : undefined;
    const { rows, bytes, recovered, rowsLost } = await runSplit(split, () => splitTarget(output, file), {
      open,
      dir,
      recover,
      signal: io.signal,
    });
    await removeLeftOvers(output, file);
    const seconds = Math.round(performance.now() - begun) / 1000;
    const json = {
      id: split.id,
      file,
      rows,
      bytes,
      seconds,
      recovered: recovered.map(recoveredJson),
      rowsLost,
    };
    return { json, exitCode: rowsLost > 0 ? EXIT.corrupt : EXIT.ok };
  }

  private async directory(dirs: readonly string[]): Promise<KuduDir> {
    for (const dir of dirs) {
      await this.settings.roots?.require(dir);
    }
    const key = JSON.stringify(dirs);
    if (this.opened?.key !== key) {
      await this.close();
      const { openKuduDir } = await import("@cfile/kudu-dir");
      const dir = await openKuduDir(dirs, { serverKey: this.settings.serverKey });
      this.opened = { key, dir };
    }
    return this.opened.dir;
  }
}

function recoveredJson(recovered: Recovered): Readonly<Record<string, unknown>> {
  if (recovered.kind === "row set") {
    return { tablet: recovered.tablet, ...accountJson(recovered.account) };
  }
  const { path, column, ledger, problem } = recovered;
  return { path, column, rows_lost: ledger?.rowsLost, ledger, problem: problem && errorJson(problem) };
}

function errorJson(error: unknown): Readonly<Record<string, unknown>> {
  if (isCFileError(error)) {
    const { name: _, ...rest } = error.toJSON();
    return rest;
  }
  return { code: "E_FAILURE", message: error instanceof Error ? error.message : String(error) };
}

/** The id in a line that is not a valid split, if it has one. */
function statedId(text: InputLine["text"]): string | null {
  return typeof text === "string"
    ? (/"id"\s*:\s*"([0-9a-f]{32})"/.exec(text.slice(0, 1024))?.[1] ?? null)
    : null;
}
