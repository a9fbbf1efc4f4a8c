/**
 * Older versions of superblocks and Raft configurations, as restored by a backup or a wrong copy. A superblock from before the last
 * flush lacks the newest row set, or the newest deltas of one. A configuration from before an election has an earlier term.
 */
import { recordsOf, sealContainer } from "../harnesses/kudu-files.js";
import type { Random } from "../random.js";

/** A field of a protobuf message, with its tag. */
interface Field {
  readonly number: number;
  readonly bytes: Uint8Array;
  /** The bytes of a nested message or a varint. */
  readonly content: Uint8Array;
}

const LAST_DURABLE_MRS = 3;
const ROW_SETS = 6;
const REDO_DELTAS = 4;
const TERM = 2;

/** The file from before the last flush of rows or deltas; `undefined` if it was never flushed, or is encrypted. */
export function olderSuperblock(bytes: Uint8Array, random: Random): Uint8Array | undefined {
  return withMessage(bytes, (fields) => {
    const rowSets = fields.filter(({ number }) => number === ROW_SETS);
    const chosen = random.pick(rowSets);
    if (random.below(2) === 0 && fieldsOf(chosen?.content).some(({ number }) => number === REDO_DELTAS)) {
      const inner = fieldsOf(chosen?.content);
      const last = inner.findLast(({ number }) => number === REDO_DELTAS);
      const shorter = joined(inner.filter((field) => field !== last));
      return fields.map((field) => (field === chosen ? nested(ROW_SETS, shorter) : field));
    }
    const last = rowSets.at(-1);
    const [flushed = 0] = fields
      .filter(({ number }) => number === LAST_DURABLE_MRS)
      .map(({ content }) => content[0]);
    return last === undefined || flushed === 0 || flushed > 127
      ? undefined
      : fields
          .filter((field) => field !== last)
          .map((field) => (field.number === LAST_DURABLE_MRS ? small(LAST_DURABLE_MRS, flushed - 1) : field));
  });
}

/** The file from before the last election; `undefined` without an election, or if it is encrypted. */
export function olderRaftConfiguration(bytes: Uint8Array): Uint8Array | undefined {
  return withMessage(bytes, (fields) => {
    const [term = 0] = fields.filter(({ number }) => number === TERM).map(({ content }) => content[0]);
    return term === 0 || term > 127
      ? undefined
      : fields.map((field) => (field.number === TERM ? small(TERM, term - 1) : field));
  });
}

function withMessage(
  bytes: Uint8Array,
  change: (fields: readonly Field[]) => readonly Field[] | undefined,
): Uint8Array | undefined {
  try {
    const [description = new Uint8Array(0), message = new Uint8Array(0)] = recordsOf(bytes);
    const changed = change(fieldsOf(message));
    return changed === undefined ? undefined : sealContainer([description, joined(changed)]);
  } catch {
    return undefined;
  }
}

function fieldsOf(message: Uint8Array = new Uint8Array(0)): Field[] {
  const fields: Field[] = [];
  for (let at = 0; at < message.length; ) {
    const start = at;
    const [tag, afterTag] = varintAt(message, at);
    const [value, afterValue] = varintAt(message, afterTag);
    const kind = tag & 7;
    at = kind === 0 ? afterValue : kind === 2 ? afterValue + value : afterTag + (kind === 1 ? 8 : 4);
    const content = message.subarray(kind === 2 ? afterValue : afterTag, at);
    fields.push({ number: tag >>> 3, bytes: message.subarray(start, at), content });
  }
  return fields;
}

/** The low 32 bits, and the offset after it. */
function varintAt(bytes: Uint8Array, from: number): [number, number] {
  let value = 0;
  for (let at = from, shift = 0; at < bytes.length; at++, shift += 7) {
    value |= shift < 32 ? ((bytes[at] ?? 0) & 127) << shift : 0;
    if ((bytes[at] ?? 0) < 128) {
      return [value, at + 1];
    }
  }
  throw new RangeError("unterminated varint");
}

function small(number: number, value: number): Field {
  const bytes = Uint8Array.of(number << 3, value);
  return { number, bytes, content: bytes.subarray(1) };
}

function nested(number: number, content: Uint8Array): Field {
  const length: number[] = [];
  for (let left = content.length; left > 0 || length.length === 0; left >>>= 7) {
    length.push((left & 127) | (left > 127 ? 128 : 0));
  }
  const bytes = Uint8Array.from([(number << 3) | 2, ...length, ...content]);
  return { number, bytes, content };
}

function joined(fields: readonly Field[]): Uint8Array {
  return new Uint8Array(Buffer.concat(fields.map(({ bytes }) => bytes)));
}
