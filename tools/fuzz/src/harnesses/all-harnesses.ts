import type { Harness } from "../harness.js";
import { BROTLI_STREAMS } from "./brotli-streams.js";
import { CLUSTER_FILES } from "./cluster-files.js";
import { COLUMN_FILES } from "./column-files.js";
import { COMMAND_LINE } from "./command-line.js";
import { DELTA_AND_BLOOM_FILES } from "./delta-and-bloom-files.js";
import { ENCODED_BLOCKS } from "./encoded-blocks.js";
import { HBASE_FILES } from "./hbase-files.js";
import { HUDI_TABLES } from "./hudi-tables.js";
import { KUDU_FILES } from "./kudu-files.js";
import { MESSAGES } from "./messages.js";
import { OTHER_FILES } from "./other-files.js";
import { PARQUET_PAGES } from "./parquet-pages.js";
import { STREAMS } from "./streams.js";

/** All code that reads untrusted bytes. */
export const HARNESSES: readonly Harness[] = [
  ...ENCODED_BLOCKS,
  ...STREAMS,
  ...BROTLI_STREAMS,
  ...MESSAGES,
  ...COLUMN_FILES,
  ...DELTA_AND_BLOOM_FILES,
  ...OTHER_FILES,
  ...PARQUET_PAGES,
  ...HUDI_TABLES,
  ...HBASE_FILES,
  ...KUDU_FILES,
  ...CLUSTER_FILES,
  ...COMMAND_LINE,
];
