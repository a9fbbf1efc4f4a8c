/**
 * Splits of tablets by key ranges. Their rows are merged from all row sets, in key order, and can include unflushed writes. Splits by
 * row sets (`plan-kudu.ts`) read less per split, but do not merge.
 */
import { invalidArgument } from "@cfile/bytes";
import type { KuduTablet, WriteScope } from "@cfile/kudu-dir";
import { rolesOf, type Superblock, splitKeys } from "@cfile/kudu-dir/catalog";
import type { Split, TabletSplit } from "../lines/split.js";
import { digest, identifiedSplit } from "../lines/split-line.js";
import { type KuduPlanOptions, neededColumns } from "./plan-options.js";
import { unlessDamaged } from "./undamaged.js";

/** Options of {@link planTablets}. */
export interface TabletPlanOptions extends Omit<KuduPlanOptions, "targetBytes"> {
  /** Whether to include unflushed writes from the write-ahead log. Tablets with many of them are not divided. */
  readonly withLog?: boolean | undefined;
  /** Which writes of a cluster's logs are read. Default `possible`. */
  readonly writes?: WriteScope | undefined;
  /** Approximate number of rows per split. Default 2^20. */
  readonly targetRows?: number | undefined;
}

const TARGET_ROWS = 1 << 20;
/** A log is small if it has at most one row operation per this number of rows. Each reader of a split replays the whole log. */
const ROWS_PER_LOGGED = 8;

/**
 * Plans splits of one table's tablets, in the order of the tablets and their keys. A tablet with damaged keys is not divided: reading
 * it reports the damage.
 *
 * @param tablets tablets that are not in the state `ready` are ignored
 * @throws {CFileError} `E_INVALID_ARGUMENT` for unknown columns; `E_HISTORY_GONE` for a snapshot before the history
 */
export async function planTablets(
  tablets: readonly KuduTablet[],
  options: TabletPlanOptions,
): Promise<TabletSplit[]> {
  const { dirs, asOf, withLog = false, writes, partialHistory = false } = options;
  const { targetRows = TARGET_ROWS, signal } = options;
  const { schema, columns, where } = neededColumns(newestOf(tablets).schema, options);
  const settings = { asOf, dirs, withLog, writes, partialHistory };
  const common = { kind: "tablet", schema, columns, where, ...settings } as const;
  const splits: TabletSplit[] = [];
  for (const tablet of tablets.filter(({ state }) => state === "ready")) {
    signal?.throwIfAborted();
    await tablet.requireHistory("asOf", asOf, { partialHistory });
    const rows = tablet.liveRowCount ?? 0;
    const isDivided = rows > targetRows && (!withLog || (await hasSmallLog(tablet, rows)));
    const parts = isDivided ? Math.ceil(rows / targetRows) : 1;
    const keys = (parts > 1 ? await unlessDamaged(() => splitKeys(tablet, parts)) : undefined) ?? [];
    const blocks = await tabletDigest(tablet.superblock);
    const { total } = await tablet.size();
    for (let i = 0; i <= keys.length; i++) {
      const content = {
        ...common,
        number: splits.length,
        rows: Math.ceil(rows / (keys.length + 1)),
        bytes: Math.ceil(total / (keys.length + 1)),
        pieces: [{ tablet: tablet.id, blocks, from: keys[i - 1], to: keys[i] }],
      };
      splits.push(await identifiedSplit(content));
    }
  }
  return splits;
}

async function hasSmallLog(tablet: KuduTablet, rows: number): Promise<boolean> {
  const { operations = [], problems = [] } = (await tablet.unflushed()) ?? {};
  return problems.length === 0 && operations.length * ROWS_PER_LOGGED <= rows;
}

/** For a key range of a tablet, the split of the whole tablet. Other splits are returned unchanged. */
export async function wholeSplit(split: Split): Promise<Split> {
  if (split.kind !== "tablet") {
    return split;
  }
  const { id: _, ...content } = split;
  const pieces = split.pieces.map(({ tablet, blocks }) => ({ tablet, blocks }));
  return identifiedSplit({ ...content, pieces });
}

/** A digest of the schema version and of the IDs and roles of all blocks of a tablet. */
export function tabletDigest({ schemaVersion, rowSets }: Superblock): Promise<string> {
  const lines = rowSets.flatMap((blocks) =>
    [...rolesOf(blocks)].map(({ id, role }) => `${blocks.id} ${role} ${id}`),
  );
  return digest([`schema ${schemaVersion}`, ...lines].join("\n"));
}

/**
 * The tablet with the latest schema.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` without tablets
 */
export function newestOf(tablets: readonly KuduTablet[]): KuduTablet {
  const [first] = tablets;
  if (first === undefined) {
    throw invalidArgument("the table has no tablets", { field: "tablets" });
  }
  return tablets.reduce(
    (newest, tablet) => (tablet.superblock.schemaVersion > newest.superblock.schemaVersion ? tablet : newest),
    first,
  );
}
