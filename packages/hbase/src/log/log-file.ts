/**
 * A write-ahead log (docs/spec/hbase-table.md#10-write-ahead-log): `PWAL`, the header with its varint length, entries, and a trailer if it
 * was closed. An entry is a key, with its varint length, and cells:
 *
 * | size | field of a cell |
 * | --- | --- |
 * | 4 | length of the rest |
 * | 4, 4 | key length, value length |
 * | K, V | key and value as in an HFile |
 * | 2, n | tags length, tags; if bytes remain |
 */
import { ByteReader, CFileError, corrupt, withErrorContext } from "@cfile/bytes";
import { type ByteSource, type ReadOptions, readExactly, sizeOf } from "@cfile/io";
import { MessageReader } from "@cfile/protobuf/read";
import { readLengthPrefixed, readVarint32 } from "@cfile/varint";
import { decodeLogHeader, decodeLogKey } from "../generated/decode.js";

const MAGIC = "PWAL";
const TRAILER_MAGIC = "LAWP";
/** Trailer length and magic. */
const TRAILER_END = 8;
const WINDOW = 1 << 20;
/** Maximum length of a 32-bit varint. */
const MAX_LENGTH_BYTES = 5;
/** Maximum bytes of an entry. HBase's default limit for a cell is 10 MiB, and for an RPC 256 MiB. */
const MAX_ENTRY = 1 << 30;

/** An entry: cells of one region, written by one mutation or batch. */
export interface LogEntry {
  /** Encoded name of the region. */
  readonly region: string;
  readonly table: string;
  readonly sequenceId: number;
  /** Milliseconds since 1970. */
  readonly writeTime: number;
  readonly cellCount: number;
  /** File offset of the cells. */
  readonly offset: number;
  /** The cells, each with its length. */
  readonly bytes: Uint8Array;
}

/** Reads the entries of one log, in order. */
export class LogFile {
  /** Offset at which the log ends inside an entry, as it can while it is being written; `undefined` if it ends after one. */
  cutAt: number | undefined;
  private readonly source: ByteSource;
  private end = 0;
  private isClosed = false;
  private start = 0;
  private window: Uint8Array = new Uint8Array(0);

  constructor(source: ByteSource) {
    this.source = source;
  }

  /**
   * All entries. `bytes` are valid until the next entry is read.
   * @throws {CFileError} `E_UNSUPPORTED` for compressed and encrypted logs, `E_CORRUPT`, `E_TRUNCATED`; `E_IO` from the source
   */
  async *entries(options: ReadOptions = {}): AsyncGenerator<LogEntry, void, undefined> {
    const size = await sizeOf(this.source, options);
    if (size === 0) {
      return;
    }
    this.end = await this.dataEnd(size, options);
    let offset = await this.readHeader(options);
    while (offset < this.end) {
      options.signal?.throwIfAborted();
      const entry = await this.entryAt(offset, options);
      if (entry === undefined) {
        this.cutAt = offset;
        return;
      }
      yield entry;
      offset = entry.offset + entry.bytes.length;
    }
  }

  private async dataEnd(size: number, options: ReadOptions): Promise<number> {
    if (size < TRAILER_END) {
      return size;
    }
    const bytes = await readExactly(this.source, size - TRAILER_END, TRAILER_END, options);
    if (String.fromCharCode(...bytes.subarray(4)) !== TRAILER_MAGIC) {
      return size;
    }
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
    if (length > size - TRAILER_END) {
      throw corrupt(`trailer of ${length} bytes does not fit the log`, {
        path: this.source.name,
        field: "trailer",
      });
    }
    this.isClosed = true;
    return size - TRAILER_END - length;
  }

  private async readHeader(options: ReadOptions): Promise<number> {
    const bytes = await this.bytesAt(0, Math.min(this.end, WINDOW), options);
    return withErrorContext({ path: this.source.name }, () => {
      const reader = new ByteReader(bytes);
      const magic = String.fromCharCode(...reader.take(MAGIC.length, "log magic"));
      if (magic !== MAGIC) {
        throw corrupt("the file is not a write-ahead log", {
          offset: 0,
          field: "log magic",
          expected: MAGIC,
        });
      }
      const header = decodeLogHeader(
        new MessageReader(readLengthPrefixed(reader, "log header"), "log header"),
      );
      if (header.hasCompression === true || header.encryptionKey !== undefined) {
        const what = header.encryptionKey === undefined ? "compressed" : "encrypted";
        throw new CFileError("E_UNSUPPORTED", `${what} write-ahead logs are not supported`, {
          field: "log header",
        });
      }
      const { cellCodecClass: codec = "WALCellCodec" } = header;
      if (!codec.endsWith(".WALCellCodec") && codec !== "WALCellCodec") {
        throw new CFileError("E_UNSUPPORTED", `unsupported cell codec ${codec}`, {
          field: "log header",
          actual: codec,
        });
      }
      return reader.position;
    });
  }

  /** The entry at an offset; `undefined` if a log that was not closed ends inside it. */
  private async entryAt(offset: number, options: ReadOptions): Promise<LogEntry | undefined> {
    const head = await this.bytesAt(offset, Math.min(MAX_LENGTH_BYTES, this.end - offset), options);
    const prefix = withErrorContext({ path: this.source.name, block: { offset, size: head.length } }, () =>
      lengthAt(head),
    );
    if (prefix === undefined || prefix.bytes + prefix.length > this.end - offset) {
      return this.cut(offset);
    }
    const size = prefix.bytes + prefix.length;
    const keyBytes = await this.bytesAt(offset, size, options);
    const at = { path: this.source.name, block: { offset, size } };
    const key = withErrorContext(at, () =>
      decodeLogKey(new MessageReader(keyBytes, "log key", prefix.bytes, size)),
    );
    const { region, table, sequenceId, writeTime = 0, cells: cellCount = 0 } = key;
    if (region === undefined || sequenceId === undefined) {
      throw corrupt("log entry has no region or sequence ID", { ...at, field: "log key" });
    }
    const text = new TextDecoder();
    const bytes = await this.cellsAt(offset + size, cellCount, options);
    return (
      bytes && {
        region: text.decode(region),
        table: text.decode(table),
        sequenceId,
        writeTime,
        cellCount,
        offset: offset + size,
        bytes,
      }
    );
  }

  private async cellsAt(
    offset: number,
    count: number,
    options: ReadOptions,
  ): Promise<Uint8Array | undefined> {
    let length = 0;
    for (let i = 0; i < count; i++) {
      const at = offset + length;
      if (this.end - at < 4) {
        return this.cut(at);
      }
      const bytes = await this.bytesAt(at, 4, options);
      const cell = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0);
      if (cell > this.end - at - 4) {
        return this.cut(at);
      }
      length += 4 + cell;
      if (length > MAX_ENTRY) {
        throw corrupt("log entry exceeds 1 GiB", { path: this.source.name, offset, field: "cells" });
      }
    }
    return this.bytesAt(offset, length, options);
  }

  private cut(offset: number): undefined {
    if (this.isClosed) {
      const details = { path: this.source.name, offset, field: "log entry" };
      throw new CFileError("E_TRUNCATED", "an entry runs into the trailer of the log", details);
    }
  }

  /** `length` bytes at an offset; they must be before the end. */
  private async bytesAt(offset: number, length: number, options: ReadOptions): Promise<Uint8Array> {
    if (offset < this.start || offset + length > this.start + this.window.length) {
      const size = Math.min(Math.max(length, WINDOW), this.end - offset);
      this.window = await readExactly(this.source, offset, size, options);
      this.start = offset;
    }
    return this.window.subarray(offset - this.start, offset - this.start + length);
  }
}

/** The varint at the start and its own length; `undefined` if the bytes end inside it. */
function lengthAt(bytes: Uint8Array): { readonly bytes: number; readonly length: number } | undefined {
  const isComplete = bytes.length === MAX_LENGTH_BYTES || bytes.some((byte) => byte < 0x80);
  if (!isComplete) {
    return undefined;
  }
  const reader = new ByteReader(bytes);
  const length = readVarint32(reader, "log key length");
  return { bytes: reader.position, length };
}
