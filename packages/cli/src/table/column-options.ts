/** How each column of a table is written: from the schema and the command line. */
import type { WriterOptions } from "cfile";
import { compressionOfName, encodingOfName } from "../options/names.js";
import type { WriterValues } from "../options/options.js";
import { type ColumnSpec, findColumn } from "./schema.js";
import type { TableColumn } from "./table-writer.js";

/** The options of a command that writes columns. */
export interface ColumnValues extends WriterValues {
  /** `NAME` for all columns, `COLUMN=NAME` for one. */
  readonly encoding?: readonly string[] | undefined;
  readonly compression?: readonly string[] | undefined;
  /** Columns that are sorted and get a value index. */
  readonly key?: readonly string[] | undefined;
}

/**
 * An option for one column overrides the schema, which overrides an option for all columns.
 *
 * @throws UsageError for unknown names
 */
export function tableColumns(specs: readonly ColumnSpec[], values: ColumnValues): TableColumn[] {
  const encodingOf = perColumn("--encoding", values.encoding, specs, encodingOfName);
  const compressionOf = perColumn("--compression", values.compression, specs, compressionOfName);
  const keys = (values.key ?? []).map((name) => findColumn("--key", name, specs).name);
  const { blockSize, indexBlockSize, restartInterval, batchRows } = values;
  const { posidx, optimizeIndexKeys, checksums } = values;
  const shared = { indexBlockSize, restartInterval, batchRows, posidx, optimizeIndexKeys, checksums };
  return specs.map((spec) => {
    const { name, type, nullable, array } = spec;
    const options: WriterOptions = {
      ...shared,
      type,
      nullable,
      array,
      encoding: encodingOf(name, spec.encoding),
      compression: compressionOf(name, spec.compression),
      blockSize: spec.blockSize ?? blockSize,
      validx: keys.includes(name) || (spec.key ?? false),
    };
    return { spec, options };
  });
}

/** The setting of each column, from texts like `NAME` and `COLUMN=NAME` and the one of the schema. */
function perColumn<T>(
  option: string,
  texts: readonly string[] | undefined,
  specs: readonly ColumnSpec[],
  parse: (name: string) => T,
): (name: string, ofSchema: T | undefined) => T | undefined {
  let ofAll: T | undefined;
  const ofColumn = new Map<string, T>();
  for (const text of texts ?? []) {
    const at = text.indexOf("=");
    if (at < 0) {
      ofAll = parse(text);
    } else {
      ofColumn.set(findColumn(option, text.slice(0, at), specs).name, parse(text.slice(at + 1)));
    }
  }
  return (name, ofSchema) => ofColumn.get(name) ?? ofSchema ?? ofAll;
}
