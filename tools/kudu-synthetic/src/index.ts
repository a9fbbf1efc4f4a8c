/** @module @cfile-tools/kudu-synthetic: directories of a tablet server of any size, made of our own writers' files. */
export { CHANGED_NUMBER, loadBatches, loadNumber, loadRowSets, loadSchema } from "./load-table.js";
export {
  type SyntheticRows,
  SyntheticServer,
  type SyntheticServerOptions,
  type SyntheticTablet,
  type SyntheticUpdate,
  syntheticServer,
} from "./synthetic-server.js";
