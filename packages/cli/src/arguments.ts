/** @module @cfile/cli/arguments: parsing of command-line input: options, cells, conditions, schemas and text tables. */
export { parseCellJson } from "./hfile/hfile-cell.js";
export { nameList } from "./options/csv-list.js";
export { givenCellParser, givenKeyParser } from "./options/given-cell.js";
export { parseHybridTime, timeRange } from "./options/hybrid-time.js";
export { compressionOfName, encodingOfName } from "./options/names.js";
export { blockCount, byteSize, keyBytes, rowRange, wholeNumber } from "./options/option-values.js";
export { parseWhere } from "./options/where-expression.js";
export { tableColumns } from "./table/column-options.js";
export { inferSchema } from "./table/infer-schema.js";
export { type ColumnSpec, parseInlineSchema, parseSchemaFile } from "./table/schema.js";
export { readTable } from "./table/table-rows.js";
