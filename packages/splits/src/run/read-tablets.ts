/** Reads the rows of splits of tablets. */
import { CFileError } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import type { NamedCondition } from "@cfile/encodings/conditions";
import type { KuduTablet, TabletScanOptions } from "@cfile/kudu-dir";
import type { TabletPiece, TabletSplit } from "../lines/split.js";
import { tabletDigest } from "../plan/plan-tablets.js";
import { type ReadOptions, type RecoverOptions, requiredDirectories } from "./read-options.js";

/** @throws {CFileError} `E_SOURCE_CHANGED` if the tablet has changed since the split was planned; as `KuduTablet.scan` */
export async function* readTablet(
  piece: TabletPiece,
  split: TabletSplit,
  options: ReadOptions,
): AsyncGenerator<TableBatch, void, void> {
  const tablet = await unchangedTablet(piece, options);
  const { from, to } = piece;
  yield* tablet.scan({ ...scanOf(tablet, split, options), keys: { from, to }, arena: options.arena });
}

/**
 * The valid rows of a whole tablet.
 *
 * @throws {CFileError} as {@link readTablet}, except for damage
 */
export async function* recoverTablet(
  piece: TabletPiece,
  split: TabletSplit,
  options: RecoverOptions,
): AsyncGenerator<TableBatch, void, void> {
  const tablet = await unchangedTablet(piece, options);
  const { onRecovered, onLost } = options;
  const isReplicated = "writes" in tablet;
  yield* tablet.recover(
    scanOf(tablet, split, options),
    (account) => {
      onRecovered({ kind: "row set", tablet: piece.tablet, account });
      onLost(account.rowsLost, true);
    },
    (ledger) => {
      const lost = ledger.lost.reduce((sum, { rows = 1 }) => sum + rows, ledger.rowsDifferent);
      const accounts = isReplicated ? [] : ledger.replicas.flatMap(({ rowSets }) => rowSets);
      const reported = accounts.reduce((sum, { rowsLost }) => sum + rowsLost, 0);
      if (isReplicated || lost > reported || ledger.snapshot !== "requested") {
        onRecovered({ kind: "tablet", ledger });
      }
      onLost(Math.max(0, lost - reported), ledger.complete || lost > 0);
    },
  );
}

async function unchangedTablet(
  { tablet: id, blocks }: TabletPiece,
  options: ReadOptions,
): Promise<KuduTablet> {
  const tablet = await requiredDirectories(options).tablet(id);
  if ((await tabletDigest(tablet.superblock)) !== blocks) {
    const reason = `tablet ${id} has changed since the split was planned`;
    throw new CFileError("E_SOURCE_CHANGED", reason, { path: id, field: "blocks" });
  }
  return tablet;
}

/** The options of a scan. A tablet with an older schema may have different names for the columns. */
function scanOf(
  { schema }: KuduTablet,
  { schema: known, columns, where, asOf, withLog, partialHistory }: TabletSplit,
  { signal, onOtherReplica }: ReadOptions,
): TabletScanOptions {
  const nameOf = (name: string): string => {
    const id = known.find((column) => column.name === name)?.id;
    return schema.columns.find((column) => column.id === id)?.name ?? name;
  };
  const own = where.map((condition): NamedCondition => ({ ...condition, column: nameOf(condition.column) }));
  return { columns: columns.map(nameOf), where: own, asOf, withLog, partialHistory, signal, onOtherReplica };
}
