/** @module @cfile-tools/kudu-synthetic: directories of a tablet server of any size, with files written by our writers. */
export { CHANGED_NUMBER, loadBatches, loadNumber, loadRowSets, loadSchema } from "./load-table.js";
export {
  PRIVATE_KEY,
  type SyntheticClusterFacts,
  type SyntheticClusterOptions,
  syntheticCluster,
} from "./synthetic-cluster.js";
export type { SyntheticRows, SyntheticUpdate } from "./synthetic-rows.js";
export {
  loneReplica,
  SyntheticServer,
  type SyntheticServerOptions,
  type SyntheticTablet,
  syntheticServer,
} from "./synthetic-server.js";
