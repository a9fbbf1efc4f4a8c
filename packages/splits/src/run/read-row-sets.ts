/** The rows of splits of row sets, of a folder or of a Kudu server. */
import { CFileError, isCFileError, isDamage, MemoryArena } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import type { ByteSource } from "@cfile/io";
import type { KuduDir } from "@cfile/kudu-dir";
import type { RowSetBlocks } from "@cfile/kudu-dir/catalog";
import type { RowSetAccount } from "@cfile/kudu-dir/recover";
import { RecoveredRowSet } from "@cfile/kudu-dir/recover";
import type { RowScanOptions, RowSetFiles, RowSetSchema } from "@cfile/rowset";
import { openRowSet } from "@cfile/rowset";
import type { RowRange, RowSetPiece, RowSetSplit, SplitFile } from "../lines/split.js";
import { blocksDigest } from "../plan/plan-kudu.js";
import { closeFiles } from "../plan/plan-row-sets.js";
import { openUnchanged } from "../plan/source-identity.js";
import type { ReadOptions } from "./read-files.js";

export interface RowSetReadOptions extends ReadOptions {
  /** Of a split of kind `kudu`: the server's directories. */
  readonly dir?: KuduDir | undefined;
}

export interface RowSetRecoverOptions extends RowSetReadOptions {
  readonly onAccount: (account: RowSetAccount, tablet: string | undefined) => void;
  /** Takes the number of rows of the piece that are lost. */
  readonly onLost: (rows: number) => void;
}

/**
 * @throws CFileError `E_SOURCE_CHANGED` when the row set is another one than when the split was made, also when it became so
 *   meanwhile; as scanning does
 */
export async function* readRowSet(
  piece: RowSetPiece,
  split: RowSetSplit,
  options: RowSetReadOptions,
): AsyncGenerator<TableBatch, void, void> {
  const { schema, scan } = scanOf(piece, split, options);
  await requireSameBlocks(piece, options);
  const files = await filesOf(piece, options);
  try {
    const reader = await openRowSet(files, schema, { signal: options.signal });
    yield* reader.scan({ ...scan, arena: options.arena });
  } catch (error) {
    // Blocks of a row set that is no more look like damage.
    await requireSameBlocks(piece, options);
    throw error;
  } finally {
    await closeFiles(files);
  }
  await requireSameBlocks(piece, options);
}

/**
 * The rows of a piece that can be trusted. A sound one is read as it is, after all of it was read to learn that.
 *
 * @throws CFileError as {@link readRowSet}, but for damage
 */
export async function* recoverRowSet(
  piece: RowSetPiece,
  split: RowSetSplit,
  options: RowSetRecoverOptions,
): AsyncGenerator<TableBatch, void, void> {
  if (await isSound(piece, split, options)) {
    yield* readRowSet(piece, split, options);
    return;
  }
  const { schema, scan } = scanOf(piece, split, options);
  const names = [...split.columns, ...split.where.map(({ column }) => column)];
  const files = await filesOf(piece, options);
  try {
    const { signal } = options;
    const rowSet = await RecoveredRowSet.open(piece.rowSet, files, schema, names, { signal });
    yield* rowSet.scan({ ...scan, rows: piece.rows });
    const { account } = rowSet;
    options.onAccount(account, piece.tablet);
    options.onLost(lostIn(account, piece.rows));
  } finally {
    await closeFiles(files);
  }
  await requireSameBlocks(piece, options);
}

async function isSound(piece: RowSetPiece, split: RowSetSplit, options: RowSetReadOptions): Promise<boolean> {
  try {
    for await (const _ of readRowSet(piece, split, { ...options, arena: new MemoryArena() })) {
      // Reading is the test.
    }
    return true;
  } catch (error) {
    if (isDamage(error)) {
      return false;
    }
    throw error;
  }
}

function scanOf(
  { rows }: RowSetPiece,
  { schema, columns, where, asOf }: RowSetSplit,
  { signal }: RowSetReadOptions,
): { readonly schema: RowSetSchema; readonly scan: RowScanOptions } {
  return { schema: { columns: schema }, scan: { columns, where, asOf, rows, signal } };
}

async function filesOf(piece: RowSetPiece, options: RowSetReadOptions): Promise<RowSetFiles> {
  const opened: ByteSource[] = [];
  const open = async (file: SplitFile): Promise<ByteSource> => {
    const source = await sourceOf(file, options);
    opened.push(source);
    return source;
  };
  const all = async (files: readonly SplitFile[]): Promise<ByteSource[]> => {
    const sources: ByteSource[] = [];
    for (const file of files) {
      sources.push(await open(file));
    }
    return sources;
  };
  try {
    const columns = new Map<number, ByteSource>();
    for (const [id, file] of piece.columns) {
      columns.set(id, await open(file));
    }
    return {
      columns,
      adhocIndex: piece.adhocIndex && (await open(piece.adhocIndex)),
      redo: await all(piece.redo),
      undo: await all(piece.undo),
    };
  } catch (error) {
    await Promise.all(opened.map((source) => source.close?.()));
    throw error;
  }
}

async function sourceOf(file: SplitFile, { open, dir, signal }: RowSetReadOptions): Promise<ByteSource> {
  const { path, size, block } = file;
  if (block === undefined) {
    return openUnchanged(file, open, { signal });
  }
  if (path === "" || dir === undefined) {
    return absentBlock(block.id);
  }
  return dir.blockAt({ id: block.id, path, offset: block.offset, length: size });
}

/** Reading it says that it is not there. */
function absentBlock(id: bigint): ByteSource {
  const name = `block ${id}`;
  const fail = (): Promise<never> =>
    Promise.reject(
      new CFileError("E_BLOCK_MISSING", `${name} is in none of the directories`, { path: name }),
    );
  return { name, size: fail, read: fail };
}

/** Blocks never change, and are there as long as the superblock names them. */
async function requireSameBlocks(
  { tablet, rowSet, blocks }: RowSetPiece,
  { dir }: RowSetReadOptions,
): Promise<void> {
  if (dir === undefined || tablet === undefined) {
    return;
  }
  const now = await blocksNow(dir, tablet, rowSet);
  if (now === undefined || (await blocksDigest(now)) !== blocks) {
    const what = now === undefined ? "is no longer there" : "has other blocks";
    throw new CFileError(
      "E_SOURCE_CHANGED",
      `row set ${rowSet} of tablet ${tablet} ${what} than when the split was made`,
      { path: tablet, field: "row set" },
    );
  }
}

/** Blocks that the superblock names; `undefined` when there is no such row set, or tablet, any more. */
async function blocksNow(dir: KuduDir, tablet: string, rowSet: bigint): Promise<RowSetBlocks | undefined> {
  try {
    return (await dir.superblock(tablet)).rowSets.find(({ id }) => id === rowSet);
  } catch (error) {
    if (isCFileError(error, "E_NOT_FOUND")) {
      return undefined;
    }
    throw error;
  }
}

function lostIn({ lost }: RowSetAccount, range: RowRange | undefined): number {
  const { from, to } = range ?? { from: 0, to: Number.MAX_SAFE_INTEGER };
  return lost.reduce((sum, part) => sum + Math.max(0, Math.min(to, part.to) - Math.max(from, part.from)), 0);
}
