/**
 * What header and footer have in common (docs/spec/cfile.md#34-reading): a protobuf with its length beside a magic, and a
 * checksum.
 */
import { CFileError, type CFileErrorCode, type CFileErrorDetails, crc32c, type Limits } from "@cfile/bytes";
import { type ByteSource, readExactly } from "@cfile/io";
import { CHECKSUM_LENGTH } from "../blocks/block-wrapper.js";

/** A part of the file held in memory; asks the source again only for what it does not hold. */
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

  async load(offset: number, length: number, field: string): Promise<void> {
    this.held = await readExactly(this.source, offset, length, { signal: this.signal, field });
    this.start = offset;
  }

  async bytes(offset: number, length: number, field: string, readAhead = length): Promise<Uint8Array> {
    if (offset < this.start || offset + length > this.start + this.held.length) {
      await this.load(offset, Math.min(Math.max(length, readAhead), this.fileSize - offset), field);
    }
    return this.held.subarray(offset - this.start, offset - this.start + length);
  }
}

/** Compares the CRC that stands at `bytes[at..at + 4)`, the first or last four, with that of the others; `place` is its own. */
export function checkCrc(
  bytes: Uint8Array,
  at: number,
  place: { readonly path: string; readonly offset: number; readonly field: string },
): void {
  const stored = u32le(bytes, at);
  const actual = at === 0 ? crc32c(bytes, CHECKSUM_LENGTH, bytes.length) : crc32c(bytes, 0, at);
  if (stored !== actual) {
    throw fail("E_CHECKSUM", `the ${place.field} does not match`, {
      ...place,
      expected: `0x${stored.toString(16).padStart(8, "0")}`,
      actual: `0x${actual.toString(16).padStart(8, "0")}`,
    });
  }
}

/** @throws CFileError `E_LIMIT` for a header or footer longer than the limits allow */
export function checkLength(
  length: number,
  limits: Limits,
  path: string,
  offset: number,
  field: string,
): void {
  if (length > limits.maxMetadataSize) {
    throw fail("E_LIMIT", `${field} is ${length}, maxMetadataSize is ${limits.maxMetadataSize}`, {
      path,
      offset,
      field,
      expected: limits.maxMetadataSize,
      actual: length,
    });
  }
}

export function fail(code: CFileErrorCode, reason: string, details: CFileErrorDetails): CFileError {
  return new CFileError(code, reason, details);
}

export function u32le(bytes: Uint8Array, position: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset + position, 4).getUint32(0, true);
}
