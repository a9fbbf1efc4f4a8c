/** Notes that explain ranges of bytes, for annotated views. The notes of a block cover each of its bytes exactly once. */
import { ByteReader, isCFileError } from "@cfile/bytes";
import { readVarint32, readVarint64 } from "@cfile/varint";

/** Purpose of a range; views color ranges by it. */
export type ByteRole =
  | "magic"
  | "length"
  | "count"
  | "ordinal"
  | "bitmap"
  | "value"
  | "key"
  | "pointer"
  | "field"
  | "compressed"
  | "checksum"
  | "problem";

/** A range of bytes, its name and its value. */
export interface ByteNote {
  /** Byte range, `end` exclusive. */
  readonly start: number;
  readonly end: number;
  readonly role: ByteRole;
  /** Name in the specification. */
  readonly label: string;
  /** The value, as text. */
  readonly text?: string | undefined;
}

/** Options of the annotation. */
export interface AnnotateOptions {
  /** Maximum number of values, entries or runs with a note each; the rest share one. Default 2000. */
  readonly maxNotes?: number | undefined;
}

const DEFAULT_MAX_NOTES = 2000;

/** Reads bytes sequentially and explains them. */
export class ByteNotes {
  readonly reader: ByteReader;
  readonly maxNotes: number;
  private readonly notes: ByteNote[] = [];
  private noted = 0;

  constructor(bytes: Uint8Array, { maxNotes = DEFAULT_MAX_NOTES }: AnnotateOptions = {}) {
    this.reader = new ByteReader(bytes);
    this.maxNotes = maxNotes;
  }

  get position(): number {
    return this.reader.position;
  }

  get bytes(): Uint8Array {
    return this.reader.bytes;
  }

  /** Adds a note on the bytes read since the last one. */
  note(role: ByteRole, label: string, text?: string): void {
    const end = this.reader.position;
    if (end > this.noted) {
      this.notes.push({ start: this.noted, end, role, label, text });
      this.noted = end;
    }
  }

  /** Adds a note on the next `length` bytes. @throws {CFileError} `E_TRUNCATED` when fewer remain */
  skip(length: number, role: ByteRole, label: string, text?: string): void {
    this.reader.skip(length, label);
    this.note(role, label, text);
  }

  /** Reads and notes an unsigned 32-bit integer, little-endian. @throws {CFileError} `E_TRUNCATED` */
  u32le(role: ByteRole, label: string, meaning?: (value: number) => string): number {
    return this.integer(role, label, this.reader.u32le(label), meaning);
  }

  /** Reads and notes an unsigned 32-bit integer, big-endian. @throws {CFileError} `E_TRUNCATED` */
  u32be(role: ByteRole, label: string): number {
    return this.integer(role, label, this.reader.u32be(label));
  }

  /** Reads and notes a varint32. @throws {CFileError} `E_TRUNCATED` or `E_CORRUPT` */
  varint32(role: ByteRole, label: string): number {
    return this.integer(role, label, readVarint32(this.reader, label));
  }

  /** Reads and notes a varint64 up to 2^53 - 1. @throws {CFileError} `E_TRUNCATED` or `E_CORRUPT` */
  varint64(role: ByteRole, label: string): number {
    return this.integer(role, label, readVarint64(this.reader, label));
  }

  private integer(
    role: ByteRole,
    label: string,
    value: number,
    meaning: (value: number) => string = String,
  ): number {
    this.note(role, label, meaning(value));
    return value;
  }

  /** Returns all notes of `read`, and notes unread bytes and errors as problems. Never throws a `CFileError`. */
  static of(bytes: Uint8Array, read: (notes: ByteNotes) => void, options?: AnnotateOptions): ByteNote[] {
    const notes = new ByteNotes(bytes, options);
    try {
      read(notes);
      notes.reader.skip(notes.reader.remaining, "rest");
      notes.note("problem", "unexplained bytes");
    } catch (error) {
      if (!isCFileError(error)) {
        throw error;
      }
      notes.reader.position = bytes.length;
      notes.note("problem", "not understood", error.reason);
    }
    return notes.notes;
  }
}
