/** @module @cfile/kudu-dir/recover: recover the rows of damaged row sets. */
export type { RowRange } from "./salvage/lost-rows.js";
export { type FileAccount, type RowSetAccount, SalvagedRowSet } from "./salvage/salvage-row-set.js";
