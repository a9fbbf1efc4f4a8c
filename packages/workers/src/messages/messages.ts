/**
 * What a pool and its workers tell each other.
 *
 * | to the worker | when |
 * | --- | --- |
 * | `open` | before the first task of a file; nothing is read yet |
 * | `scan` | a task: consecutive rows of an opened file |
 * | `cancel` | nobody wants the task any more |
 * | `reuse` | the consumer is done with batches whose memory may be used again |
 * | `close` | the file has no more tasks |
 *
 * | from the worker | when |
 * | --- | --- |
 * | `batches` | some blocks of a task are decoded |
 * | `end` | the task is done, or has failed; once for each `scan` |
 */
import type { OpenOptions, ScanOptions } from "@cfile/format";
import type { FileIdentity } from "../pool/file-identity.js";
import type { FileInput } from "../pool/file-input.js";
import type { RowTask } from "../pool/row-tasks.js";
import type { BatchMessage } from "./batch-message.js";
import type { ErrorFields } from "./error-fields.js";

/** What of the options for opening and scanning can be sent. */
type SentOpenOptions = Pick<OpenOptions, "limits" | "kernels" | "verifyChecksums">;
export type SentScanOptions = Pick<ScanOptions, "batchRows" | "where">;

export interface OpenMessage {
  readonly kind: "open";
  readonly file: number;
  readonly input: FileInput;
  readonly identity: FileIdentity;
  readonly options: SentOpenOptions;
}

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
  | { readonly kind: "cancel"; readonly task: number }
  | { readonly kind: "reuse"; readonly buffers: readonly ArrayBuffer[] }
  | { readonly kind: "close"; readonly file: number };

export type WorkerMessage =
  | {
      readonly kind: "batches";
      readonly task: number;
      readonly batches: readonly BatchMessage[];
      /** What is to be sent back when nobody looks at the batches any more. */
      readonly buffers: readonly ArrayBuffer[];
    }
  | { readonly kind: "end"; readonly task: number; readonly error: ErrorFields | undefined };
