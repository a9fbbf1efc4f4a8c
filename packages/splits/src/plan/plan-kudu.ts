/**
 * Splits of a Kudu table by row sets. They state the locations of all blocks, so that reading a split needs no journals. Blocks never
 * change while a superblock references them: as long as it references the same blocks, a row set is unchanged.
 */
import type { KuduDir, KuduTablet, TabletRowSet } from "@cfile/kudu-dir";
import type { RowSetBlocks } from "@cfile/kudu-dir/catalog";
import { rolesOf } from "@cfile/kudu-dir/catalog";
import type { RowSetColumn } from "@cfile/rowset";
import type { RowSetPiece, Split, SplitFile } from "../lines/split.js";
import { digest, identifiedSplit } from "../lines/split-line.js";
import { type KuduPlanOptions, type NeededColumns, neededColumns } from "./plan-options.js";
import { divisibleRowSet, type PlannedRowSet } from "./plan-row-sets.js";
import { newestOf } from "./plan-tablets.js";
import { mapParts, requiredParts } from "./row-set-parts.js";
import { type Divisible, groupsOf, mapAtOnce, targetBytes } from "./split-groups.js";

/** Columns of a tablet and the pieces of its row sets. */
interface PlannedTablet {
  readonly needed: NeededColumns;
  readonly wholes: readonly Divisible<RowSetPiece>[];
}

/**
 * Plans splits of the row sets of one table's tablets, without unflushed writes. Reads the footer of each key file, and the
 * positional indexes of row sets that are divided. A row set with damage or missing blocks there is not divided: reading it reports
 * the damage.
 *
 * @param tablets tablets that are not in the state `ready` are ignored
 * @throws {CFileError} `E_INVALID_ARGUMENT` for unknown columns; `E_HISTORY_GONE` for a snapshot before the history
 */
export async function planKudu(
  dir: KuduDir,
  tablets: readonly KuduTablet[],
  options: KuduPlanOptions,
): Promise<Split[]> {
  const target = targetBytes(options.targetBytes);
  const { dirs, asOf, partialHistory, signal } = options;
  const requested = neededColumns(newestOf(tablets).schema, options);
  const planned: PlannedTablet[] = [];
  for (const tablet of tablets.filter(({ state }) => state === "ready")) {
    await tablet.requireHistory("asOf", asOf, { partialHistory });
    const needed = { ...requested, schema: schemaIn(tablet, requested.schema) };
    const wholes = await mapAtOnce(tablet.rowSets, signal, async (rowSet) => {
      const found = await plannedRowSet(dir, tablet, rowSet, needed, asOf);
      return divisibleRowSet(found, needed, target, rowSet.blocks.liveRowCount, signal);
    });
    planned.push({ needed, wholes: wholes.filter((whole) => whole !== undefined) });
  }
  const contents = bySchema(planned).flatMap(({ needed: { schema, columns, where }, wholes }) =>
    groupsOf(wholes, target).map(
      (group) => ({ kind: "kudu", schema, columns, where, asOf, dirs, ...group }) as const,
    ),
  );
  return Promise.all(contents.map((content, number) => identifiedSplit({ number, ...content })));
}

/** A digest of the IDs and roles of all blocks of a row set. */
export function blocksDigest(blocks: RowSetBlocks): Promise<string> {
  return digest([...rolesOf(blocks)].map(({ id, role }) => `${role} ${id}\n`).join(""));
}

/** The columns in the schema of a tablet, which may be older, under their current names. */
function schemaIn({ schema }: KuduTablet, columns: readonly RowSetColumn[]): readonly RowSetColumn[] {
  return columns.map((column) => {
    const own = schema.columns.find(({ id }) => id === column.id) ?? column;
    return { ...own, name: column.name };
  });
}

/** Merges consecutive tablets with the same schema. */
function bySchema(planned: readonly PlannedTablet[]): PlannedTablet[] {
  const tables: { needed: NeededColumns; wholes: Divisible<RowSetPiece>[]; key: string }[] = [];
  for (const { needed, wholes } of planned) {
    const key = needed.schema
      .map(({ id, type, nullable, array, precision, scale, length, readDefault }) =>
        [id, type, nullable, array, precision, scale, length, String(readDefault)].join(" "),
      )
      .join("\n");
    const last = tables.at(-1);
    if (last?.key === key) {
      last.wholes.push(...wholes);
    } else {
      tables.push({ needed, wholes: [...wholes], key });
    }
  }
  return tables;
}

async function plannedRowSet(
  dir: KuduDir,
  tablet: KuduTablet,
  rowSet: TabletRowSet,
  needed: NeededColumns,
  asOf: bigint | undefined,
): Promise<PlannedRowSet> {
  const { id, blocks } = rowSet;
  const parts = await mapParts(requiredParts(blocks, needed, asOf), (block) => locationOf(dir, block));
  const piece = { tablet: tablet.id, rowSet: id, blocks: await blocksDigest(blocks), ...parts };
  return { piece, files: requiredParts(await rowSet.files(), needed, asOf) };
}

async function locationOf({ blocks }: KuduDir, id: bigint): Promise<SplitFile> {
  const block = await blocks.find(id);
  return block === undefined
    ? { path: "", size: 0, block: { id, offset: 0 } }
    : { path: block.path, size: await block.source.size(), block: { id, offset: block.offset } };
}
