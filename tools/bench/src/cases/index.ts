import type { BenchCase } from "../bench-case.js";
import { arrow } from "./arrow.js";
import { besideHBase } from "./beside-hbase.js";
import { besideHudi } from "./beside-hudi.js";
import { besideKudu } from "./beside-kudu.js";
import { checksums } from "./checksums.js";
import { readIntegers, readStrings, writeIntegers, writeStrings } from "./column.js";
import { compare } from "./compare.js";
import { hfile } from "./hfile.js";
import { http } from "./http.js";
import { hudi } from "./hudi.js";
import { iceberg } from "./iceberg.js";
import { kernels } from "./kernels.js";
import { kuduCluster } from "./kudu-cluster.js";
import { kuduDir } from "./kudu-dir.js";
import { memory } from "./memory.js";
import { parquet } from "./parquet.js";
import { parquetNested } from "./parquet-nested.js";
import { parquetRecovery } from "./parquet-recovery.js";
import { restore } from "./restore.js";
import { rowSets } from "./row-sets.js";
import { scaling } from "./scaling.js";
import { scanColumns } from "./scan-columns.js";
import { seek } from "./seek.js";
import { seeks } from "./seeks.js";
import { splits } from "./splits.js";
import { start } from "./start.js";
import { strings } from "./strings.js";
import { twoWorkers } from "./two-workers.js";
import { workers } from "./workers.js";
import { writeColumns } from "./write-columns.js";

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
