/** The work of a job in the workers, and how the pool unpacks their messages. */
import { invalidArgument, invalidOption } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import type { CFileReader, ScanOptions } from "@cfile/format";
import { unpackBatch } from "../messages/batch-message.js";
import type { OutputMessage, TaskWork } from "../messages/messages.js";
import type { TaskSizes } from "./row-tasks.js";

/** Items of a job: batches, or results of a function. */
export interface JobOutput<T> {
  readonly sizes: TaskSizes;
  /** Maximum number of tasks per worker that run or wait for the consumer. */
  readonly tasksPerWorker: number;
  /** @param input index of the file among the inputs */
  work(input: number): TaskWork;
  /** How to read the items in the messages for one file. May read its dictionary. */
  unpacker(
    file: CFileReader,
    options: Pick<ScanOptions, "signal">,
  ): Promise<(message: OutputMessage) => readonly T[]>;
}

/** The function that workers call. */
export interface MapFunctionOptions<Argument = unknown> {
  /**
   * The module that exports the function, as an absolute URL: `new URL("./sum.mjs", import.meta.url)`. Each worker imports it. Default:
   * the function is among the `functions` of a worker script of your own.
   */
  readonly module?: string | URL | undefined;
  /** Name of the function. */
  readonly name: string;
  /** Data for the function. It is cloned when the iteration starts, and once per file and worker. Default `undefined`. */
  readonly argument?: Argument | undefined;
}

const [KIB, MIB] = [1024, 1024 * 1024];

/** The pool holds the batches of two tasks per worker: one that runs, and one that waits for its bytes or for the consumer. */
const BATCH_TASKS = {
  sizes: {
    minBytes: 128 * KIB,
    maxBytes: MIB,
    minRows: 64 * KIB,
    maxRows: MIB,
    perWorker: 8,
    areShrinking: false,
  },
  tasksPerWorker: 2,
};
/** The start of a task costs a worker about a quarter of a millisecond. Results of small tasks wait for that of a large one. */
const RESULT_TASKS = {
  sizes: {
    minBytes: 512 * KIB,
    maxBytes: 32 * MIB,
    minRows: 512 * KIB,
    maxRows: 32 * MIB,
    perWorker: 2,
    areShrinking: true,
  },
  tasksPerWorker: 8,
};

export function batchOutput(reuseMemory: boolean): JobOutput<ColumnBatch> {
  return {
    ...BATCH_TASKS,
    work: () => ({ kind: "send", reuseMemory }),
    unpacker: async (file, options) => {
      const dictionary = await file.readDictionary(options);
      return (message) => {
        if (message.kind !== "batches") {
          throw new TypeError(`${message.kind} for a scan`);
        }
        // V8 collects unused young buffers only when it allocates one. Without this, full collections cost a fifth of a scan.
        new ArrayBuffer(1);
        return message.batches.map((batch) => unpackBatch(batch, dictionary));
      };
    },
  };
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` for a function that cannot be named, or an argument that cannot be cloned */
export function resultOutput<T>(options: MapFunctionOptions): JobOutput<T> {
  const { name } = options;
  if (typeof name !== "string") {
    throw invalidOption("name", name, "the name of an exported function");
  }
  const module = options.module === undefined ? undefined : moduleUrl(options.module);
  const argument = cloned(options.argument);
  return {
    ...RESULT_TASKS,
    work: (input) => ({ kind: "call", module, name, argument, input }),
    unpacker: async () => (message) => {
      if (message.kind !== "result") {
        throw new TypeError(`${message.kind} for a function`);
      }
      return [message.result as T];
    },
  };
}

/** A relative URL would be resolved by the worker, against its own script. */
function moduleUrl(module: string | URL): string {
  const url = String(module);
  if (!URL.canParse(url)) {
    const must = 'an absolute URL, such as new URL("./sum.mjs", import.meta.url)';
    throw invalidOption("module", url, must);
  }
  return url;
}

/** All tasks get the same argument, even if the caller changes it. */
function cloned(argument: unknown): unknown {
  try {
    return structuredClone(argument);
  } catch (cause) {
    const details = { field: "argument", cause };
    throw invalidArgument(`cannot send argument to a worker: ${String(cause)}`, details);
  }
}
