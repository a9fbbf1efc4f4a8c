/** What a range of bytes is: the unit of an annotated view. Notes of one block follow each other and cover every byte of it. */
import { ByteReader, isCFileError } from "@cfile/bytes";
import { readVarint32, readVarint64 } from "@cfile/varint";

/** What a range is for; a view colours by it. */
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

/** A name for a range of bytes, and what they say. */
export interface ByteNote {
  /** Byte range, `end` exclusive. */
  readonly start: number;
  readonly end: number;
  readonly role: ByteRole;
  /** What the specification calls it. */
  readonly label: string;
  /** What the bytes say, as text. */
  readonly text?: string | undefined;
}

/** How finely bytes are named. */
export interface AnnotateOptions {
  /** Values, entries or runs that get a note each; the rest of them share one. Default 2000. */
  readonly mostNotes?: number | undefined;
}

const DEFAULT_MOST_NOTES = 2000;

/** Reads bytes from front to back and notes what each of them is. */
export class ByteNotes {
  readonly reader: ByteReader;
  readonly most: number;
  private readonly notes: ByteNote[] = [];
  private noted: number;

  constructor(bytes: Uint8Array, { mostNotes = DEFAULT_MOST_NOTES }: AnnotateOptions = {}) {
    this.reader = new ByteReader(bytes);
    this.most = mostNotes;
    this.noted = 0;
  }

  get position(): number {
    return this.reader.position;
  }

  get bytes(): Uint8Array {
    return this.reader.bytes;
  }

  /** Notes what was read since the last note. */
  note(role: ByteRole, label: string, text?: string): void {
    const end = this.reader.position;
    if (end > this.noted) {
      this.notes.push({ start: this.noted, end, role, label, text });
      this.noted = end;
    }
  }

  /**
   * Names the next `length` bytes and moves past them; gives a view of them.
   *
   * @throws CFileError `E_TRUNCATED` when fewer remain
   */
  skip(length: number, role: ByteRole, label: string, text?: string): Uint8Array {
    const bytes = this.reader.take(length, label);
    this.note(role, label, text);
    return bytes;
  }

  /**
   * Reads and names an unsigned 32-bit integer, little-endian.
   *
   * @throws CFileError `E_TRUNCATED` when fewer than 4 bytes remain
   */
  u32le(role: ByteRole, label: string, meaning: (value: number) => string = String): number {
    const value = this.reader.u32le(label);
    this.note(role, label, meaning(value));
    return value;
  }

  /**
   * Reads and names an unsigned 32-bit integer, big-endian.
   *
   * @throws CFileError `E_TRUNCATED` when fewer than 4 bytes remain
   */
  u32be(role: ByteRole, label: string): number {
    const value = this.reader.u32be(label);
    this.note(role, label, String(value));
    return value;
  }

  /**
   * Reads and names a varint32.
   *
   * @throws CFileError `E_TRUNCATED` or `E_CORRUPT` when there is none
   */
  varint32(role: ByteRole, label: string): number {
    const value = readVarint32(this.reader, label);
    this.note(role, label, String(value));
    return value;
  }

  /**
   * Reads and names a varint64, as a number: beyond 2^53 it is rounded.
   *
   * @throws CFileError `E_TRUNCATED` or `E_CORRUPT` when there is none
   */
  varint64(role: ByteRole, label: string): number {
    const value = readVarint64(this.reader, label);
    this.note(role, label, String(value));
    return value;
  }

  /** All notes; what `read` left over, or could not understand, is noted as such. */
  static of(bytes: Uint8Array, read: (notes: ByteNotes) => void, options?: AnnotateOptions): ByteNote[] {
    const notes = new ByteNotes(bytes, options);
    try {
      read(notes);
      notes.reader.skip(notes.reader.remaining, "rest");
      notes.note("problem", "bytes that nothing explains");
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
