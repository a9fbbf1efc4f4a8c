/**
 * `cfile kudu tree`: draws the key ranges of DiskRowSets. The axis has all first and last keys in order, so that overlaps
 * are visible whatever the keys are.
 */
import { compareBytes, toHex } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import type { KuduTablet } from "@cfile/kudu-dir";
import { keyExtents, type RowSetExtent, type TabletExtents } from "@cfile/kudu-dir/catalog";
import { JSON_OPTION, TABLETS } from "../options/options.js";
import { command } from "../program/command.js";
import { EXIT } from "../program/exit-code.js";
import { keyText } from "../records/key-text.js";
import { counted, countText, sizeText } from "../records/quantity.js";
import { left, right, tableLines } from "../records/table.js";
import { CLUSTER_DIRS } from "./cluster/cluster-directories.js";
import { SERVERS, tabletsOnServers, withKuduServers } from "./kudu-servers.js";
import { partitionJson } from "./partition-text.js";

const WIDTH = 48;

export const tree = command({
  args: { dirs: CLUSTER_DIRS },
  options: { ...TABLETS, json: JSON_OPTION, ...SERVERS },
  examples: [
    ["Show which DiskRowSets of a table may have the same keys", "cfile kudu tree backup --table t"],
  ],
  run: (context, { json, ...values }) =>
    withKuduServers(values, async (servers) => {
      const drawn: DrawnTablet[] = [];
      for (const { name: server, tablet } of await tabletsOnServers(servers, values)) {
        context.io.signal?.throwIfAborted();
        drawn.push({ server, tablet, extents: await keyExtents(tablet) });
      }
      if (json) {
        await context.stdout.line(JSON.stringify({ tablets: drawn.map(tabletJson) }, undefined, 1));
      } else {
        for (const one of drawn) {
          await context.stdout.line(tabletLines(one).join("\n"));
        }
      }
      const rowSets = drawn.flatMap(({ extents }) => extents.rowSets);
      await context.reportErrors(json ? [] : rowSets.flatMap(({ problem }) => problem ?? []));
      const isComplete = rowSets.every(
        ({ problem, missing }) => problem === undefined && missing.length === 0,
      );
      context.exitCode = isComplete ? EXIT.ok : EXIT.corrupt;
    }),
});

interface DrawnTablet {
  /** `undefined` if the directories are those of one server. */
  readonly server: string | undefined;
  readonly tablet: KuduTablet;
  readonly extents: TabletExtents;
}

function tabletJson({ server, tablet, extents }: DrawnTablet): object {
  const { id, tableName, schema, state, superblock } = tablet;
  const { rowSets, depth } = extents;
  return {
    server,
    tablet: id,
    table: tableName,
    state,
    partition: partitionJson(superblock),
    depth,
    row_sets: rowSets.map((rowSet) => ({
      row_set: String(rowSet.id),
      rows: rowSet.rows,
      live_rows: rowSet.liveRows,
      bytes: rowSet.bytes,
      min_key: rowSet.minKey && toHex(rowSet.minKey),
      max_key: rowSet.maxKey && toHex(rowSet.maxKey),
      min_key_text: rowSet.minKey && keyText(schema, rowSet.minKey),
      max_key_text: rowSet.maxKey && keyText(schema, rowSet.maxKey),
      undo_files: rowSet.undoFiles,
      redo_files: rowSet.redoFiles,
      overlaps: rowSet.overlaps.map(String),
      missing_blocks: rowSet.missing.map(String),
      problem: rowSet.problem,
    })),
  };
}

function tabletLines({ server, tablet, extents }: DrawnTablet): string[] {
  const { id, tableName, schema, state } = tablet;
  const { rowSets, depth } = extents;
  const place = server === undefined ? "" : ` on server ${server}`;
  const head = `${printable(tableName)}, tablet ${id}${place}: ${counted(rowSets.length, "DiskRowSet")}, at most ${depth} with the same key${state === "ready" ? "" : `; the tablet is ${state}`}`;
  const axis = axisOf(rowSets);
  return [
    head,
    ...tableLines(
      [...["id", "rows", "size", "undo", "redo"].map(right), ...["keys", "first", "last", ""].map(left)],
      rowSets.map((rowSet) => [
        String(rowSet.id),
        rowSet.rows === undefined ? "?" : countText(rowSet.rows),
        sizeText(rowSet.bytes),
        String(rowSet.undoFiles),
        String(rowSet.redoFiles),
        barOf(rowSet, axis),
        rowSet.minKey === undefined ? "" : keyText(schema, rowSet.minKey),
        rowSet.maxKey === undefined ? "" : keyText(schema, rowSet.maxKey),
        remarkOf(rowSet),
      ]),
    ),
  ];
}

/** All distinct first and last keys, in order. */
function axisOf(rowSets: readonly RowSetExtent[]): readonly Uint8Array[] {
  const keys = rowSets
    .flatMap(({ minKey, maxKey }) => [minKey, maxKey])
    .filter((key) => key !== undefined)
    .sort(compareBytes);
  return keys.filter((key, i) => {
    const previous = keys[i - 1];
    return previous === undefined || compareBytes(previous, key) !== 0;
  });
}

function barOf({ minKey, maxKey }: RowSetExtent, axis: readonly Uint8Array[]): string {
  if (minKey === undefined || maxKey === undefined) {
    return "·".repeat(WIDTH);
  }
  const columnOf = (key: Uint8Array): number => {
    const rank = axis.findIndex((other) => compareBytes(other, key) === 0);
    return axis.length < 2 ? 0 : Math.round((rank * (WIDTH - 1)) / (axis.length - 1));
  };
  const [from, to] = [columnOf(minKey), columnOf(maxKey)];
  const bar = to === from ? "│" : `├${"─".repeat(Math.max(0, to - from - 1))}┤`;
  return "·".repeat(from) + bar + "·".repeat(Math.max(0, WIDTH - 1 - to));
}

function remarkOf({ overlaps, missing, problem }: RowSetExtent): string {
  return [
    ...(overlaps.length === 0 ? [] : [`overlaps ${overlaps.join(", ")}`]),
    ...(missing.length === 0 ? [] : [`${counted(missing.length, "block")} missing`]),
    ...(problem === undefined ? [] : ["keys not readable"]),
  ].join("; ");
}
