/**
 * Compares the rows of a tablet's replicas, as `kudu cluster ksck --checksum_scan` does: at the latest timestamp that all of them have.
 */
import { type CFileError, corrupt } from "@cfile/bytes";
import { requireCFileError } from "../blocks/problems.js";
import type { KuduColumn } from "../catalog/schema-message.js";
import type { KuduTablet } from "../read/kudu-tablet.js";
import type { ClusterTablet } from "./kudu-cluster.js";
import { compareOperations } from "./replica.js";
import { RowDigest } from "./row-digest.js";

/** The rows of a replica, or why they could not be compared. */
export interface ReplicaDigest {
  /** UUID of the server. */
  readonly server: string;
  /** `undefined` with an error. */
  readonly rows: number | undefined;
  /** Hexadecimal; equal for equal rows, whatever their storage. `undefined` with an error. */
  readonly digest: string | undefined;
  readonly error: CFileError | undefined;
}

/** The digests of a tablet's readable replicas. */
export interface TabletDigests {
  /** The snapshot that is compared, exclusive; `undefined` for the latest one, if all replicas have the same operations. */
  readonly asOf: bigint | undefined;
  readonly replicas: readonly ReplicaDigest[];
}

/**
 * Reads all rows of all readable replicas. Damage is reported, not thrown.
 *
 * @throws the signal's reason when aborted
 */
export async function replicaDigests(
  { readable }: Pick<ClusterTablet, "readable">,
  signal?: AbortSignal,
): Promise<TabletDigests> {
  const [first] = readable;
  if (first === undefined) {
    return { asOf: undefined, replicas: [] };
  }
  const isEqual = readable.every(
    ({ lastOperation }) => compareOperations(lastOperation, first.lastOperation) === 0,
  );
  const lasts = isEqual ? [] : readable.map(({ log }) => log.at(-1)?.timestamp);
  const asOf = lasts.reduce<bigint | undefined>(
    (least, last) => (last !== undefined && (least === undefined || last < least) ? last + 1n : least),
    undefined,
  );
  const columnIds = first.tablet.schema.columns
    .map(({ id }) => id)
    .filter((id) => readable.every(({ tablet }) => tablet.schema.columns.some((column) => column.id === id)));
  const replicas: ReplicaDigest[] = [];
  for (const [i, { server, tablet }] of readable.entries()) {
    try {
      if (!isEqual && lasts[i] === undefined) {
        const reason = "the last operation is unknown: the write-ahead log is missing or has no operations";
        throw corrupt(reason, { path: tablet.id, field: "log" });
      }
      replicas.push({ server, error: undefined, ...(await rowsOf(tablet, columnIds, asOf, signal)) });
    } catch (error) {
      signal?.throwIfAborted();
      replicas.push({ server, rows: undefined, digest: undefined, error: requireCFileError(error) });
    }
  }
  return { asOf, replicas };
}

async function rowsOf(
  tablet: KuduTablet,
  /** Must be in the schema. */
  columnIds: readonly number[],
  asOf: bigint | undefined,
  signal: AbortSignal | undefined,
): Promise<{ readonly rows: number; readonly digest: string }> {
  const columns = columnIds.map(
    (id) => tablet.schema.columns.find((column) => column.id === id) as KuduColumn,
  );
  const digest = new RowDigest(columns);
  let rows = 0;
  const options = { columns: columns.map(({ name }) => name), asOf, withLog: true, signal };
  for await (const batch of tablet.scan(options)) {
    await digest.add(batch);
    rows += batch.length;
  }
  return { rows, digest: await digest.finish() };
}

/** A replica whose rows differ from those of others. */
export interface DivergentReplica {
  readonly server: string;
  readonly reason: string;
}

/** The replicas whose rows differ from those of most replicas; all of them in a tie. */
export function divergentReplicas({ replicas }: TabletDigests): readonly DivergentReplica[] {
  const groups = new Map<string, ReplicaDigest[]>();
  for (const replica of replicas) {
    if (replica.digest !== undefined) {
      groups.set(replica.digest, [...(groups.get(replica.digest) ?? []), replica]);
    }
  }
  if (groups.size <= 1) {
    return [];
  }
  const [most = [], next = []] = [...groups.values()].sort((left, right) => right.length - left.length);
  const others = [...groups.values()]
    .flat()
    .filter((one) => most.length === next.length || !most.includes(one));
  return others.map(({ server, rows, digest }) => {
    const different = [...groups.values()].flat().filter((one) => one.digest !== digest);
    const known = different.map((one) => `${rowsText(one.rows)} on server ${one.server}`).join(", ");
    return { server, reason: `${rowsText(rows)} with a digest that differs from ${known}` };
  });
}

function rowsText(rows: number | undefined): string {
  return rows === 1 ? "1 row" : `${rows} rows`;
}
