/** Options of a restoration, and its report. */
import type { DescribedPartition } from "../cluster/check-cluster.js";
import type { OpenFolder } from "../load/new-blocks.js";

/** Options of `restoreCluster`. */
export interface RestoreOptions {
  /** Opens a folder of the new directories by its path in them, and creates it if it is missing. */
  readonly openFolder: OpenFolder;
  /** `HOST:PORT` of each tablet server. Tablets get a replica on each of them, at most three. Default: `127.0.0.1:7050`. */
  readonly addresses?: readonly string[] | undefined;
  /**
   * Whether tablets get as many replicas as their table had, limited by the number of servers. Default `false`: one on each server,
   * at most three.
   */
  readonly keepReplication?: boolean | undefined;
  /** Names or IDs of the tables to restore. Default: all. */
  readonly tables?: readonly string[] | undefined;
  /** Whether tablets that have no replica are created without rows. Default `false`: an error. */
  readonly emptyMissing?: boolean | undefined;
  /** Whether the rows of a tablet without a whole replica are recovered from damaged ones. Default `false`: an error. */
  readonly recover?: boolean | undefined;
  /** Describes partitions in errors. Default: their hash buckets, and their keys in hexadecimal. */
  readonly describePartition?: ((partition: DescribedPartition) => string) | undefined;
  /** Block size of the file system of the new directories, in bytes. Default 4096. */
  readonly blockSize?: number | undefined;
  /** Called after each tablet. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The result of `restoreCluster`. */
export interface RestoredCluster {
  /** The cluster's ID; `undefined` if there was no master: the new one creates an ID. */
  readonly clusterId: string | undefined;
  /** The master, then the tablet servers. */
  readonly servers: readonly RestoredServer[];
  readonly tables: readonly RestoredTable[];
  /** Whether files of the old cluster are encrypted. Those of the new one never are. */
  readonly wasEncrypted: boolean;
  /** Timestamp of the last change. The clock of the new servers must be later. */
  readonly lastWrite: bigint;
}

/** A new server. */
export interface RestoredServer {
  /** Folder in the new directories: `master`, `ts0`, `ts1` and so on. */
  readonly folder: string;
  readonly uuid: string;
  /** Its address in Raft configurations; `undefined` for the master. */
  readonly address: string | undefined;
}

/** A restored table. */
export interface RestoredTable {
  readonly id: string;
  readonly name: string;
  readonly replicas: number;
  readonly isSoftDeleted: boolean;
  readonly tablets: readonly RestoredTablet[];
  /** Partitions that the table must have, but that have no tablet. */
  readonly gaps: readonly DescribedPartition[];
  /** Ranges without a tablet, if without a master it is unknown whether the table has them. */
  readonly unknown: readonly DescribedPartition[];
  /** Why tablets on the disks are not restored. */
  readonly notes: readonly string[];
}

/** A restored tablet. */
export interface RestoredTablet {
  readonly id: string;
  readonly partition: DescribedPartition;
  /** UUID of the server whose replica was copied; `undefined` if the tablet is new and empty. */
  readonly server: string | undefined;
  readonly rowSets: number;
  /** Rows of the latest snapshot. */
  readonly rows: number;
  /** Row operations that only logs had, now in row sets. */
  readonly flushed: number;
  /** What is not restored, and why. */
  readonly notes: readonly string[];
}
