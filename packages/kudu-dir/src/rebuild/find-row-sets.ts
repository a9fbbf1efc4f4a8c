/** Finds the row sets of a server in its blocks alone: base files, tables and tablets, compacted columns, delta files. */
import { findingOf, invalidArgument } from "@cfile/bytes";
import { droppedIds } from "./columns/align-columns.js";
import { type BaseFiles, baseFilesOf, findKeyFiles, type KeyFiles } from "./columns/base-files.js";
import type { BlockOrder } from "./columns/block-order.js";
import { fittingPlaces } from "./columns/fitting-places.js";
import { matchColumns } from "./columns/interleaved-columns.js";
import { hasColumnsOf } from "./deltas/delta-fit.js";
import { matchLoneDeltas, type UnmatchedDelta } from "./deltas/lone-deltas.js";
import { hasOnlyRowsOf } from "./deltas/row-history.js";
import { deltasOfBase, type RowSetDeltas } from "./deltas/run-deltas.js";
import type { LogEvidence } from "./logs/log-evidence.js";
import type { UnmatchedColumns } from "./match-compacted.js";
import { chosenGroup, type RebuildChoices } from "./rebuild-choices.js";
import { RowSetGroup } from "./row-set-group.js";
import type { SurveyedBlock } from "./survey-blocks.js";
import { guessedTables } from "./tables/guessed-tables.js";
import type { KnownTable } from "./tables/known-tables.js";

/** What is known in addition to the blocks. */
export interface FindContext {
  readonly tables: readonly KnownTable[];
  /** The server's UUID. */
  readonly server: string | undefined;
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

/** Kinds of files that remain if row sets were not found, or if files are damaged. */
const PARTS = ["key column", "ad-hoc index", "bloom", "damaged"] as const;

export async function findRowSets(order: BlockOrder, context: FindContext): Promise<FoundGroups> {
  const unusable: { block: SurveyedBlock; reason: string }[] = [];
  const bases = await findBases(order, unusable);
  const guesses = guessedTables(bases);
  const groups: RowSetGroup[] = [];
  for (const base of bases) {
    const deltas = await deltasOfBase(base, order, bases);
    const places = await fittingPlaces(base, deltas.undo, { ...context, guesses });
    const group = new RowSetGroup(base, places);
    addDeltas(group, deltas, order);
    group.places = await context.evidence.narrowPlaces(group);
    addKeyFiles(group);
    addColumns(group, order);
    groups.push(group);
  }
  const isPartial = unusable.length > 0 || PARTS.some((kind) => order.free(kind).length > 0);
  const columns = await matchColumns(groups, order, { ...context, isPartial });
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
  const undecided = new Set(
    columns.flatMap(({ run, candidates }) => (candidates.length > 0 ? run.deltas : [])),
  );
  await giveChosen(groups, order, context.choices);
  const lone = order.freeDeltas().filter((block) => !undecided.has(block));
  // Delta files that came with a lost column are found alone.
  const lacksFiles = groups.some((group) => group.missing().length > 0);
  const deltas = await matchLoneDeltas(lone, groups, order, {
    evidence: context.evidence,
    isPartial: isPartial || lacksFiles,
    damaged: order.free("damaged"),
  });
  for (const group of groups) {
    // The delta files that were found may exclude tablets.
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

/**
 * Assigns delta files to the row sets that the user chose.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for a choice that does not fit
 */
async function giveChosen(
  groups: readonly RowSetGroup[],
  order: BlockOrder,
  choices: RebuildChoices,
): Promise<void> {
  for (const block of order.freeDeltas()) {
    if (choices.blocks?.has(block.id) === true) {
      const group = chosenGroup(block, groups, choices);
      if (group !== undefined && !(await hasOnlyRowsOf(block, group.base.rows))) {
        const reason = `the delta file in block ${block.id} changes rows that row set ${group.id} does not have`;
        throw invalidArgument(reason, { field: "choices" });
      }
      if (choices.blocks.get(block.id)?.kind === "undo") {
        group?.addUndo(block, "chosen");
      } else {
        group?.addRedo(block, "chosen");
      }
      order.claim(block, group?.id ?? -1n);
    }
  }
}

function idsOf(blocks: readonly SurveyedBlock[]): string {
  return `${blocks.length === 1 ? "block" : "blocks"} ${blocks.map(({ id }) => id).join(", ")}`;
}

/** The base files of all row sets. Interleaved row sets get theirs last, from the blocks that the others leave. */
async function findBases(
  order: BlockOrder,
  unusable: { block: SurveyedBlock; reason: string }[],
): Promise<readonly BaseFiles[]> {
  const found: KeyFiles[] = [];
  for (const key of [...order.free("key column"), ...order.free("ad-hoc index")]) {
    try {
      const files = await findKeyFiles(key, order);
      if (files === undefined) {
        unusable.push({ block: key, reason: "its key columns are missing" });
      } else {
        found.push(files);
        claimKeys(files, order);
      }
    } catch (error) {
      unusable.push({ block: key, reason: findingOf(error).message });
    }
  }
  const all = found.map((files) => baseFilesOf(files, order));
  const isMixed = (base: BaseFiles): boolean =>
    base.isMixed ||
    all.some((other) => overlap(base, other)) ||
    // Its columns may lie between those of this one.
    unusable.some(({ block: { rows, order: at } }) => rows === base.rows && at > base.start);
  const mixed = all.filter(isMixed);
  const others = all.filter((base) => !mixed.includes(base));
  for (const { id, slots } of others) {
    for (const block of slots) {
      if (block !== undefined) {
        order.claim(block, id);
      }
    }
  }
  return [...others, ...mixed.map((files) => ({ ...baseFilesOf(files, order), isMixed: true }))].sort(
    (left, right) => (left.start < right.start ? -1 : 1),
  );
}

function claimKeys({ id, key, keyColumns, bloom }: KeyFiles, order: BlockOrder): void {
  for (const block of [key, ...keyColumns, ...(bloom === undefined ? [] : [bloom])]) {
    order.claim(block, id);
  }
}

/** Whether the blocks of two row sets are interleaved. */
function overlap(one: BaseFiles, other: BaseFiles): boolean {
  return one.id !== other.id && one.start <= other.end && other.start <= one.end;
}

/** Assigns to a row set the delta files that belong to it by their position. */
function addDeltas(group: RowSetGroup, { undo, redo, nearby }: RowSetDeltas, order: BlockOrder): void {
  const { base, places } = group;
  const isCopied = base.copiedDeltas.length > 0;
  const files = [...undo, ...redo];
  // While a replica is copied, other tablets can flush.
  const isOfTable = files.every((block) => places.some(({ table }) => hasColumnsOf(block, table)));
  if (isCopied && places.length > 0 && !isOfTable) {
    group.nearby = files.map((block) => ({ block, kinds: ["undo", "redo"], isOwn: false }));
    return;
  }
  const evidence = isCopied ? "copied with the base files" : "made right after the base files";
  for (const block of undo) {
    group.addUndo(block, evidence);
    // A replica that was copied also has UNDO files of later compactions.
    group.flushedUntil = isCopied ? 0n : block.deltas.maxTimestamp;
  }
  for (const block of redo) {
    group.addRedo(block, evidence);
  }
  for (const block of files) {
    order.claim(block, base.id);
  }
  group.nearby = nearby;
}

/** Assigns to a row set the columns at their positions, unless they may belong to another row set. */
function addColumns(group: RowSetGroup, order: BlockOrder): void {
  const { base, shape } = group;
  if (group.isUnclear) {
    return;
  }
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
          ? "only way to divide the columns of row sets written at the same time"
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
  if (group.isUnclear) {
    doubts.push("its columns lie between those of row sets written at the same time");
  }
  if (group.base.bloom === undefined) {
    // Blocks of another row set may lie between its files, so the last ones were not found.
    doubts.push("no Bloom file with its keys found");
  }
  const missing = group.missing();
  if (shape !== undefined && missing.length > 0) {
    doubts.push(`no file of column ${missing.join(", ")} found`);
  }
}
