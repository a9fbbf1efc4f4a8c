/**
 * Kudu's hybrid timestamps: microseconds since 1970-01-01 UTC, shifted left by 12 bits, and a counter in those bits.
 */
import { parseTimestamp, timestampText } from "@cfile/cell-text";
import { UsageError } from "../program/exit-code.js";
import { invalidValue } from "../program/option.js";

const COUNTER_BITS = 12n;
const MAX_TIMESTAMP = (1n << 64n) - 1n;

/** The time in UTC, without the counter. */
export function hybridTimeText(timestamp: bigint): string {
  return timestampText(timestamp >> COUNTER_BITS);
}

/** The timestamp and its time in UTC, as text. */
export function hybridTimeLabel(timestamp: bigint): string {
  return `${timestamp} (${hybridTimeText(timestamp)})`;
}

/** The first timestamp of a microsecond. */
export function hybridTimeOf(micros: bigint): bigint {
  return micros << COUNTER_BITS;
}

/**
 * A timestamp from its digits, or the first timestamp of a time like `2024-02-29T12:00:00Z`.
 *
 * @throws UsageError for any other text
 */
export function parseHybridTime(option: string, text: string): bigint {
  const micros = /^\d+$/.test(text) ? undefined : parseTimestamp(text);
  const digits = /^\d{1,20}$/.test(text) ? BigInt(text) : undefined;
  const timestamp = micros === undefined ? digits : hybridTimeOf(micros);
  if (timestamp === undefined || timestamp < 0n || timestamp > MAX_TIMESTAMP) {
    throw invalidValue(option, text, "must be a 64-bit hybrid timestamp or a time like 2024-02-29T12:00:00Z");
  }
  return timestamp;
}

/**
 * The range of `--from` and `--to`.
 *
 * @throws UsageError for a range that ends before it starts
 */
export function timeRange<R extends { readonly from?: bigint | undefined; readonly to?: bigint | undefined }>(
  range: R,
): Pick<R, "from" | "to"> {
  const { from, to } = range;
  if (from !== undefined && to !== undefined && from > to) {
    throw new UsageError(`--to ${hybridTimeText(to)} is before --from ${hybridTimeText(from)}`);
  }
  return { from, to };
}
