/**
 * Splits of tablets by ranges of their keys: each has its rows in key order, from all row sets together, and can have what is only in
 * the write-ahead log. Splits of row sets (`plan-kudu.ts`) read less for each, but do not merge.
 */
import { invalidArgument, isDamage } from "@cfile/bytes";
import type { KuduTablet } from "@cfile/kudu-dir";
import { rolesOf, type Superblock, splitKeys } from "@cfile/kudu-dir/catalog";
import type { TabletSplit } from "../lines/split.js";
import { digest } from "../lines/split-id.js";
import { identifiedSplit } from "../lines/split-line.js";
import { type KuduPlanOptions, neededColumns } from "./plan-options.js";

/** How tablets are divided. */
export interface TabletPlanOptions extends Omit<KuduPlanOptions, "targetBytes"> {
  /** Whether what the server had only in memory is read from its write-ahead log. Such tablets are not divided. */
  readonly withLog?: boolean | undefined;
  /** About how many rows a split has. Default 2^20. */
  readonly targetRows?: number | undefined;
}

const TARGET_ROWS = 1 << 20;

/**
 * The tablets of one table in independent pieces, in the order of the tablets and of their keys. A tablet whose keys are damaged is not
 * divided: reading it will tell.
 *
 * @param tablets of which those are left out that are not in the state `ready`
 * @throws CFileError `E_INVALID_ARGUMENT` for columns that are not there; `E_HISTORY_GONE` for a state that is gone
 */
export async function planTablets(
  tablets: readonly KuduTablet[],
  options: TabletPlanOptions,
): Promise<TabletSplit[]> {
  const { dirs, asOf, withLog = false, partialHistory = false, targetRows = TARGET_ROWS, signal } = options;
  const { schema, columns, where } = neededColumns(newestOf(tablets).schema, options);
  const common = { kind: "tablet", schema, columns, where, asOf, dirs, withLog, partialHistory } as const;
  const splits: TabletSplit[] = [];
  for (const tablet of tablets.filter(({ state }) => state === "ready")) {
    signal?.throwIfAborted();
    await tablet.requireHistory("asOf", asOf, { partialHistory });
    const rows = tablet.liveRowCount ?? 0;
    const keys = withLog ? [] : await keysOf(tablet, Math.ceil(rows / targetRows));
    const blocks = await tabletDigest(tablet.superblock);
    const { total } = await tablet.size();
    for (let i = 0; i <= keys.length; i++) {
      const piece = { tablet: tablet.id, blocks, from: keys[i - 1], to: keys[i] };
      const split = await identifiedSplit({
        ...common,
        number: splits.length,
        rows: Math.ceil(rows / (keys.length + 1)),
        bytes: Math.ceil(total / (keys.length + 1)),
        pieces: [piece],
      });
      splits.push(split);
    }
  }
  return splits;
}

/** The split of the whole tablet that a split has a part of. */
export function wholeTablet({ id: _, ...split }: TabletSplit): Promise<TabletSplit> {
  const pieces = split.pieces.map(({ tablet, blocks }) => ({ tablet, blocks }));
  return identifiedSplit({ ...split, pieces });
}

/** Ids and roles of all blocks of a tablet: another digest, other data. */
export function tabletDigest({ schemaVersion, rowSets }: Superblock): Promise<string> {
  const lines = rowSets.flatMap((blocks) =>
    [...rolesOf(blocks)].map(({ id, role }) => `${blocks.id} ${role} ${id}`),
  );
  return digest([`schema ${schemaVersion}`, ...lines].join("\n"));
}

/**
 * The tablet with the last schema.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` without tablets
 */
export function newestOf(tablets: readonly KuduTablet[]): KuduTablet {
  const [first] = tablets;
  if (first === undefined) {
    throw invalidArgument("a table has tablets", { field: "tablets" });
  }
  return tablets.reduce(
    (newest, tablet) => (tablet.superblock.schemaVersion > newest.superblock.schemaVersion ? tablet : newest),
    first,
  );
}

async function keysOf(tablet: KuduTablet, parts: number): Promise<readonly Uint8Array[]> {
  try {
    return parts > 1 ? await splitKeys(tablet, parts) : [];
  } catch (error) {
    if (isDamage(error)) {
      return [];
    }
    throw error;
  }
}
