/**
 * Splits of a table in the directories of a Kudu server. The places of all blocks are in them: what reads them needs no journals.
 * Blocks never change, and a superblock names them as long as they are there: that it names the same ones tells that a row set is
 * what it was.
 */
import type { KuduDir, KuduTablet, TabletRowSet } from "@cfile/kudu-dir";
import type { RowSetBlocks } from "@cfile/kudu-dir/catalog";
import { rolesOf } from "@cfile/kudu-dir/catalog";
import type { RowSetColumn, RowSetFiles } from "@cfile/rowset";
import type { RowSetPiece, Split, SplitFile } from "../lines/split.js";
import { digest } from "../lines/split-id.js";
import { identifiedSplit } from "../lines/split-line.js";
import { type KuduPlanOptions, type NeededColumns, neededColumns } from "./plan-options.js";
import { divisibleRowSet, isOnlyKey, type PlannedRowSet } from "./plan-row-sets.js";
import { newestOf } from "./plan-tablets.js";
import { type Divisible, groupsOf, targetBytes } from "./split-groups.js";

/** Row sets that are looked at together. */
const AT_ONCE = 8;

/** Columns of a tablet and the pieces of its row sets. */
interface PlannedTablet {
  readonly needed: NeededColumns;
  readonly wholes: readonly Divisible<RowSetPiece>[];
}

/**
 * The row sets of tablets of one table in independent pieces. Of each row set the key's footer is read, and where it is divided the
 * columns' positional indexes. One that is damaged there, or of which blocks are missing, is not divided: reading it will tell. What
 * is only in the write-ahead log is not among them.
 *
 * @param tablets of which those are left out that are not in the state `ready`
 * @throws CFileError `E_INVALID_ARGUMENT` for columns that are not there; `E_HISTORY_GONE` for a state that is gone
 */
export async function planKudu(
  dir: KuduDir,
  tablets: readonly KuduTablet[],
  options: KuduPlanOptions,
): Promise<Split[]> {
  const target = targetBytes(options.targetBytes);
  const { dirs, asOf, partialHistory, signal } = options;
  const newest = newestOf(tablets);
  const asked = neededColumns(newest.schema, options);
  const planned: PlannedTablet[] = [];
  for (const tablet of tablets.filter(({ state }) => state === "ready")) {
    signal?.throwIfAborted();
    await tablet.requireHistory("asOf", asOf, { partialHistory });
    const needed = { ...asked, schema: schemaIn(tablet, asked.schema) };
    const wholes: Divisible<RowSetPiece>[] = [];
    for (let first = 0; first < tablet.rowSets.length; first += AT_ONCE) {
      const some = tablet.rowSets.slice(first, first + AT_ONCE).map(async (rowSet) => {
        const found = await plannedRowSet(dir, tablet, rowSet, needed, asOf);
        return divisibleRowSet(found, needed, target, rowSet.blocks.liveRowCount, signal);
      });
      wholes.push(...(await Promise.all(some)).flatMap((whole) => whole ?? []));
    }
    planned.push({ needed, wholes });
  }
  const contents = bySchema(planned).flatMap(({ needed: { schema, columns, where }, wholes }) =>
    groupsOf(wholes, target).map(
      (group) => ({ kind: "kudu", schema, columns, where, asOf, dirs, ...group }) as const,
    ),
  );
  return Promise.all(contents.map((content, number) => identifiedSplit({ number, ...content })));
}

/** Ids and roles of all blocks of a row set: another digest, another row set. */
export function blocksDigest(blocks: RowSetBlocks): Promise<string> {
  return digest([...rolesOf(blocks)].map(({ id, role }) => `${role} ${id}\n`).join(""));
}

/** The columns as a tablet has them whose schema may be an older one, under the names that they have now. */
function schemaIn({ schema }: KuduTablet, columns: readonly RowSetColumn[]): readonly RowSetColumn[] {
  return columns.map((column) => {
    const own = schema.columns.find(({ id }) => id === column.id) ?? column;
    return { ...own, name: column.name };
  });
}

/** Tablets in a row with the same schema are divided and put together as one. */
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
  { schema, ids }: NeededColumns,
  asOf: bigint | undefined,
): Promise<PlannedRowSet> {
  const { id, blocks } = rowSet;
  const all = await rowSet.files();
  const isWanted = (column: number): boolean => ids.has(column) || isOnlyKey(schema, column);
  const place = (block: bigint): Promise<SplitFile> => placeOf(dir, block);
  const columns = new Map<number, SplitFile>();
  for (const [column, block] of blocks.columns) {
    if (isWanted(column)) {
      columns.set(column, await place(block));
    }
  }
  const files: RowSetFiles = {
    columns: new Map([...all.columns].filter(([column]) => isWanted(column))),
    adhocIndex: all.adhocIndex,
    redo: all.redo,
    undo: asOf === undefined ? [] : all.undo,
  };
  return {
    piece: {
      tablet: tablet.id,
      rowSet: id,
      blocks: await blocksDigest(blocks),
      columns,
      adhocIndex: blocks.adhocIndex === undefined ? undefined : await place(blocks.adhocIndex),
      redo: await Promise.all(blocks.redo.map(place)),
      undo: await Promise.all((asOf === undefined ? [] : blocks.undo).map(place)),
    },
    files,
  };
}

async function placeOf({ blocks }: KuduDir, id: bigint): Promise<SplitFile> {
  const block = await blocks.find(id);
  return block === undefined
    ? { path: "", size: 0, block: { id, offset: 0 } }
    : { path: block.path, size: await block.source.size(), block: { id, offset: block.offset } };
}
