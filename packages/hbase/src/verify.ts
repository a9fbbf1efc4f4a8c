/** @module @cfile/hbase/verify: checks tables and snapshots: regions, links, references, every block of every file. */
export type { RegionBoundaryProblem } from "./root/current-regions.js";
export { type TableProblem, type TableReport, verifyTable } from "./verify/verify-table.js";
