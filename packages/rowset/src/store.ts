/** @module @cfile/rowset/store: row sets in a directory of their own, with a manifest. */
export { openRowSet, readManifest } from "./read/open-row-set.js";
export { JsonFields } from "./schema/json-fields.js";
export { type CreateRowSetOptions, createRowSet, type RowSetCreator } from "./store/create-row-set.js";
export { columnJson, type Manifest, type ManifestFile, type ManifestRowSet } from "./store/manifest.js";
export { parseColumn, parseManifest } from "./store/parse-manifest.js";
export type { OpenRowSetOptions, RowSetHandle, WriteResult } from "./store/row-set-handle.js";
