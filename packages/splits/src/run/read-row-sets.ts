/** Reads the rows of splits of row sets, from a table store or a Kudu server. */
import { CFileError, isCFileError, MemoryArena } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import type { ByteSource } from "@cfile/io";
import type { RowSetBlocks } from "@cfile/kudu-dir/catalog";
import type { RowSetAccount } from "@cfile/kudu-dir/recover";
import { RecoveredRowSet } from "@cfile/kudu-dir/recover";
import type { RowScanOptions } from "@cfile/rowset";
import { openRowSet } from "@cfile/rowset";
import type { RowRange, RowSetPiece, RowSetSplit, SplitFile } from "../lines/split.js";
import { blocksDigest } from "../plan/plan-kudu.js";
import { closeFiles, openParts } from "../plan/row-set-parts.js";
import { openUnchanged } from "../plan/source-identity.js";
import { canReadAll } from "../plan/undamaged.js";
import type { ReadOptions, RecoverOptions, SplitDirectories } from "./read-options.js";

/**
 * @throws {CFileError} `E_SOURCE_CHANGED` if the row set has changed since the split was planned, or changes during the scan; as
 *   `RowSetReader.scan`
 */
export async function* readRowSet(
  piece: RowSetPiece,
  split: RowSetSplit,
  options: ReadOptions,
): AsyncGenerator<TableBatch, void, void> {
  await requireSameBlocks(piece, options);
  const files = await openParts(piece, (file) => sourceOf(file, options));
  try {
    const reader = await openRowSet(files, { columns: split.schema }, { signal: options.signal });
    yield* reader.scan({ ...scanOf(piece, split, options), arena: options.arena });
  } catch (error) {
    // Deleted blocks look like damage.
    await requireSameBlocks(piece, options);
    throw error;
  } finally {
    await closeFiles(files);
  }
  await requireSameBlocks(piece, options);
}

/**
 * The valid rows of a piece. Undamaged pieces are read twice: first to check them, then for their rows.
 *
 * @throws {CFileError} as {@link readRowSet}, except for damage
 */
export async function* recoverRowSet(
  piece: RowSetPiece,
  split: RowSetSplit,
  options: RecoverOptions,
): AsyncGenerator<TableBatch, void, void> {
  if (await canReadAll(readRowSet(piece, split, { ...options, arena: new MemoryArena() }))) {
    yield* readRowSet(piece, split, options);
    return;
  }
  const { schema, columns, where } = split;
  const names = [...columns, ...where.map(({ column }) => column)];
  const files = await openParts(piece, (file) => sourceOf(file, options));
  try {
    const { signal, onRecovered, onLost } = options;
    const rowSet = await RecoveredRowSet.open(piece.rowSet, files, { columns: schema }, names, { signal });
    yield* rowSet.scan(scanOf(piece, split, options));
    const { account } = rowSet;
    onRecovered({ kind: "row set", tablet: piece.tablet, account });
    onLost(lostIn(account, piece.rows), rowSet.isCounted);
  } finally {
    await closeFiles(files);
  }
  await requireSameBlocks(piece, options);
}

function scanOf(
  { rows }: RowSetPiece,
  { columns, where, asOf }: RowSetSplit,
  { signal }: ReadOptions,
): RowScanOptions {
  return { columns, where, asOf, rows, signal };
}

async function sourceOf(file: SplitFile, { open, dir, signal }: ReadOptions): Promise<ByteSource> {
  const { path, size, block } = file;
  if (block === undefined) {
    return openUnchanged(file, open, { signal });
  }
  return path === "" || dir === undefined
    ? missingBlock(block.id)
    : dir.blockAt({ id: block.id, path, offset: block.offset, length: size });
}

/** A source that throws `E_BLOCK_MISSING` when it is read. */
function missingBlock(id: bigint): ByteSource {
  const name = `block ${id}`;
  const reason = `${name} is in none of the data directories`;
  const fail = (): Promise<never> =>
    Promise.reject(new CFileError("E_BLOCK_MISSING", reason, { path: name }));
  return { name, size: fail, read: fail };
}

/** Checks that the superblock references the same blocks, which never change while it does. */
async function requireSameBlocks(
  { tablet, rowSet, blocks }: RowSetPiece,
  { dir }: ReadOptions,
): Promise<void> {
  if (dir === undefined || tablet === undefined) {
    return;
  }
  const now = await blocksNow(dir, tablet, rowSet);
  if (now === undefined || (await blocksDigest(now)) !== blocks) {
    const what = now === undefined ? "no longer exists" : "has other blocks since the split was planned";
    const reason = `row set ${rowSet} of tablet ${tablet} ${what}`;
    throw new CFileError("E_SOURCE_CHANGED", reason, { path: tablet, field: "row set" });
  }
}

/** The blocks in the superblock; `undefined` if the row set or the tablet no longer exists. */
async function blocksNow(
  dir: SplitDirectories,
  tablet: string,
  rowSet: bigint,
): Promise<RowSetBlocks | undefined> {
  try {
    return (await dir.superblock(tablet)).rowSets.find(({ id }) => id === rowSet);
  } catch (error) {
    if (isCFileError(error, "E_NOT_FOUND")) {
      return undefined;
    }
    throw error;
  }
}

function lostIn({ lost, rows }: RowSetAccount, range: RowRange | undefined): number {
  const { from, to } = range ?? { from: 0, to: rows };
  const parts = [...lost, { from: rows, to }];
  return parts.reduce((sum, part) => sum + Math.max(0, Math.min(to, part.to) - Math.max(from, part.from)), 0);
}
