/** Options that all readers of splits share, and the reports of recovery. */
import { type CFileError, invalidArgument, type MemoryArena } from "@cfile/bytes";
import type { RecoveryLedger } from "@cfile/format/recover";
import type { FileLoss, HBaseTable } from "@cfile/hbase";
import type { HudiTable } from "@cfile/hudi";
import type { KuduDir, ReplicaNotice } from "@cfile/kudu-dir";
import type { RowSetAccount, TabletLedger } from "@cfile/kudu-dir/recover";
import type { OpenLocation } from "../plan/source-identity.js";

/** The directories of the servers that splits read: a `KuduDir` or a `KuduCluster`. */
export type SplitDirectories = Pick<KuduDir, "tablet" | "superblock" | "blockAt">;

/** Options for reading a split. */
export interface ReadSplitOptions {
  /** Opens a path or URL. */
  readonly open: OpenLocation;
  /** The server's directories, opened with the split's `dirs`, for splits of kind `kudu` or `tablet`. */
  readonly dir?: SplitDirectories | undefined;
  /** The split's table or snapshot, for splits of kind `hbase`. */
  readonly table?: HBaseTable | undefined;
  /** The open Hudi table, for splits of kind `hudi`. */
  readonly hudi?: HudiTable | undefined;
  /** Whether batches stay valid. Default `false`: a batch is valid until the next is requested, which reuses its memory. */
  readonly keepBatches?: boolean | undefined;
  /** Memory that consecutive splits share, unless batches stay valid. Default: new memory for each. */
  readonly arena?: MemoryArena | undefined;
  /** Called when a tablet of a cluster was read from a replica other than the preferred one. */
  readonly onOtherReplica?: ((notice: ReplicaNotice) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ReadOptions extends Omit<ReadSplitOptions, "keepBatches" | "arena"> {
  /** If given, all pieces are read into its memory, and a batch is valid until the next one. */
  readonly arena: MemoryArena | undefined;
}

/** A damaged file of a split. */
export interface RecoveredFile {
  readonly path: string;
  readonly column: string;
  /** The ledger of the whole file, as from `recoverCFile`; `undefined` if the file is unusable. */
  readonly ledger: RecoveryLedger | undefined;
  readonly problem: CFileError | undefined;
}

/** The result of recovering a damaged file, row set, tablet or region. */
export type Recovered =
  | ({ readonly kind: "file" } & RecoveredFile)
  | { readonly kind: "row set"; readonly tablet: string | undefined; readonly account: RowSetAccount }
  | { readonly kind: "tablet"; readonly ledger: TabletLedger }
  | { readonly kind: "region"; readonly region: string; readonly losses: readonly FileLoss[] };

export interface RecoverOptions extends ReadOptions {
  readonly onRecovered: (recovered: Recovered) => void;
  /** Called with the known number of lost rows of the piece, or of damaged files of a region, and whether no others are lost. */
  readonly onLost: (rows: number, areAll: boolean) => void;
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` without directories */
export function requiredDirectories({ dir }: Pick<ReadOptions, "dir">): SplitDirectories {
  if (dir === undefined) {
    throw invalidArgument("the split needs dir, the directories of the server", { field: "dir" });
  }
  return dir;
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` without a table */
export function requiredHudi({ hudi }: Pick<ReadOptions, "hudi">): HudiTable {
  if (hudi === undefined) {
    throw invalidArgument("the split needs hudi, the open Hudi table", { field: "hudi" });
  }
  return hudi;
}
