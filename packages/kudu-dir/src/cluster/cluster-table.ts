/** A table of a cluster: for each tablet the replica that is read, with the writes that count from all logs. */
import { CFileError } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import type { DiffBatch, RowCells, RowKey } from "@cfile/rowset";
import type { Partition, PartitionSchema } from "../catalog/partition-message.js";
import { KuduTable, type KuduTableParts, type MissingTablet, type OfTablet } from "../read/kudu-table.js";
import type { TabletChangeOptions, TabletLookUpOptions, TabletScanOptions } from "../read/tablet-options.js";
import type { CatalogTable, CatalogTablet } from "./catalog-entries.js";
import { missingBuckets } from "./partition-gaps.js";
import type { Replica } from "./replica.js";
import type { TabletWrites } from "./replica-choice.js";

/** A tablet whose replicas are missing or without data. */
export interface UnreadableTablet extends Pick<TabletWrites, "config"> {
  readonly replicas: readonly Replica[];
  /** Errors of superblocks that cannot be read. */
  readonly damaged: readonly CFileError[];
  readonly catalog: CatalogTablet | undefined;
}

/** The parts of a {@link ClusterTable}. */
export interface ClusterTableParts extends KuduTableParts {
  /** The table in the masters' catalog; `undefined` without a master. */
  readonly catalog: CatalogTable | undefined;
}

/**
 * A table of a cluster. Reads include the write-ahead logs unless `withLog` is `false`. A tablet without a readable replica is an
 * error, or is reported to `onUnreadable`.
 */
export class ClusterTable extends KuduTable {
  readonly catalog: CatalogTable | undefined;

  constructor(parts: ClusterTableParts) {
    super(parts);
    this.catalog = parts.catalog;
  }

  override scan(options: TabletScanOptions = {}): AsyncGenerator<OfTablet<TableBatch>, void, void> {
    return super.scan({ withLog: true, ...options });
  }

  override diff(
    from: bigint,
    to: bigint,
    options: TabletChangeOptions = {},
  ): AsyncGenerator<OfTablet<DiffBatch>, void, void> {
    return super.diff(from, to, { withLog: true, ...options });
  }

  override get(key: RowKey, options: TabletLookUpOptions = {}): Promise<RowCells | undefined> {
    return super.get(key, { withLog: true, ...options });
  }
}

/** The error for a tablet that the catalog lists and no disk has. */
export function noReplica(id: string, reason: string): CFileError {
  return new CFileError("E_NOT_FOUND", `tablet ${id} cannot be read: ${reason}`, { field: "tablet" });
}

/** Why a tablet has no replica that can be read, and which directories to add. */
export function whyUnreadable({ replicas, damaged, config, catalog }: UnreadableTablet): string {
  const states = replicas.map(
    ({ server, tablet: { state }, lastOperation: last }) =>
      `${state} on server ${server}${last === undefined ? "" : ` (which had it until operation ${last.term}.${last.index})`}`,
  );
  const superblocks = damaged.map(({ message }) => `its superblock is damaged: ${message}`);
  const here = replicas.map(({ server }) => server);
  const voters = (config ?? catalog?.config)?.peers.filter(({ isVoter }) => isVoter) ?? [];
  const others = voters.filter(({ uuid }) => !here.includes(uuid));
  const names = others.map(({ uuid, address }) => (address === undefined ? uuid : `${uuid} (${address})`));
  const advice = names.length === 0 ? "" : `; add the directories of server ${names.join(" or ")}`;
  const found = states.length === 0 ? superblocks : [`its replicas are ${states.join(", ")}`, ...superblocks];
  return `${found.length === 0 ? "no replica is in the directories" : found.join("; ")}${advice}`;
}

/** The missing tablets of hash buckets. When the catalog is damaged, nothing else shows that they are missing. */
export function tabletsOfBuckets(
  table: string,
  schema: PartitionSchema | undefined,
  known: readonly Partition[],
  problem: CFileError,
): readonly MissingTablet[] {
  return missingBuckets(schema, known).map((partition) => {
    const id = `of table ${table}, hash buckets ${partition.hashBuckets.join(", ")},`;
    const reason = `no directory has it, and the catalog is damaged: ${problem.message}`;
    return { id, partition, error: noReplica(id, reason) };
  });
}
