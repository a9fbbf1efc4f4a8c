/** @module @cfile/hbase/columns: cells of HBase as columns with types that the user states. */
export { parseColumnSchema, type TypedColumn, type ValueEncoding } from "./columns/column-schema.js";
export {
  type ResultColumn,
  resultColumns,
  type TableColumns,
  type TableColumnsOptions,
  tableColumns,
} from "./columns/table-columns.js";
