/** The messages between a pool and its workers. */
import type { OpenOptions, ScanOptions } from "@cfile/format";
import type { FileIdentity } from "../pool/file-identity.js";
import type { FileInput } from "../pool/file-input.js";
import type { RowTask } from "../pool/row-tasks.js";
import type { BatchMessage } from "./batch-message.js";
import type { ErrorFields } from "./error-fields.js";

/** The options for opening files that can be sent. */
export type SentOpenOptions = Pick<OpenOptions, "limits" | "kernels" | "verifyChecksums">;
export type SentScanOptions = Pick<ScanOptions, "batchRows" | "where">;

/** Sent before the first task of a file. The worker opens it at that task. */
export interface OpenMessage {
  readonly kind: "open";
  readonly file: number;
  readonly input: FileInput;
  readonly identity: FileIdentity;
  readonly options: SentOpenOptions;
}

/** A task: consecutive rows of a file. */
export interface ScanMessage {
  readonly kind: "scan";
  readonly task: number;
  readonly file: number;
  readonly rows: RowTask;
  readonly options: SentScanOptions;
  /** Whether the memory of the batches comes back. */
  readonly reuseMemory: boolean;
}

export type PoolMessage =
  | OpenMessage
  | ScanMessage
  /** The task is no longer needed. */
  | { readonly kind: "cancel"; readonly task: number }
  /** Memory of batches that the consumer has finished with. */
  | { readonly kind: "reuse"; readonly buffers: readonly ArrayBuffer[] }
  /** The file has no more tasks. */
  | { readonly kind: "close"; readonly file: number };

export type WorkerMessage =
  /** Decoded blocks of a task; `buffers` come back with `reuse`. */
  | {
      readonly kind: "batches";
      readonly task: number;
      readonly batches: readonly BatchMessage[];
      readonly buffers: readonly ArrayBuffer[];
    }
  /** The task is done or has failed; sent once for each `scan`. */
  | { readonly kind: "end"; readonly task: number; readonly error: ErrorFields | undefined };
