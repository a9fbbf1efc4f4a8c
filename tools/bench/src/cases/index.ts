import type { BenchCase } from "../bench-case.js";
import { checksums } from "./columns/checksums.js";
import { readIntegers, readStrings, writeIntegers, writeStrings } from "./columns/column.js";
import { kernels } from "./columns/kernels.js";
import { memory } from "./columns/memory.js";
import { scaling } from "./columns/scaling.js";
import { scanColumns } from "./columns/scan-columns.js";
import { seek } from "./columns/seek.js";
import { seeks } from "./columns/seeks.js";
import { strings } from "./columns/strings.js";
import { writeColumns } from "./columns/write-columns.js";
import { arrow } from "./formats/arrow.js";
import { besideHBase } from "./formats/beside-hbase.js";
import { besideHudi } from "./formats/beside-hudi.js";
import { hfile } from "./formats/hfile.js";
import { hudi } from "./formats/hudi.js";
import { parquet } from "./formats/parquet.js";
import { parquetNested } from "./formats/parquet-nested.js";
import { parquetRecovery } from "./formats/parquet-recovery.js";
import { http } from "./http/http.js";
import { besideKudu } from "./servers/beside-kudu.js";
import { compare } from "./servers/compare.js";
import { iceberg } from "./servers/iceberg.js";
import { kuduCluster } from "./servers/kudu-cluster.js";
import { kuduDir } from "./servers/kudu-dir.js";
import { restore } from "./servers/restore.js";
import { rowSets } from "./servers/row-sets.js";
import { splits } from "./splits.js";
import { start } from "./start.js";
import { twoWorkers } from "./workers/two-workers.js";
import { workers } from "./workers/workers.js";

/** All benchmarks, in the order of the report. */
export const benchCases: readonly BenchCase[] = [
  readIntegers,
  readStrings,
  writeIntegers,
  writeStrings,
  scanColumns,
  writeColumns,
  strings,
  checksums,
  kernels,
  seek,
  seeks,
  scaling,
  http,
  rowSets,
  kuduDir,
  besideKudu,
  kuduCluster,
  restore,
  compare,
  iceberg,
  splits,
  hfile,
  besideHBase,
  hudi,
  besideHudi,
  arrow,
  parquet,
  parquetNested,
  parquetRecovery,
  workers,
  twoWorkers,
  memory,
  start,
];
