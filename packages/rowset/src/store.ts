/** @module @cfile/rowset/store: tables in a directory with a manifest. */

export { JsonFields } from "./schema/json-fields.js";
export {
  type CreateTableStoreOptions,
  createTableStore,
  type TableStoreWriter,
} from "./store/create-table-store.js";
export { columnJson, type Manifest, type ManifestFile, type ManifestRowSet } from "./store/manifest.js";
export { openTableStore, readManifest } from "./store/open-table-store.js";
export { parseColumn, parseManifest } from "./store/parse-manifest.js";
export type { OpenTableStoreOptions, TableStore, WriteResult } from "./store/table-store.js";
