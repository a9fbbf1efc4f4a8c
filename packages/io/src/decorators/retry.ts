/** Repeats reads that fail for a transient reason. */
import { isCFileError } from "@cfile/bytes";
import { RetryAfter } from "../http/retry-after.js";
import { type ByteSource, checkOption, type ReadOptions } from "../source/byte-source.js";
import { readEach } from "../source/read-ranges.js";
import { untilAborted } from "../source/until-aborted.js";
import { delegate } from "./delegate-source.js";

/** Options for repeating failed reads. */
export interface RetryOptions {
  /** Maximum number of attempts per read, >= 1. Default 4. */
  readonly attempts?: number | undefined;
  /** Milliseconds to wait before attempt 2, 3, …. Default: 100, 200, 400, … up to 5000, minus a random part of up to half. */
  readonly backoff?: ((attempt: number, error: unknown) => number) | undefined;
  /** Maximum `Retry-After` in milliseconds, which overrides a shorter `backoff`; above it the read fails. Default 30,000. */
  readonly maxRetryAfter?: number | undefined;
  /** Whether a failure is transient. Default: {@link isTransient}. */
  readonly isTransient?: ((error: unknown) => boolean) | undefined;
  /** Ends all repetitions. */
  readonly signal?: AbortSignal | undefined;
}

/** Status codes with which servers ask clients to try again later. */
const TRANSIENT_STATUSES: readonly unknown[] = [408, 425, 429, 500, 502, 503, 504];

/**
 * Whether a failed read may succeed when repeated: the connection failed or broke, the body was short, or the status indicates it.
 * Never for a file that changed, is missing or is refused.
 */
export function isTransient(error: unknown): boolean {
  if (!isCFileError(error, "E_IO")) {
    return false;
  }
  const { field, actual, cause } = error;
  return field === "status" ? TRANSIENT_STATUSES.includes(actual) : field === "body" || cause !== undefined;
}

/**
 * The source, repeating reads that fail for a transient reason. An aborted read ends immediately, even while it waits.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` unless `attempts` is an integer >= 1
 */
export function withRetry(source: ByteSource, options: RetryOptions = {}): ByteSource {
  const {
    attempts = 4,
    backoff = defaultBackoff,
    maxRetryAfter = 30_000,
    isTransient: mayRepeat = isTransient,
  } = options;
  checkOption("attempts", attempts, 1, true);
  const repeat = async <T>(work: () => Promise<T>, readOptions: ReadOptions | undefined): Promise<T> => {
    const signals = [readOptions?.signal, options.signal];
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        const requested = requestedPause(error);
        const isFinal = attempt >= attempts || requested > maxRetryAfter || !mayRepeat(error);
        if (isFinal || signals.some((signal) => signal?.aborted === true)) {
          throw error;
        }
        await pause(Math.max(requested, backoff(attempt + 1, error)), signals);
      }
    }
  };
  const inner = delegate(source, (offset, length, readOptions) =>
    repeat(() => source.read(offset, length, readOptions), readOptions),
  );
  return {
    ...inner,
    size: (readOptions) => repeat(() => inner.size(readOptions), readOptions),
    version: (readOptions) => repeat(async () => source.version?.(readOptions), readOptions),
    readMany: (ranges, readOptions) => repeat(() => readEach(source, ranges, readOptions), readOptions),
  };
}

/** The pause of the server's `Retry-After`, in milliseconds. */
function requestedPause(error: unknown): number {
  const cause = isCFileError(error) ? error.cause : undefined;
  return cause instanceof RetryAfter ? cause.milliseconds : 0;
}

function defaultBackoff(attempt: number): number {
  return Math.min(5000, 100 * 2 ** (attempt - 2)) * (1 - Math.random() / 2);
}

/** Rejects with the reason of the first aborted signal. */
async function pause(milliseconds: number, signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, milliseconds));
  });
  try {
    await signals.reduce((promise, signal) => untilAborted(promise, signal), end);
  } finally {
    clearTimeout(timer);
  }
}
