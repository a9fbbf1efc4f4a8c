/** What `cfile kudu rebuild` found, as JSON. */
import { toHex } from "@cfile/bytes";
import type { RebuiltDir, RebuiltRowSet, RebuiltTablet, WrittenMetadata } from "@cfile/kudu-dir";

/** What was found, and what was written where. */
export interface RebuildResult {
  readonly rebuilt: RebuiltDir;
  readonly written: WrittenMetadata | undefined;
  readonly output: string | undefined;
}

export function rebuiltJson({ rebuilt, written, output }: RebuildResult): unknown {
  const { server, blocks, tablets, rowSets, ambiguous, leftover } = rebuilt;
  return {
    server,
    blocks,
    path: output,
    tablets: tablets.map((tablet) => ({
      ...tabletJson(tablet),
      written: written === undefined ? undefined : written.written.includes(tablet),
    })),
    row_sets: rowSets.map(rowSetJson),
    ambiguous: ambiguous.map(({ blocks: files, candidates }) => ({
      blocks: files.map(({ id }) => String(id)),
      row_sets: candidates.map(String),
    })),
    leftover: leftover.map(({ block, reason }) => ({ block: String(block.id), kind: block.kind, reason })),
  };
}

function tabletJson({ id, table, rowSets, doubts, certainUntil }: RebuiltTablet) {
  return {
    tablet_id: id,
    table: table.name,
    table_id: table.id,
    schema_from: table.origin,
    row_sets: rowSets.map((rowSet) => String(rowSet.id)),
    certain: doubts.length === 0 && certainUntil === undefined,
    certain_until: certainUntil === undefined ? undefined : String(certainUntil),
    doubts,
  };
}

function rowSetJson(rowSet: RebuiltRowSet) {
  const { id, rows, minKey, maxKey, blocks, files, places, possibleDeltas, doubts } = rowSet;
  return {
    id: String(id),
    rows,
    min_key: toHex(minKey),
    max_key: toHex(maxKey),
    candidates: places.map(({ table, tablet }) => ({
      table: table.name,
      table_id: table.id,
      tablet_id: tablet,
    })),
    columns: Object.fromEntries([...blocks.columns].map(([column, block]) => [column, String(block)])),
    bloom: blocks.bloom === undefined ? undefined : String(blocks.bloom),
    adhoc_index: blocks.adhocIndex === undefined ? undefined : String(blocks.adhocIndex),
    undo: blocks.undo.map(String),
    redo: blocks.redo.map(String),
    possible_redo: possibleDeltas.map((block) => String(block.id)),
    evidence: files.map(({ block, role, evidence }) => ({ block: String(block.id), role, evidence })),
    doubts,
  };
}
