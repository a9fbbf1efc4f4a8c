/** @module @cfile/splits/plan: plan splits of CFiles, table stores and Kudu tables. */
export { type FilePlanOptions, planFiles } from "./plan/plan-files.js";
export { planKudu } from "./plan/plan-kudu.js";
export type { KuduPlanOptions, PlanOptions } from "./plan/plan-options.js";
export {
  planRowSets,
  type RowSetPlaces,
  type RowSetPlanOptions,
  type RowSetTable,
  tableOfManifest,
} from "./plan/plan-row-sets.js";
export { newestOf, planTablets, type TabletPlanOptions, wholeTablet } from "./plan/plan-tablets.js";
export { groupEnds } from "./plan/size-groups.js";
export type { OpenLocation } from "./plan/source-identity.js";
