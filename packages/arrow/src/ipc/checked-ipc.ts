/**
 * Checks Arrow IPC message by message before a library decodes it.
 *
 * ```text
 * stream   messages, then FF FF FF FF 00 00 00 00 or just the end
 * message  FF FF FF FF (absent before Arrow 0.15), u32 length of the metadata, metadata, body
 * file     "ARROW1" 00 00, a stream, footer, u32 length of the footer, "ARROW1"
 * ```
 *
 * In a file, a schema before the batches is optional (apache-arrow writes none, Polars one without the framing of a
 * message), and zeros may align messages (arrow-rs).
 *
 * Specification: https://arrow.apache.org/docs/format/Columnar.html#encapsulated-message-format
 */
import { CFileError, concatBytes, corrupt } from "@cfile/bytes";
import { MessageCheck, readFooter, SCHEMA_MESSAGE } from "./messages.js";

const FIELD = "Arrow IPC";
const MAGIC = /* @__PURE__ */ new TextEncoder().encode("ARROW1");
/** Magic and padding. */
const MESSAGES_AT = 8;
/** Footer length and magic. */
const TAIL_SIZE = 10;

/**
 * Returns the same bytes for a library to read: a file as a whole, a stream split into messages and bodies.
 * @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED` or `E_UNSUPPORTED`; for a stream of pieces also while it is read
 */
export async function checkedIpc(
  input: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<Uint8Array | AsyncIterable<Uint8Array>> {
  if (input instanceof Uint8Array) {
    checkWhole(input);
    return input;
  }
  const queue = new ByteQueue(input[Symbol.asyncIterator]());
  try {
    if (!startsWithMagic(await queue.fill(8))) {
      return checkedStream(queue);
    }
    const file = await queue.fill(Number.POSITIVE_INFINITY);
    checkWhole(file);
    return file;
  } catch (error) {
    await queue.close();
    throw error;
  }
}

/** Bytes that arrive in chunks of any size. Allocates memory only for bytes that have arrived. */
class ByteQueue {
  /** Offset of the next byte in the input. */
  position = 0;
  private held: Uint8Array = new Uint8Array(0);
  private readonly pieces: AsyncIterator<Uint8Array>;

  constructor(pieces: AsyncIterator<Uint8Array>) {
    this.pieces = pieces;
  }

  /** At least the next `size` bytes, or fewer when the input ends. */
  async fill(size: number): Promise<Uint8Array> {
    const parts = this.held.length === 0 ? [] : [this.held];
    let length = this.held.length;
    while (length < size) {
      const next = await this.pieces.next();
      if (next.done === true) {
        break;
      }
      parts.push(next.value);
      length += next.value.length;
    }
    if (parts.length > 0) {
      this.held = parts.length === 1 && parts[0] !== undefined ? parts[0] : concatBytes(parts);
    }
    return this.held;
  }

  /** The next `size` bytes. */
  async take(size: number, field: string): Promise<Uint8Array> {
    const { length } = await this.fill(size);
    if (length < size) {
      throw truncated(field, size, length, this.position);
    }
    const taken = this.held.subarray(0, size);
    this.held = this.held.subarray(size);
    this.position += size;
    return taken;
  }

  async close(): Promise<void> {
    await this.pieces.return?.();
  }
}

function truncated(field: string, expected: number, actual: number, offset: number): CFileError {
  return new CFileError("E_TRUNCATED", `${field} of ${expected} bytes ends after ${actual}`, {
    field: FIELD,
    offset,
    expected,
    actual,
  });
}

async function* checkedStream(queue: ByteQueue): AsyncGenerator<Uint8Array, void, void> {
  const check = new MessageCheck();
  try {
    for (;;) {
      const head = await queue.fill(8);
      if (head.length === 0) {
        return;
      }
      const start = queue.position;
      const { prefix, length } = prefixOf(head, 0);
      if (length === 0) {
        requireZeros(await queue.fill(Number.POSITIVE_INFINITY), prefix, start);
        return;
      }
      const message = await queue.take(prefix + length, "message");
      const { bodyLength } = check.message(message.subarray(prefix), start + prefix);
      yield message;
      if (bodyLength > 0) {
        yield await queue.take(bodyLength, "body");
      }
    }
  } finally {
    await queue.close();
  }
}

/** A length that damage set to zero looks like the end of the stream. */
function requireZeros(bytes: Uint8Array, from: number, start: number): void {
  const at = bytes.subarray(from).findIndex((byte) => byte !== 0);
  if (at >= 0) {
    throw corrupt("data after the end of the stream", { field: FIELD, offset: start + from + at });
  }
}

/** Lengths in bytes of the prefix and of the metadata that follows it. */
function prefixOf(bytes: Uint8Array, offset: number): { readonly prefix: number; readonly length: number } {
  const head = bytes.subarray(offset, offset + 8);
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const prefix = view.byteLength >= 4 && view.getInt32(0, true) === -1 ? 8 : 4;
  if (view.byteLength < prefix) {
    throw truncated("length of a message", prefix, view.byteLength, offset);
  }
  const length = view.getInt32(prefix - 4, true);
  if (length < 0) {
    throw corrupt(`invalid metadata length: ${length}`, { field: FIELD, offset: offset + prefix - 4 });
  }
  return { prefix, length };
}

function startsWithMagic(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, i) => bytes[i] === byte);
}

function checkWhole(bytes: Uint8Array): void {
  if (startsWithMagic(bytes)) {
    checkFile(bytes);
    return;
  }
  const check = new MessageCheck();
  let offset = 0;
  while (offset < bytes.length) {
    const { prefix, length } = prefixOf(bytes, offset);
    if (length === 0) {
      requireZeros(bytes, offset + prefix, 0);
      return;
    }
    offset = checkMessage(bytes, offset, check).end;
  }
}

/** Checks the batches that the footer lists, and that it lists all batches. */
function checkFile(file: Uint8Array): void {
  const tail = file.length - TAIL_SIZE;
  if (tail < MESSAGES_AT || !startsWithMagic(file.subarray(tail + 4))) {
    throw new CFileError("E_TRUNCATED", 'Arrow file does not end with "ARROW1"', { field: FIELD });
  }
  const size = new DataView(file.buffer, file.byteOffset + tail).getInt32(0, true);
  const end = tail - size;
  if (size <= 0 || end < MESSAGES_AT) {
    const reason = `invalid footer length: ${size} (must be 1 to ${tail - MESSAGES_AT})`;
    throw corrupt(reason, { field: FIELD, offset: tail });
  }
  const { columnNodes, batches } = readFooter(file.subarray(end, tail), end);
  const messages = file.subarray(0, end);
  const check = new MessageCheck(columnNodes);
  let position = endOfSchema(messages, check) ?? batches[0]?.offset ?? end;
  for (const { offset, kind } of batches) {
    requirePadding(messages, position, offset);
    const found = checkMessage(messages, offset, check);
    if (found.kind !== kind) {
      throw corrupt(`message of type ${found.kind} (expected ${kind})`, { field: FIELD, offset });
    }
    position = found.end;
  }
  requirePadding(messages, position, end);
}

/** Offset from which batches may start; `undefined` if no framed message precedes them. */
function endOfSchema(messages: Uint8Array, check: MessageCheck): number | undefined {
  let at = MESSAGES_AT;
  while (at < messages.length && messages.subarray(at, at + 4).every((byte) => byte === 0)) {
    at += 4;
  }
  if (at >= messages.length) {
    return MESSAGES_AT;
  }
  const { prefix, length } = prefixOf(messages, at);
  if (prefix === 4) {
    return undefined;
  }
  const { kind, end } = length === 0 ? { kind: 0, end: at } : checkMessage(messages, at, check);
  return kind === SCHEMA_MESSAGE ? end : MESSAGES_AT;
}

/** Only zeros and end marks may separate the batches in the footer; other bytes are a batch that it omits. */
function requirePadding(bytes: Uint8Array, from: number, to: number): void {
  if (to < from || bytes.subarray(from, to).some((byte) => byte !== 0 && byte !== 0xff)) {
    const reason = `the footer omits the data at ${from}, before the batch at ${to}`;
    throw corrupt(reason, { field: FIELD, offset: from });
  }
}

/** Checks the message at `offset`, whose metadata is not empty. `end` is the end of its body. */
function checkMessage(
  bytes: Uint8Array,
  offset: number,
  check: MessageCheck,
): { readonly kind: number; readonly end: number } {
  const { prefix, length } = prefixOf(bytes, offset);
  const start = offset + prefix;
  const metadata = bytes.subarray(start, start + length);
  if (metadata.length < length) {
    throw truncated("message", length, metadata.length, start);
  }
  const { kind, bodyLength } = check.message(metadata, start);
  const end = start + length + bodyLength;
  if (end > bytes.length) {
    throw truncated("body", bodyLength, bytes.length - start - length, start + length);
  }
  return { kind, end };
}
