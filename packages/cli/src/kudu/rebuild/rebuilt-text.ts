/** What `cfile kudu rebuild` found, as text. */
import { printable } from "@cfile/cell-text";
import type { AmbiguousFiles, RebuiltTablet } from "@cfile/kudu-dir";
import { counted, countText, sum } from "../../records/quantity.js";
import { left, right, tableLines } from "../../records/table.js";
import type { RebuildResult } from "./rebuilt-json.js";

const ORIGINS = {
  catalog: "",
  given: "schema as given",
  log: "schema from the log",
  guess: "schema is a guess",
} as const;

export function rebuiltLines({ rebuilt, written, output }: RebuildResult): string[] {
  const { blocks, tablets, rowSets, ambiguous, leftover } = rebuilt;
  const size = [
    counted(blocks, "block"),
    counted(rowSets.length, "DiskRowSet"),
    counted(sum(rowSets.map(({ rows }) => rows)), "row"),
  ];
  return [
    `server ${rebuilt.server ?? "unknown"}: ${size.join(", ")}`,
    ...tableLines(
      [left("table"), left("tablet"), right("DiskRowSets"), right("rows in files"), left("")],
      tablets.map(tabletCells),
      "",
    ),
    ...(ambiguous.length === 0 ? [] : ["ambiguous:", ...ambiguous.map(ambiguousLine)]),
    ...(leftover.length === 0 ? [] : ["left over:"]),
    ...leftover.map(({ block, reason }) => `  block ${block.id}, ${block.kind}: ${printable(reason)}`),
    ...(written === undefined || output === undefined
      ? []
      : [
          `${printable(output)}: ${counted(written.written.length, "superblock")}; not written: ${counted(written.refused.length, "tablet")}`,
        ]),
  ];
}

function tabletCells({ id, table, rowSets, doubts, certainUntil }: RebuiltTablet): string[] {
  const notes = [
    ORIGINS[table.origin],
    ...doubts,
    ...(certainUntil === undefined ? [] : [`certain as of ${certainUntil}; later changes are ambiguous`]),
  ];
  return [
    printable(table.name),
    id,
    countText(rowSets.length),
    countText(sum(rowSets.map(({ rows }) => rows))),
    notes.filter((note) => note !== "").join("; "),
  ];
}

function ambiguousLine({ blocks, candidates }: AmbiguousFiles): string {
  const [first] = blocks;
  const ids = blocks.map(({ id }) => id).join(", ");
  const what =
    blocks.length === 1 && first?.deltas !== undefined
      ? `delta file in block ${ids}, ${counted(first.rows, "change")} from ${first.deltas.minTimestamp}`
      : `columns in blocks ${ids}`;
  return `  ${what}: row set ${candidates.join(" or ")}`;
}
