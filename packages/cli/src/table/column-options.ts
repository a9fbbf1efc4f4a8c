/** How each column of a table is written: from the schema and the command line. */
import type { WriterOptions } from "cfile";
import { compressionOfName, encodingOfName } from "../options/names.js";
import { type WriterValues, writerValues } from "../options/options.js";
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
  const encodings = settings("--encoding", values.encoding, specs, encodingOfName);
  const compressions = settings("--compression", values.compression, specs, compressionOfName);
  const keys = values.key ?? [];
  for (const name of keys) {
    findColumn("--key", name, specs);
  }
  const { blockSize, ...shared } = writerValues(values);
  return specs.map((spec) => {
    const { name, type, nullable, array } = spec;
    const options: WriterOptions = {
      ...shared,
      type,
      nullable,
      array,
      encoding: encodings.ofColumn.get(name) ?? spec.encoding ?? encodings.ofAll,
      compression: compressions.ofColumn.get(name) ?? spec.compression ?? compressions.ofAll,
      blockSize: spec.blockSize ?? blockSize,
      validx: keys.includes(name) || (spec.key ?? false),
    };
    return { spec, options };
  });
}

interface Settings<T> {
  readonly ofAll: T | undefined;
  readonly ofColumn: ReadonlyMap<string, T>;
}

function settings<T>(
  option: string,
  texts: readonly string[] | undefined,
  specs: readonly ColumnSpec[],
  parse: (name: string) => T,
): Settings<T> {
  let ofAll: T | undefined;
  const ofColumn = new Map<string, T>();
  for (const text of texts ?? []) {
    const at = text.indexOf("=");
    if (at < 0) {
      ofAll = parse(text);
    } else {
      const { name } = findColumn(option, text.slice(0, at), specs);
      ofColumn.set(name, parse(text.slice(at + 1)));
    }
  }
  return { ofAll, ofColumn };
}
