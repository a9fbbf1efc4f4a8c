/** @module @cfile/splits/plan: plan splits of CFiles, table stores, and tables of Kudu, HBase and Hudi. */
export { type FilePlanOptions, planFiles } from "./plan/plan-files.js";
export { type HudiPlanOptions, planHudi } from "./plan/plan-hudi.js";
export { planKudu } from "./plan/plan-kudu.js";
export type { KuduPlanOptions, PlanOptions } from "./plan/plan-options.js";
export { planRegions, type RegionPlanOptions } from "./plan/plan-regions.js";
export {
  planRowSets,
  type RowSetPlaces,
  type RowSetPlanOptions,
  type RowSetTable,
  tableOfManifest,
} from "./plan/plan-row-sets.js";
export { newestOf, planTablets, type TabletPlanOptions, wholeSplit } from "./plan/plan-tablets.js";
export { groupEnds } from "./plan/size-groups.js";
export type { OpenLocation } from "./plan/source-identity.js";
