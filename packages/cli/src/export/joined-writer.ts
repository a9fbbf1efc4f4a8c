/** Writes the parts of one thread to the joined file. Until the position of a part is known, its bytes stay in memory. */
import { setTimeout } from "node:timers/promises";
import { ByteReader, type MemoryArena } from "@cfile/bytes";
import { choosePageKernels } from "@cfile/kernels/pages";
import { endPart, type JoinedFile, type JoinedPart, MAGIC_BYTES, PartStarts } from "./joined-file.js";
import type { PartSink } from "./part-sink.js";
import { PositionedFile } from "./positioned-file.js";

/** Maximum bytes in memory. With more, a thread waits until earlier parts are encoded. */
const MAX_HELD_BYTES = 64 << 20;
const WAIT_MILLISECONDS = 5;
/** Length of what follows the footer: its length and magic bytes. */
const TRAILER_BYTES = 8;

export class JoinedWriter {
  private readonly joined: JoinedFile;
  private readonly starts: PartStarts;
  private readonly file: PositionedFile;
  private readonly memory: PartMemory;
  /** Complete parts in memory, in order. */
  private waiting: PartWriter[] = [];

  constructor(joined: JoinedFile, arena: MemoryArena) {
    this.joined = joined;
    this.starts = new PartStarts(joined);
    this.file = new PositionedFile(joined.path);
    this.memory = new PartMemory(arena);
  }

  /** The sink of a part, which comes after all earlier parts of this thread. */
  sink(index: number): PartSink {
    return new PartWriter(this, this.file, this.memory, index);
  }

  /**
   * Writes the parts that are still in memory, as soon as their positions are known.
   *
   * @throws {CFileError} `E_IO` if the file cannot be written or synced
   */
  async finish(): Promise<void> {
    for (const { index } of this.waiting) {
      await this.startOf(index);
    }
    await this.file.settle();
  }

  close(): Promise<void> {
    return this.file.close();
  }

  /** The position of a part, if it is known. Complete parts in memory are written if theirs are known. */
  knownStartOf(index: number): number | undefined {
    this.waiting = this.waiting.filter((part) => {
      const start = this.starts.of(part.index);
      if (start !== undefined) {
        part.place(start);
      }
      return start === undefined;
    });
    return this.starts.of(index);
  }

  /** Waits for the position of a part. */
  async startOf(index: number): Promise<number> {
    for (;;) {
      const start = this.knownStartOf(index);
      if (start !== undefined) {
        return start;
      }
      await setTimeout(WAIT_MILLISECONDS);
    }
  }

  /** @param isPlaced whether the bytes of the part are in the file */
  complete(part: PartWriter, bytes: number, isPlaced: boolean): void {
    if (!isPlaced) {
      this.waiting.push(part);
    }
    endPart(this.joined, part.index, bytes);
  }
}

/** Memory for the parts of a thread. */
class PartMemory {
  private readonly arena: MemoryArena;
  private heldBytes = 0;

  constructor(arena: MemoryArena) {
    this.arena = arena;
  }

  get isFull(): boolean {
    return this.heldBytes > MAX_HELD_BYTES;
  }

  copy(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    const held = new Uint8Array(this.arena.take(bytes.length), 0, bytes.length);
    held.set(bytes);
    this.heldBytes += held.length;
    return held;
  }

  release(held: Uint8Array<ArrayBuffer>): void {
    this.heldBytes -= held.length;
    this.arena.release(held.buffer);
  }
}

class PartWriter implements PartSink {
  readonly name: string;
  readonly index: number;
  checksum = 0;
  joined: JoinedPart | undefined;
  private readonly writer: JoinedWriter;
  private readonly file: PositionedFile;
  private readonly memory: PartMemory;
  /** All bytes of the part, or none. */
  private held: Uint8Array<ArrayBuffer>[] = [];
  private length = 0;
  /** Where the footer starts, once the part is complete. */
  private end = Number.POSITIVE_INFINITY;

  constructor(writer: JoinedWriter, file: PositionedFile, memory: PartMemory, index: number) {
    this.writer = writer;
    this.file = file;
    this.memory = memory;
    this.name = file.path;
    this.index = index;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.checksum = choosePageKernels().crc32(bytes, this.checksum) >>> 0;
    let start = this.writer.knownStartOf(this.index);
    if (start === undefined && this.memory.isFull) {
      start = await this.writer.startOf(this.index);
    }
    if (start === undefined) {
      this.held.push(this.memory.copy(bytes));
    } else {
      this.place(start);
      this.put(start, bytes, this.length);
    }
    this.length += bytes.length;
  }

  async close(): Promise<void> {
    const start = this.writer.knownStartOf(this.index);
    if (start !== undefined) {
      this.place(start);
    }
    const footerLength = new ByteReader(this.lastBytes(TRAILER_BYTES, start)).u32le("footer length");
    const footer = this.lastBytes(footerLength + TRAILER_BYTES, start);
    this.end = this.length - footer.length;
    const bytes = this.end - MAGIC_BYTES;
    this.joined = { bytes, footer: Buffer.from(footer).toString("base64") };
    this.writer.complete(this, bytes, start !== undefined);
  }

  async abort(): Promise<void> {
    this.release();
  }

  /** Writes the bytes in memory. @param start of the part in the file */
  place(start: number): void {
    let offset = 0;
    for (const bytes of this.held) {
      this.put(start, bytes, offset);
      offset += bytes.length;
    }
    this.release();
  }

  /** Writes bytes at an offset of the part, except for its magic bytes and, if it is known, its footer. */
  private put(start: number, bytes: Uint8Array, offset: number): void {
    const from = Math.max(offset, MAGIC_BYTES);
    const to = Math.min(offset + bytes.length, this.end);
    if (from < to) {
      this.file.write(bytes.subarray(from - offset, to - offset), start + from - MAGIC_BYTES);
    }
  }

  /** @param start of the part, if it is in the file */
  private lastBytes(length: number, start: number | undefined): Uint8Array {
    const last = new Uint8Array(length);
    if (start !== undefined) {
      this.file.read(last, start + this.length - MAGIC_BYTES - length);
      return last;
    }
    let rest = length;
    for (const bytes of this.held.toReversed()) {
      const piece = bytes.subarray(Math.max(0, bytes.length - rest));
      rest -= piece.length;
      last.set(piece, rest);
    }
    return last;
  }

  private release(): void {
    for (const bytes of this.held) {
      this.memory.release(bytes);
    }
    this.held = [];
  }
}
