/** Finds the row sets of a server in its blocks alone: base files, tables and tablets, compacted columns, delta files. */
import { isCFileError } from "@cfile/bytes";
import { alignColumns, droppedIds } from "./align-columns.js";
import { type BaseFiles, findBaseFiles } from "./base-files.js";
import type { BlockOrder } from "./block-order.js";
import { fittingTablets } from "./fitting-tablets.js";
import { guessedTables } from "./guessed-tables.js";
import type { KnownTable, KnownTablet } from "./known-tables.js";
import type { LogEvidence } from "./log-evidence.js";
import { matchLoneDeltas, type UnmatchedDelta } from "./lone-deltas.js";
import { type DeletedBlocks, matchCompacted, type UnmatchedColumns } from "./match-compacted.js";
import { chosenGroup, type RebuildChoices } from "./rebuild-choices.js";
import { RowSetGroup, type TablePlace } from "./row-set-group.js";
import { compactedColumns, deltasOfBase } from "./run-deltas.js";
import type { SurveyedBlock } from "./survey-blocks.js";

/** What is known in addition to the blocks. */
export interface FindContext {
  readonly tables: readonly KnownTable[];
  /** The server's UUID. */
  readonly server: string | undefined;
  readonly deletions: DeletedBlocks;
  readonly choices: RebuildChoices;
  readonly evidence: LogEvidence;
}

/** What was found, and what fits several row sets or none. */
export interface FoundGroups {
  readonly groups: readonly RowSetGroup[];
  readonly columns: readonly UnmatchedColumns[];
  readonly deltas: readonly UnmatchedDelta[];
  /** Key files without a row set, and why. */
  readonly unusable: readonly { readonly block: SurveyedBlock; readonly reason: string }[];
}

/** Hybrid timestamps are microseconds with 12 more bits; smaller ones are counters. */
const FIRST_HYBRID = 1n << 56n;
const CLOCK_SLACK_MILLISECONDS = 10_000;

export async function findRowSets(order: BlockOrder, context: FindContext): Promise<FoundGroups> {
  const unusable: { block: SurveyedBlock; reason: string }[] = [];
  const bases = await findBases(order, unusable);
  const guesses = guessedTables(bases);
  const groups: RowSetGroup[] = [];
  for (const base of bases) {
    groups.push(await groupOf(base, order, guesses, context));
  }
  const columns = await matchCompacted(compactedColumns(order), groups, order, context);
  for (const group of groups) {
    group.settle();
    group.places = await context.evidence.narrowPlaces(group);
    addColumns(group, order);
  }
  for (const { run, candidates } of columns) {
    for (const group of candidates) {
      group.doubts.push(`columns in ${idsOf(run.columns)} may belong to it`);
    }
  }
  // Files made with columns that fit several row sets are in doubt with them.
  const undecided = new Set(columns.flatMap(({ run }) => run.deltas));
  giveChosen(groups, order, context.choices);
  const lone = order.free("delta").filter((block) => !undecided.has(block));
  const deltas = await matchLoneDeltas(lone, groups, order, {
    deleted: context.deletions,
    evidence: context.evidence,
    unmatched: columns,
  });
  for (const group of groups) {
    // The delta files that were found may separate tablets.
    group.places = await context.evidence.narrowPlaces(group);
    addColumns(group, order);
  }
  for (const { block, candidates } of deltas) {
    for (const { group, kind } of candidates) {
      if (kind === "redo") {
        group.possibleDeltas.push(block);
      } else {
        group.doubts.push(`delta file in block ${block.id} may be its UNDO file`);
      }
    }
  }
  for (const group of groups) {
    addDoubts(group);
  }
  return { groups, columns, deltas, unusable };
}

/** Gives delta files to the row sets that the user chose. */
function giveChosen(groups: readonly RowSetGroup[], order: BlockOrder, choices: RebuildChoices): void {
  for (const block of order.free("delta")) {
    if (choices.blocks?.has(block.id) === true) {
      const group = chosenGroup(block, groups, choices);
      group?.addRedo(block, "chosen");
      order.claim(block, group?.id ?? -1n);
    }
  }
}

function idsOf(blocks: readonly SurveyedBlock[]): string {
  return `${blocks.length === 1 ? "block" : "blocks"} ${blocks.map(({ id }) => id).join(", ")}`;
}

/** The base files of all row sets. Those with blocks of others in between are last, when the others have theirs. */
async function findBases(
  order: BlockOrder,
  unusable: { block: SurveyedBlock; reason: string }[],
): Promise<readonly BaseFiles[]> {
  const found: BaseFiles[] = [];
  const find = async (key: SurveyedBlock, acceptsMixed: boolean): Promise<boolean> => {
    try {
      const base = await findBaseFiles(key, order);
      if (base === undefined) {
        unusable.push({ block: key, reason: "its key columns are missing" });
      } else if (acceptsMixed || !base.isMixed) {
        found.push(base);
        claimBase(base, order);
      } else {
        claimKeys(base, order);
        return false;
      }
    } catch (error) {
      if (!isCFileError(error) || error.code === "E_IO" || error.code === "E_SOURCE_CHANGED") {
        throw error;
      }
      unusable.push({ block: key, reason: error.message });
    }
    return true;
  };
  const mixed: SurveyedBlock[] = [];
  for (const key of [...order.free("key column"), ...order.free("ad-hoc index")]) {
    if (!(await find(key, false))) {
      mixed.push(key);
    }
  }
  for (const key of mixed) {
    await find(key, true);
  }
  return found.sort((left, right) => (left.start < right.start ? -1 : 1));
}

function claimKeys({ id, key, keyColumns, bloom }: BaseFiles, order: BlockOrder): void {
  for (const block of [key, ...keyColumns, ...(bloom === undefined ? [] : [bloom])]) {
    order.claim(block, id);
  }
}

function claimBase(base: BaseFiles, order: BlockOrder): void {
  claimKeys(base, order);
  for (const block of base.isMixed ? [] : base.slots) {
    if (block !== undefined) {
      order.claim(block, base.id);
    }
  }
}

async function groupOf(
  base: BaseFiles,
  order: BlockOrder,
  guesses: readonly KnownTable[],
  context: FindContext,
): Promise<RowSetGroup> {
  const deltas = await deltasOfBase(base, order);
  const first = [...(deltas?.undo ?? [])].reduce<bigint | undefined>((least, { deltas: statistics }) => {
    const time = statistics?.minTimestamp;
    return least === undefined || (time !== undefined && time < least) ? time : least;
  }, undefined);
  const known = await placesOf(base, context.tables, first, context);
  const places = known.length > 0 ? known : await placesOf(base, guesses, undefined, context);
  const group = new RowSetGroup(base, places);
  for (const block of deltas?.undo ?? []) {
    group.addUndo(block, "made right after the base files");
    const last = block.deltas?.maxTimestamp ?? 0n;
    // A replica that was copied also has UNDO files of later compactions.
    group.flushedUntil =
      base.copiedDeltas.length === 0 && last > group.flushedUntil ? last : group.flushedUntil;
    order.claim(block, base.id);
  }
  for (const block of deltas?.redo ?? []) {
    group.addRedo(block, "made right after the base files");
    order.claim(block, base.id);
  }
  if (deltas === undefined) {
    group.doubts.push(`copied delta files in ${idsOf(base.copiedDeltas)} may be UNDO or REDO files`);
  }
  group.places = await context.evidence.narrowPlaces(group);
  addKeyFiles(group);
  addColumns(group, order);
  return group;
}

/** The tables and tablets that a row set fits. */
async function placesOf(
  base: BaseFiles,
  tables: readonly KnownTable[],
  firstChange: bigint | undefined,
  { server, choices, evidence: { logs } }: FindContext,
): Promise<readonly TablePlace[]> {
  const places: TablePlace[] = [];
  for (const table of tables) {
    const alignments = alignColumns(base, table);
    if (alignments.length > 0 && existedAt(table, firstChange, base.key.createdAt)) {
      const tablets = table.tablets.length === 0 ? [undefined] : await fittingTablets(table, base.keyColumns);
      // Without a master, a table can have more tablets than are known.
      const all = tablets.length === 0 && table.createdAt === undefined ? [undefined] : tablets;
      places.push(...all.flatMap((tablet) => alignments.map((alignment) => ({ table, tablet, alignment }))));
    }
  }
  const chosen = choices.tablets?.get(base.id);
  if (chosen !== undefined) {
    return places.filter(({ tablet }) => tablet?.id === chosen);
  }
  const here = places.filter(
    ({ tablet }) =>
      tablet === undefined || (isOn(tablet, server) && (logs.size === 0 || logs.has(tablet.id))),
  );
  return here.length > 0 ? here : places;
}

function isOn({ servers }: KnownTablet, server: string | undefined): boolean {
  return server === undefined || servers.length === 0 || servers.includes(server);
}

/** Whether the table existed when a row set was changed first, and when its files were written, in microseconds. */
function existedAt(
  { createdAt }: KnownTable,
  change: bigint | undefined,
  written: bigint | undefined,
): boolean {
  const times = [change !== undefined && change >= FIRST_HYBRID ? change >> 12n : undefined, written];
  return times.every(
    (time) =>
      createdAt === undefined ||
      time === undefined ||
      Number(time / 1000n) + CLOCK_SLACK_MILLISECONDS >= createdAt,
  );
}

/** Gives a row set the columns that are in place. */
function addColumns(group: RowSetGroup, order: BlockOrder): void {
  const { base, shape } = group;
  const verified = new Set(base.keyColumns);
  const dropped = shape === undefined ? [] : droppedIds(shape.alignment, shape.table.schema);
  base.slots.forEach((block, i) => {
    const id = shape?.alignment[i];
    const droppedId = dropped[i];
    if (block !== undefined && id === undefined && droppedId !== undefined && !base.isMixed) {
      group.addColumn(droppedId, block, "dropped column, found by its position");
    }
    if (block === undefined || id === undefined) {
      return;
    }
    order.claim(block, base.id);
    const evidence = verified.has(block)
      ? "key column, verified"
      : block.kind === "damaged"
        ? "damaged; found by its position"
        : base.isMixed
          ? "only order that fits the schema"
          : "found by its position between key column and Bloom file";
    group.addColumn(id, block, evidence);
  });
}

/** The Bloom file and the ad-hoc index, which are verified. */
function addKeyFiles(group: RowSetGroup): void {
  const { bloom, key } = group.base;
  if (bloom !== undefined) {
    group.add({ block: bloom, role: "bloom", evidence: "has exactly these keys" });
  }
  if (key.kind === "ad-hoc index") {
    group.add({ block: key, role: "adhoc-index", evidence: "its values are the encoded key columns" });
  }
}

function addDoubts(group: RowSetGroup): void {
  const { places, shape, doubts } = group;
  if (places.length === 0) {
    doubts.push("no table has these columns");
  } else if (group.place === undefined) {
    const names = [...new Set(places.map(({ table, tablet }) => `${table.name} ${tablet?.id ?? ""}`.trim()))];
    doubts.push(
      names.length > 1 ? `may belong to ${names.join(", ")}` : "its columns fit the schema in several ways",
    );
  }
  if (group.base.bloom === undefined) {
    // Blocks of another row set may lie between its files, so that the last ones were not found.
    doubts.push("no Bloom file with its keys found");
  }
  const missing = group.missing();
  if (shape !== undefined && missing.length > 0) {
    doubts.push(`no file of column ${missing.join(", ")} found`);
  }
}
