import type { Recovery } from "../hfile/hfile-recovery.js";

/** What to recover from a Parquet file, and what is known about it. */
export interface ParquetRecovery extends Recovery {
  readonly lost: "drop" | "null";
  /** Another file with the same schema. */
  readonly like: string | undefined;
  readonly schema: string | undefined;
  readonly rowGroupRows: number | undefined;
  /** Whether to use the file's footer, even if it is damaged. */
  readonly footer: boolean | undefined;
}
