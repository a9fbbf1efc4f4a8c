/**
 * Finds tables, tablets and row sets again in data directories whose metadata are lost: superblocks, consensus metadata and logs.
 * Files that fit several owners are reported, not assigned.
 */
import { findingOf } from "@cfile/bytes";
import type { Partition } from "../catalog/partition-message.js";
import type { RowSetBlocks } from "../catalog/superblock.js";
import type { KuduDir } from "../read/kudu-dir.js";
import { BlockOrder } from "./columns/block-order.js";
import { findSharedKey } from "./columns/shared-keys.js";
import { type FindContext, findRowSets } from "./find-row-sets.js";
import { LogEvidence } from "./logs/log-evidence.js";
import type { RebuildChoices } from "./rebuild-choices.js";
import type { FoundFile, RowSetGroup } from "./row-set-group.js";
import { type SurveyedBlock, type SurveyOptions, surveyBlocks } from "./survey-blocks.js";
import { EVERYWHERE, type KnownTable, tablesOfLogs, withLoggedSchemas } from "./tables/known-tables.js";

/** Options of {@link rebuildKuduDir}. */
export interface RebuildOptions extends SurveyOptions {
  /** Tables that row sets may belong to, as from `tablesOfCluster`. Row sets that fit none are put into guessed tables. */
  readonly tables?: readonly KnownTable[] | undefined;
  /** Choices for files that fit several owners. */
  readonly choices?: RebuildChoices | undefined;
}

/** A row set that was found. */
export interface RebuiltRowSet {
  /** The block ID of its key file. */
  readonly id: bigint;
  /** Rows of the base data. */
  readonly rows: number;
  readonly minKey: Uint8Array;
  readonly maxKey: Uint8Array;
  readonly blocks: RowSetBlocks;
  /** Its files, and how each was found. */
  readonly files: readonly FoundFile[];
  /** Tables and tablets that it fits; one if that is certain. */
  readonly places: readonly { readonly table: KnownTable; readonly tablet: string | undefined }[];
  /** Why its base files or its table are not certain; empty if they are. */
  readonly doubts: readonly string[];
  /** Delta files that may belong to it, or to others. */
  readonly possibleDeltas: readonly SurveyedBlock[];
}

/** A tablet made of row sets. */
export interface RebuiltTablet {
  readonly id: string;
  readonly table: KnownTable;
  readonly partition: Partition;
  readonly rowSets: readonly RebuiltRowSet[];
  /** Why its base files may be wrong or incomplete; empty if they are certain. */
  readonly doubts: readonly string[];
  /**
   * Snapshots up to this timestamp do not depend on delta files that may belong to it or to others; `undefined` without such files.
   */
  readonly certainUntil: bigint | undefined;
}

/** Files that fit several row sets, or several roles in one. */
export interface AmbiguousFiles {
  readonly blocks: readonly SurveyedBlock[];
  /** IDs of row sets. */
  readonly candidates: readonly bigint[];
}

/** The result of {@link rebuildKuduDir}. */
export interface RebuiltDir {
  /** UUID of the server, if a root still has it. */
  readonly server: string | undefined;
  readonly blocks: number;
  readonly tablets: readonly RebuiltTablet[];
  readonly rowSets: readonly RebuiltRowSet[];
  readonly ambiguous: readonly AmbiguousFiles[];
  /** Blocks that belong to no row set, and why. */
  readonly leftover: readonly { readonly block: SurveyedBlock; readonly reason: string }[];
}

/** See `on-demand.ts`. */
export async function rebuildKuduDir(dir: KuduDir, options: RebuildOptions = {}): Promise<RebuiltDir> {
  const { tables: known = [], choices = {} } = options;
  const used = await dir.blockUses();
  const stored = (await dir.blocks.list()).filter(({ id }) => !used.has(id));
  const isFileManager = dir.roots.dataFolders.some(({ type }) => type === "file");
  const surveyed = await surveyBlocks(stored, isFileManager, options);
  const order = new BlockOrder(surveyed);
  const evidence = await LogEvidence.of(dir, surveyed);
  const isGiven = known.some(({ origin }) => origin === "given");
  const { logs } = evidence;
  const tables = isGiven
    ? known
    : [...withLoggedSchemas(known, logs), ...tablesOfLogs(logs, known, dir.uuid)];
  const context: FindContext = { tables, server: dir.uuid, choices, evidence };
  const { groups, columns, deltas, unusable } = await findRowSets(order, context);
  const rowSets = groups.map(rowSetOf);
  const ambiguous = [
    ...columns.map(({ run, candidates }) => ({ blocks: [...run.columns, ...run.deltas], candidates })),
    ...deltas.map(({ block, candidates }) => ({
      blocks: [block],
      candidates: candidates.map(({ group }) => group),
    })),
  ].filter(({ blocks: [first], candidates }) => candidates.length > 0 && first?.kind !== "damaged");
  const named = new Set([
    ...ambiguous.flatMap(({ blocks }) => blocks),
    ...unusable.map(({ block }) => block),
  ]);
  const isUsed = new Set(
    groups.flatMap(({ files, base }) => [...base.keyColumns, ...files.map(({ block }) => block)]),
  );
  return {
    server: dir.uuid,
    blocks: surveyed.length,
    tablets: await Promise.all(
      tabletsOf(groups, rowSets, context).map((tablet) => withSharedKeys(tablet, dir)),
    ),
    rowSets,
    ambiguous: ambiguous.map(({ blocks, candidates }) => ({
      blocks,
      candidates: [...new Set(candidates.map(({ id }) => id))],
    })),
    leftover: [
      ...unusable,
      ...surveyed
        .filter((block) => !isUsed.has(block) && !named.has(block))
        .map((block) => ({ block, reason: block.error?.message ?? reasonOf(block, order) })),
    ],
  };
}

/** Adds a doubt if row sets share keys: those that a compaction replaced have the keys of the new one. */
async function withSharedKeys(tablet: RebuiltTablet, dir: KuduDir): Promise<RebuiltTablet> {
  if (tablet.doubts.length > 0) {
    return tablet;
  }
  try {
    const shared = await findSharedKey(tablet, dir.blocks);
    return shared === undefined ? tablet : { ...tablet, doubts: [shared] };
  } catch (error) {
    return {
      ...tablet,
      doubts: [`the keys of its row sets cannot be compared: ${findingOf(error).message}`],
    };
  }
}

function reasonOf(block: SurveyedBlock, order: BlockOrder): string {
  return order.isFree(block) ? "fits no row set" : "column that the table no longer has";
}

function rowSetOf(group: RowSetGroup): RebuiltRowSet {
  const { base, undo, redo, columns } = group;
  const isComposite = base.key.kind === "ad-hoc index";
  return {
    id: group.id,
    rows: base.rows,
    minKey: base.bounds.min,
    maxKey: base.bounds.max,
    blocks: {
      id: group.id,
      lastDurableDmsId: -1n,
      columns: new Map(
        [...columns].sort(([left], [right]) => left - right).map(([id, block]) => [id, block.id]),
      ),
      redo: redo.map(({ id }) => id),
      undo: undo.map(({ id }) => id),
      bloom: base.bloom?.id,
      adhocIndex: isComposite ? base.key.id : undefined,
      liveRowCount: undefined,
    },
    files: group.files,
    places: group.places.map(({ table, tablet }) => ({ table, tablet: tablet?.id })),
    doubts: group.doubts,
    possibleDeltas: group.possibleDeltas,
  };
}

/** Tablets of known tables, and for other tables each row set as a separate tablet. */
function tabletsOf(
  groups: readonly RowSetGroup[],
  rowSets: readonly RebuiltRowSet[],
  { tables, server }: FindContext,
): readonly RebuiltTablet[] {
  const tablets: RebuiltTablet[] = [];
  for (const table of tables) {
    for (const { id, partition, servers } of table.tablets) {
      const mine = groups.flatMap(({ places }, i) => {
        const rowSet = rowSets[i];
        return rowSet !== undefined && places.some(({ tablet }) => tablet?.id === id) ? [rowSet] : [];
      });
      if (mine.length > 0 || (server !== undefined && servers.includes(server))) {
        tablets.push(tabletOf(id, table, partition, mine));
      }
    }
  }
  groups.forEach(({ place }, i) => {
    const rowSet = rowSets[i];
    if (place !== undefined && place.tablet === undefined && rowSet !== undefined) {
      const id = rowSet.id.toString(16).padStart(32, "0");
      const { table } = place;
      tablets.push(tabletOf(id, table, EVERYWHERE, [rowSet]));
    }
  });
  return tablets;
}

function tabletOf(
  id: string,
  table: KnownTable,
  partition: Partition,
  rowSets: readonly RebuiltRowSet[],
): RebuiltTablet {
  const times = rowSets.flatMap(({ possibleDeltas }) =>
    possibleDeltas.map(({ deltas }) => deltas?.minTimestamp ?? 0n),
  );
  return {
    id,
    table,
    partition,
    rowSets,
    doubts: rowSets.flatMap((rowSet) => rowSet.doubts.map((doubt) => `row set ${rowSet.id}: ${doubt}`)),
    certainUntil:
      times.length === 0 ? undefined : times.reduce((left, right) => (left < right ? left : right)),
  };
}
