/**
 * Kudu's hybrid timestamps: microseconds since 1970-01-01 UTC, shifted left by 12 bits, and a counter in those bits.
 */
import { parseTimestamp, timestampText } from "@cfile/cell-text";
import { UsageError } from "../program/exit-code.js";
import { given } from "./options.js";

const COUNTER_BITS = 12n;
const LARGEST = (1n << 64n) - 1n;

/** The time in UTC, without the counter. */
export function hybridTimeText(timestamp: bigint): string {
  return timestampText(timestamp >> COUNTER_BITS);
}

/** The timestamp and its time in UTC, for people. */
export function hybridTimeLabel(timestamp: bigint): string {
  return `${timestamp} (${hybridTimeText(timestamp)})`;
}

/** The first timestamp of a microsecond. */
export function hybridTimeOf(micros: bigint): bigint {
  return micros << COUNTER_BITS;
}

/**
 * A timestamp from its digits, or from a time like `2024-02-29T12:00:00Z`, whose first timestamp it is.
 *
 * @throws UsageError for what is neither
 */
export function parseHybridTime(option: string, text: string): bigint {
  const micros = /^\d+$/.test(text) ? undefined : parseTimestamp(text);
  const timestamp = micros === undefined ? wholeTimestamp(text) : hybridTimeOf(micros);
  if (timestamp === undefined || timestamp < 0n || timestamp > LARGEST) {
    throw new UsageError(
      `${option} takes a hybrid timestamp of 64 bits or a time like 2024-02-29T12:00:00Z; "${text}" is none`,
    );
  }
  return timestamp;
}

/**
 * Timestamps of the options `--from` and `--to`; those that are not given are `undefined`.
 *
 * @throws UsageError for what is no timestamp, and for a range that ends before it starts
 */
export function timeRange(options: {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}): {
  readonly from: bigint | undefined;
  readonly to: bigint | undefined;
} {
  const from = given(options.from, (text) => parseHybridTime("--from", text));
  const to = given(options.to, (text) => parseHybridTime("--to", text));
  if (from !== undefined && to !== undefined && from > to) {
    throw new UsageError(`--to ${options.to} is before --from ${options.from}`);
  }
  return { from, to };
}

function wholeTimestamp(text: string): bigint | undefined {
  return /^\d{1,20}$/.test(text) ? BigInt(text) : undefined;
}
