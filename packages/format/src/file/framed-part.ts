/**
 * The frame that header and footer have in common (docs/spec/cfile.md#34-reading): magic, length, protobuf and checksum.
 */
import { CFileError, crc32c, type Limits, overLimit } from "@cfile/bytes";
import { type ByteSource, readExactly } from "@cfile/io";
import { CHECKSUM_LENGTH, checksumError, u32le } from "../blocks/block-wrapper.js";

/** A part of the file in memory; reads bytes outside it from the source. */
export class FileWindow {
  private start = 0;
  private held: Uint8Array = new Uint8Array(0);
  private readonly source: ByteSource;
  readonly path: string;
  private readonly fileSize: number;
  private readonly signal: AbortSignal | undefined;

  constructor(source: ByteSource, path: string, fileSize: number, signal: AbortSignal | undefined) {
    this.source = source;
    this.path = path;
    this.fileSize = fileSize;
    this.signal = signal;
  }

  contains(offset: number): boolean {
    return offset >= this.start && offset < this.start + this.held.length;
  }

  /** Bytes of the file, if all of them are in memory. */
  find(offset: number, length: number): Uint8Array | undefined {
    const from = offset - this.start;
    return from >= 0 && from + length <= this.held.length
      ? this.held.subarray(from, from + length)
      : undefined;
  }

  async load(offset: number, length: number, field: string): Promise<void> {
    this.held = await readExactly(this.source, offset, length, { signal: this.signal, field });
    this.start = offset;
  }

  async bytes(offset: number, length: number, field: string, readAhead = length): Promise<Uint8Array> {
    const found = this.find(offset, length);
    if (found !== undefined) {
      return found;
    }
    await this.load(offset, Math.min(Math.max(length, readAhead), this.fileSize - offset), field);
    return this.held.subarray(0, length);
  }
}

interface FieldLocation {
  readonly path: string;
  readonly offset: number;
  readonly field: string;
}

/**
 * Compares the CRC at `bytes[at..at + 4)`, the first or last four bytes, with the CRC of the other bytes.
 *
 * @throws {CFileError} `E_CHECKSUM`
 */
export function checkCrc(bytes: Uint8Array, at: number, location: FieldLocation): void {
  const stored = u32le(bytes, at);
  const computed = at === 0 ? crc32c(bytes, CHECKSUM_LENGTH, bytes.length) : crc32c(bytes, 0, at);
  if (stored !== computed) {
    throw checksumError(location, stored, computed);
  }
}

/**
 * Checks the length of a header's or footer's protobuf. A part with its frame must be shorter than the file.
 *
 * @param sizes `size`: bytes of the part with its frame
 * @throws {CFileError} `E_LIMIT` if it is longer than the limits allow, `E_TRUNCATED` if the file is too short for it
 */
export function checkLength(
  length: number,
  limits: Limits,
  { size, fileSize }: { readonly size: number; readonly fileSize: number },
  location: FieldLocation,
): void {
  if (length > limits.maxMetadataSize) {
    throw overLimit(location.field, "maxMetadataSize", limits, length, location);
  }
  if (fileSize <= size) {
    const reason = `file of ${fileSize} bytes is too short for a ${location.field} of ${length}`;
    throw new CFileError("E_TRUNCATED", reason, { ...location, actual: length });
  }
}
