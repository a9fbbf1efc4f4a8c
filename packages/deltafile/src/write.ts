/** @module @cfile/deltafile/write: write delta files and their statistics. */
export {
  compareStatistics,
  type DeltaStatistics,
  DeltaStatisticsCounter,
  type StatisticsDifference,
} from "./stats/delta-statistics.js";
export { encodeDeltaStats, inKuduOrder, parseDeltaStats } from "./stats/delta-stats-message.js";
export { DeltaFileWriter, type DeltaWriterOptions } from "./write/delta-writer.js";
