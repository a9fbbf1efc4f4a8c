/** The rows of splits of tablets. */
import { CFileError, type MemoryArena } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import type { NamedCondition } from "@cfile/encodings/conditions";
import type { KuduDir, KuduTablet, TabletScanOptions } from "@cfile/kudu-dir";
import type { RowSetAccount } from "@cfile/kudu-dir/recover";
import type { TabletPiece, TabletSplit } from "../lines/split.js";
import { tabletDigest } from "../plan/plan-tablets.js";

export interface TabletReadOptions {
  /** The server's directories. */
  readonly dir: KuduDir;
  /** With it, batches are valid until the next. */
  readonly arena?: MemoryArena | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** @throws CFileError `E_SOURCE_CHANGED` when the tablet is another one than when the split was made; as scanning does */
export async function* readTablet(
  piece: TabletPiece,
  split: TabletSplit,
  options: TabletReadOptions,
): AsyncGenerator<TableBatch, void, void> {
  const tablet = await sameTablet(piece, options.dir);
  const { from, to } = piece;
  yield* tablet.scan({ ...scanOf(tablet, split, options), keys: { from, to }, arena: options.arena });
}

/**
 * The rows of a whole tablet that can be trusted.
 *
 * @throws CFileError as {@link readTablet}, but for damage
 */
export async function* recoverTablet(
  piece: TabletPiece,
  split: TabletSplit,
  options: TabletReadOptions & { readonly onAccount: (account: RowSetAccount) => void },
): AsyncGenerator<TableBatch, void, void> {
  const tablet = await sameTablet(piece, options.dir);
  yield* tablet.recover(scanOf(tablet, split, options), options.onAccount);
}

async function sameTablet({ tablet: id, blocks }: TabletPiece, dir: KuduDir): Promise<KuduTablet> {
  const tablet = await dir.tablet(id);
  if ((await tabletDigest(tablet.superblock)) !== blocks) {
    throw new CFileError("E_SOURCE_CHANGED", `tablet ${id} has other blocks than when the split was made`, {
      path: id,
      field: "blocks",
    });
  }
  return tablet;
}

/** A tablet whose schema is an older one may have the columns under other names. */
function scanOf(
  { schema }: KuduTablet,
  { schema: known, columns, where, asOf, withLog, partialHistory }: TabletSplit,
  { signal }: TabletReadOptions,
): TabletScanOptions {
  const nameOf = (name: string): string => {
    const id = known.find((column) => column.name === name)?.id;
    return schema.columns.find((column) => column.id === id)?.name ?? name;
  };
  const own = where.map((condition): NamedCondition => ({ ...condition, column: nameOf(condition.column) }));
  return { columns: columns.map(nameOf), where: own, asOf, withLog, partialHistory, signal };
}
