/** The streams, sources and exit code of a command. The code of each kind of file is loaded when the first one is opened. */
import type { BloomFileReader } from "@cfile/bloomfile";
import type { DeltaFileReader } from "@cfile/deltafile/read";
import type { HFileReader } from "@cfile/hfile";
import type { ByteSource } from "@cfile/io";
import type { TabletReader } from "@cfile/rowset";
import type { TableStore } from "@cfile/rowset/store";
import type { CFileReader } from "cfile";
import { InputSources } from "../options/input-sources.js";
import { directoryAt, isRolesFile, tableFolder } from "../table-store/table-path.js";
import { combineExitCodes, EXIT, exitCodeOf } from "./exit-code.js";
import type { CliIo } from "./io.js";
import type { Options } from "./option.js";
import { errorLine } from "./output/error-text.js";
import { OutputClosed, TextOutput } from "./output/text-output.js";

/** The operations that read a table, wherever its files are. */
export type ReadTable = Pick<TabletReader, "schema" | "scan" | "get" | "diff" | "history"> &
  Pick<TableStore, "verify">;

interface Disposable {
  [Symbol.asyncDispose](): Promise<void>;
}

type Work<F, T> = (file: F) => Promise<T>;

export class CliContext {
  readonly io: CliIo;
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  readonly sources: InputSources;
  /** Whether errors are written as JSON. */
  readonly jsonErrors: boolean;
  /** Options of the running command. */
  options: Options = {};
  /** Exit code of the process. */
  exitCode: number = EXIT.ok;

  constructor(io: CliIo, jsonErrors: boolean) {
    this.io = io;
    this.sources = new InputSources(io.env);
    this.stdout = new TextOutput(io.stdout);
    this.stderr = new TextOutput(io.stderr);
    this.jsonErrors = jsonErrors;
  }

  /**
   * Opens the CFile at `path` for as long as `work` runs.
   *
   * @throws {CFileError} as `openCFile`; the message names the format of a file that is not a CFile
   */
  async withFile<T>(path: string, work: Work<CFileReader, T>): Promise<T> {
    const { openCFile } = await import("@cfile/format");
    const open = (source: ByteSource, options: { readonly signal: AbortSignal | undefined }) =>
      openCFile(source, options).catch(async (error: unknown) => {
        const { withFoundFormat } = await import("../files/file-kind.js");
        throw await withFoundFormat(error, source);
      });
    return this.using(path, open, work);
  }

  async withBloomFile<T>(path: string, work: Work<BloomFileReader, T>): Promise<T> {
    return this.using(path, (await import("@cfile/bloomfile")).openBloomFile, work);
  }

  async withDeltaFile<T>(path: string, work: Work<DeltaFileReader, T>): Promise<T> {
    return this.using(path, (await import("@cfile/deltafile/read")).openDeltaFile, work);
  }

  async withHFile<T>(path: string, work: Work<HFileReader, T>): Promise<T> {
    return this.using(path, (await import("@cfile/hfile")).openHFile, work);
  }

  /** Opens the table store in a directory. */
  async withTableStore<T>(
    path: string,
    work: Work<TableStore, T>,
    { sync }: { readonly sync?: boolean } = {},
  ): Promise<T> {
    const [{ fileDirectory }, { openTableStore }] = await Promise.all([
      import("@cfile/io/file"),
      import("@cfile/rowset/store"),
    ]);
    const { signal } = this.io;
    const folder = await tableFolder(path);
    await using table = await openTableStore(await fileDirectory(folder, { sync }), { signal }).catch(
      async (error: unknown) => {
        const { unknownDirectory } = await import("../files/file-kind.js");
        const isOther = exitCodeOf(error) === EXIT.io && (await directoryAt(path)) !== undefined;
        throw isOther ? await unknownDirectory(path, error) : error;
      },
    );
    return await work(table);
  }

  /** Opens the table store in a directory, or the DiskRowSets whose files a `.json` file lists, for reading. */
  async withTable<T>(path: string, work: Work<ReadTable, T>): Promise<T> {
    if (!isRolesFile(path)) {
      return this.withTableStore(path, work);
    }
    const { RoleTable } = await import("../table-store/row-set-roles.js");
    await using table = await RoleTable.open(path, (location) => this.sources.open(location));
    return await work(table);
  }

  /** Runs `work` for one path after the other; a failure is reported and does not stop the others. */
  async forEachPath(paths: readonly string[], work: (path: string) => Promise<number>): Promise<void> {
    const codes: number[] = [];
    for (const path of paths) {
      this.io.signal?.throwIfAborted();
      try {
        codes.push(await work(path));
      } catch (error) {
        const code = exitCodeOf(error);
        if (code === EXIT.interrupted || error instanceof OutputClosed) {
          throw error;
        }
        await this.reportError(error);
        codes.push(code);
      }
    }
    this.exitCode = combineExitCodes(codes);
  }

  async reportError(error: unknown): Promise<void> {
    await this.stderr.line(await errorLine(error, this.jsonErrors, this.options));
  }

  async reportErrors(errors: Iterable<unknown>): Promise<void> {
    for (const error of errors) {
      await this.reportError(error);
    }
  }

  private async using<F extends Disposable, T>(
    path: string,
    open: (source: ByteSource, options: { readonly signal: AbortSignal | undefined }) => Promise<F>,
    work: Work<F, T>,
  ): Promise<T> {
    const source = await this.sources.open(path);
    let file: F;
    try {
      file = await open(source, { signal: this.io.signal });
    } catch (error) {
      await source.close?.();
      throw error;
    }
    await using opened = file;
    return await work(opened);
  }
}
