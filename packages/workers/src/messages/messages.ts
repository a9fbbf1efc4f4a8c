/** The messages between a pool and its workers. */
import type { OpenOptions, ScanOptions } from "@cfile/format";
import type { FileIdentity } from "../pool/file-identity.js";
import type { FileInput } from "../pool/file-input.js";
import type { RowTask } from "../pool/row-tasks.js";
import type { BatchMessage } from "./batch-message.js";
import type { ErrorFields } from "./error-fields.js";
import type { ThrownFields } from "./thrown-fields.js";

/** The options for opening files that can be sent. */
export type SentOpenOptions = Pick<OpenOptions, "limits" | "kernels" | "verifyChecksums">;
type SentScanOptions = Pick<ScanOptions, "batchRows" | "where">;

/** What a worker does with the batches of a task. */
export type TaskWork =
  | {
      readonly kind: "send";
      /** Whether the memory of the batches is returned to the worker. */
      readonly reuseMemory: boolean;
    }
  | CallWork;

/** Calls a function of the user. */
export interface CallWork {
  readonly kind: "call";
  /** URL of the module that exports the function. Without it, the worker's script has the function. */
  readonly module: string | undefined;
  readonly name: string;
  readonly argument: unknown;
  /** Index of the file among the inputs. */
  readonly input: number;
}

/** Sent before the first task of a file. The worker opens it at that task. */
export interface OpenMessage {
  readonly kind: "open";
  readonly file: number;
  readonly input: FileInput;
  readonly identity: FileIdentity;
  readonly options: SentOpenOptions;
  readonly scanOptions: SentScanOptions;
  readonly work: TaskWork;
}

/** A task: consecutive rows of a file. */
export interface ScanMessage {
  readonly kind: "scan";
  readonly task: number;
  readonly file: number;
  readonly rows: RowTask;
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

/** Decoded blocks of a task; `buffers` are returned with `reuse`. */
export interface BatchesMessage {
  readonly kind: "batches";
  readonly task: number;
  readonly batches: readonly BatchMessage[];
  readonly buffers: readonly ArrayBuffer[];
}

/** The result of the user's function. The task is done, or has failed afterwards: one message wakes the pool's thread once. */
export interface ResultMessage {
  readonly kind: "result";
  readonly task: number;
  readonly result: unknown;
  readonly error: ErrorFields | undefined;
}

export type OutputMessage = BatchesMessage | ResultMessage;

export type WorkerMessage =
  | OutputMessage
  /** The task is done or has failed; sent once for each `scan` without a `result`. */
  | {
      readonly kind: "end";
      readonly task: number;
      readonly error: ErrorFields | ThrownFields | undefined;
    };
