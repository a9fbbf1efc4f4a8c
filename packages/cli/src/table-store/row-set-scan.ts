/** The rows of a row set to the output. */
import { MemoryArena } from "@cfile/bytes";
import type { TabletReader } from "@cfile/rowset";
import { nameList } from "../options/csv-list.js";
import { parseHybridTime } from "../options/hybrid-time.js";
import { type KeyRangeFlags, keyPrefixConditions, keyRange } from "../options/key-range.js";
import { wholeNumber } from "../options/option-values.js";
import { given } from "../options/options.js";
import { type RecordFlags, recordFormat } from "../options/record-format.js";
import { parseWhere } from "../options/where-expression.js";
import type { CliContext } from "../program/context.js";
import { RecordWriter } from "../records/record-writer.js";
import { batchCells, columnField, wantedColumns } from "../records/row-cells.js";

export const AS_OF = /* @__PURE__ */ Object.freeze({
  type: "string",
  requiresArg: true,
  describe:
    "the state before this time, a hybrid timestamp or like 2024-02-29T12:00:00Z [default: the latest]",
} as const);

export const COLUMNS = /* @__PURE__ */ Object.freeze({
  type: "string",
  requiresArg: true,
  describe: "names with commas between [default: all]",
} as const);

export const SCAN_FLAGS = {
  columns: COLUMNS,
  where: {
    type: "string",
    array: true,
    requiresArg: true,
    describe:
      "a condition: NAME = V, <, <=, >, >=, in (V, V), is null, is not null, prefix V; all that are given must hold",
  },
  limit: { type: "string", requiresArg: true, describe: "most rows" },
} as const;

export interface ScanFlags extends RecordFlags {
  readonly columns?: string | undefined;
  readonly where?: readonly string[] | undefined;
  readonly limit?: string | undefined;
}

export async function scanRowSet(
  { io, stdout }: CliContext,
  rowSet: Pick<TabletReader, "schema" | "scan">,
  flags: ScanFlags & KeyRangeFlags & { readonly asOf?: string | undefined },
): Promise<void> {
  const { schema } = rowSet;
  const columns = wantedColumns(
    schema,
    given(flags.columns, (text) => nameList("--columns", text)),
  );
  const options = {
    columns: columns.map(({ name }) => name),
    keys: keyRange(schema, flags),
    where: [
      ...keyPrefixConditions(schema, flags),
      ...(flags.where ?? []).map((text) => parseWhere(text, schema.columns)),
    ],
    asOf: given(flags.asOf, (text) => parseHybridTime("--as-of", text)),
    limit: given(flags.limit, (text) => wholeNumber("--limit", text)),
    signal: io.signal,
    arena: new MemoryArena(),
  };
  const writer = new RecordWriter(columns.map(columnField), recordFormat(flags), stdout);
  for await (const batch of rowSet.scan(options)) {
    await writer.write(batch.length, batchCells(columns, batch));
  }
  await writer.finish();
}
