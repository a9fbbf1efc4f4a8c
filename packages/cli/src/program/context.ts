/** What every command works with. The code of each kind of file is loaded when one is opened: commands start sooner. */
import type { BloomFileReader } from "@cfile/bloomfile";
import type { DeltaFileReader } from "@cfile/deltafile/read";
import type { HFileReader } from "@cfile/hfile";
import type { ByteSource } from "@cfile/io";
import type { TabletReader } from "@cfile/rowset";
import type { TableStore } from "@cfile/rowset/store";
import type { CFileReader } from "cfile";
import { InputSources } from "../options/input-sources.js";
import { isRolesFile, requiredRowSetFolder } from "../table-store/row-set-path.js";
import { combineExitCodes, EXIT, exitCodeOf } from "./exit-code.js";
import type { CliIo } from "./io.js";
import { errorLine } from "./report-error.js";
import { OutputClosed, TextOutput } from "./text-output.js";

/** What row sets can be asked, wherever their files are. */
export type ReadTable = Pick<TabletReader, "schema" | "scan" | "get" | "diff" | "history"> &
  Pick<TableStore, "verify">;

export class CliContext {
  readonly io: CliIo;
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  readonly sources: InputSources;
  /** Whether errors are written as JSON. */
  readonly jsonErrors: boolean;
  /** What the process is to end with. */
  exitCode: number = EXIT.ok;

  constructor(io: CliIo, jsonErrors: boolean) {
    this.io = io;
    this.sources = new InputSources(io.env);
    this.stdout = new TextOutput(io.stdout);
    this.stderr = new TextOutput(io.stderr);
    this.jsonErrors = jsonErrors;
  }

  /** Opens `path` for as long as `work` runs. */
  async withFile<T>(path: string, work: (file: CFileReader) => Promise<T>): Promise<T> {
    const { signal } = this.io;
    const { openCFile } = await import("cfile");
    await using file = await this.opened(path, (source) => openCFile(source, { signal }));
    return await work(file);
  }

  /** The same with a Bloom file. */
  async withBloomFile<T>(path: string, work: (file: BloomFileReader) => Promise<T>): Promise<T> {
    const { signal } = this.io;
    const { openBloomFile } = await import("@cfile/bloomfile");
    await using file = await this.opened(path, (source) => openBloomFile(source, { signal }));
    return await work(file);
  }

  /** The same with a delta file. */
  async withDeltaFile<T>(path: string, work: (file: DeltaFileReader) => Promise<T>): Promise<T> {
    const { signal } = this.io;
    const { openDeltaFile } = await import("@cfile/deltafile/read");
    await using file = await this.opened(path, (source) => openDeltaFile(source, { signal }));
    return await work(file);
  }

  /** The same with an HFile. */
  async withHFile<T>(path: string, work: (file: HFileReader) => Promise<T>): Promise<T> {
    const { signal } = this.io;
    const { openHFile } = await import("@cfile/hfile");
    await using file = await this.opened(path, (source) => openHFile(source, { signal }));
    return await work(file);
  }

  /** Whether a path leads to an HFile; what cannot be read is none, and its opening tells why. */
  async isHFile(path: string): Promise<boolean> {
    const { signal } = this.io;
    const { isHFile } = await import("@cfile/hfile");
    try {
      const source = await this.sources.probe(path);
      try {
        return await isHFile(source, { signal });
      } finally {
        await source.close?.();
      }
    } catch {
      signal?.throwIfAborted();
      return false;
    }
  }

  /** The same with the row set in a folder. */
  async withRowSet<T>(
    folder: string,
    work: (rowSet: TableStore) => Promise<T>,
    { sync }: { readonly sync?: boolean } = {},
  ): Promise<T> {
    const [{ fileDirectory }, { openTableStore }] = await Promise.all([
      import("@cfile/io/file"),
      import("@cfile/rowset/store"),
    ]);
    await using rowSet = await openTableStore(await fileDirectory(folder, { sync }), {
      signal: this.io.signal,
    });
    return await work(rowSet);
  }

  /** The same with the row set in a folder, or with those whose files a `.json` file names, to be read only. */
  async withTable<T>(path: string, work: (table: ReadTable) => Promise<T>): Promise<T> {
    if (!isRolesFile(path)) {
      return this.withRowSet(await requiredRowSetFolder(path), work);
    }
    const { RoleTable } = await import("../table-store/row-set-roles.js");
    await using table = await RoleTable.open(path, (location) => this.sources.open(location));
    return await work(table);
  }

  /** Runs `work` for one path after the other; a failure is told and does not keep the others from their turn. */
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

  reportError(error: unknown): Promise<void> {
    return this.stderr.line(errorLine(error, this.jsonErrors));
  }

  private async opened<T>(path: string, open: (source: ByteSource) => Promise<T>): Promise<T> {
    const source = await this.sources.open(path);
    try {
      return await open(source);
    } catch (error) {
      await source.close?.();
      throw error;
    }
  }
}
