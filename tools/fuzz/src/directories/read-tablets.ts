/** Reads all tablets of a server's directories, each row as a line of text. */
import { isCFileError } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import { type FileTree, memorySource, memoryTree, treeOfPaths } from "@cfile/io";
import { type KuduDir, type KuduTablet, openKuduDir } from "@cfile/kudu-dir";
import type { RowSetAccount } from "@cfile/kudu-dir/recover";
import type { DirectoryFiles, LogEntries } from "./damage-files.js";
import { ReadRanges } from "./read-ranges.js";

const SERVER = "server";

/** The rows of a tablet, or why it cannot be read. */
export type ReadRows = readonly string[] | { readonly refused: string };

/** Rows that were recovered from a damaged tablet, and the accounts of its damaged row sets. */
interface RecoveredRows {
  readonly rows: readonly string[];
  readonly accounts: readonly RowSetAccount[];
}

interface ToleratedRows {
  readonly rows: readonly string[];
  /** Number of omitted row sets. */
  readonly leftOut: number;
}

export interface ReadTablet {
  readonly stored: ReadRows;
  readonly withLog: ReadRows;
  /** Whether the log is known to end within an entry. */
  readonly isTorn?: boolean | undefined;
  /** Rows without the row sets that cannot be opened. Read only if `stored` cannot be. */
  readonly tolerated?: ToleratedRows | { readonly refused: string } | undefined;
  /** Read only if `stored` cannot be. */
  readonly recovered?: RecoveredRows | { readonly refused: string } | undefined;
}

/** An undamaged tablet, and the bytes that are read for it after the directories are open. */
export interface TabletReading extends ReadTablet {
  readonly reads: ReadRanges;
}

/**
 * Tablets by ID. A tablet whose superblock cannot be read is refused.
 *
 * @param known results of tablets that are not read
 * @throws {CFileError} if the directories cannot be opened
 */
export async function readTablets(
  files: DirectoryFiles,
  known: ReadonlyMap<string, ReadTablet> = new Map(),
): Promise<ReadonlyMap<string, ReadTablet>> {
  await using dir = await openKuduDir([memoryTree(files, SERVER)]);
  const found = new Map<string, ReadTablet>();
  for (const tablet of await dir.tablets()) {
    if (tablet.state === "ready") {
      found.set(tablet.id, known.get(tablet.id) ?? (await readTablet(tablet)));
    }
  }
  for (const { id, refused } of await damagedOf(dir)) {
    found.set(id, { stored: { refused }, withLog: { refused } });
  }
  return found;
}

/** Tablets by ID, each read separately from directories that are opened for it. */
export async function readEachTablet(files: DirectoryFiles): Promise<ReadonlyMap<string, TabletReading>> {
  const found = new Map<string, TabletReading>();
  await using all = await openKuduDir([memoryTree(files, SERVER)]);
  for (const { id, state } of await all.tablets()) {
    if (state === "ready") {
      const reads = new ReadRanges();
      await using dir = await openKuduDir([watchedTree(files, reads)]);
      const tablet = await dir.tablet(id);
      reads.clear();
      found.set(id, { ...(await readTablet(tablet)), reads });
    }
  }
  return found;
}

/** Offsets of the entries of undamaged logs; encrypted logs are decrypted. */
export async function findLogEntries(files: DirectoryFiles): Promise<LogEntries> {
  const found = new Map<string, readonly number[]>();
  await using dir = await openKuduDir([memoryTree(files, SERVER)]);
  for (const tablet of await dir.tablets()) {
    for await (const segment of tablet.logSegments()) {
      if (isCFileError(segment)) {
        throw segment;
      }
      const offsets = segment.entries.map(({ offset }) => offset);
      found.set(segment.path.slice(SERVER.length + 1), offsets);
    }
  }
  return found;
}

/** The files as a tree in memory that records each read. */
function watchedTree(files: DirectoryFiles, reads: ReadRanges): FileTree {
  return treeOfPaths(files, SERVER, (bytes, path) => {
    const source = memorySource(bytes, path);
    const name = path.slice(SERVER.length + 1);
    return {
      ...source,
      read: (offset, length, options) => {
        reads.add(name, offset, offset + length);
        return source.read(offset, length, options);
      },
    };
  });
}

async function damagedOf(dir: KuduDir): Promise<{ id: string; refused: string }[]> {
  return (await dir.damagedTablets()).map(({ id, error }) => ({ id, refused: error.code }));
}

async function readTablet(tablet: KuduTablet): Promise<ReadTablet> {
  const stored = await unlessRefused(() => linesOf(tablet.scan()));
  const withLog = await unlessRefused(() => linesOf(tablet.scan({ withLog: true })));
  if (!("refused" in stored)) {
    const isTorn = !("refused" in withLog) && (await tablet.unflushed())?.torn !== undefined;
    return { stored, withLog, isTorn };
  }
  let leftOut = 0;
  const tolerated = await unlessRefused(async () => ({
    rows: await linesOf(tablet.scan({ onUnreadable: () => leftOut++ })),
    leftOut,
  }));
  const accounts: RowSetAccount[] = [];
  const recovered = await unlessRefused(async () => ({
    rows: await linesOf(tablet.recover({}, (account) => void accounts.push(account))),
    accounts,
  }));
  return { stored, withLog, tolerated, recovered };
}

/** @throws errors other than `CFileError`, which are faults of the reader */
async function unlessRefused<T>(read: () => Promise<T>): Promise<T | { readonly refused: string }> {
  try {
    return await read();
  } catch (error) {
    if (isCFileError(error)) {
      return { refused: error.code };
    }
    throw error;
  }
}

async function linesOf(batches: AsyncIterable<TableBatch>): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const batch of batches) {
    const columns = batch.columns.map((column) => column.toArray());
    for (let row = 0; row < batch.length; row++) {
      lines.push(columns.map((cells) => String(cells[row])).join("\t"));
    }
  }
  return lines;
}
