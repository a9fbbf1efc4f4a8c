/** Writes the parts of one thread to the joined file. Until the position of a part is known, its bytes stay in memory. */
import { closeSync, fsync, openSync, readSync, writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { ByteReader, CFileError, type MemoryArena } from "@cfile/bytes";
import { choosePageKernels } from "@cfile/kernels/pages";
import { endPart, type JoinedFile, type JoinedPart, MAGIC_BYTES, PartStarts } from "./joined-file.js";
import type { PartSink } from "./part-sink.js";

/** Maximum bytes in memory. With more, a thread waits until earlier parts are encoded. */
const MAX_HELD_BYTES = 64 << 20;
/** Maximum bytes of a write, as in `fileSink`. */
const WRITE_BYTES = 256 * 1024;
/** Number of written bytes after which a sync is started. */
const SYNC_BYTES = 64 << 20;
const WAIT_MILLISECONDS = 5;
/** Length of what follows the footer: its own length and magic bytes. */
const TRAILER_BYTES = 8;

export class JoinedWriter {
  private readonly file: JoinedFile;
  private readonly arena: MemoryArena;
  private readonly starts: PartStarts;
  /** Complete parts with bytes in memory, in order. */
  private readonly waiting: PartWriter[] = [];
  private heldBytes = 0;
  private fd: number | undefined;
  /** Bytes written since the start of the last sync. */
  private unsynced = 0;
  private syncing: Promise<void> | undefined;
  /** The error of a sync; the system does not report it to later ones. */
  private failure: CFileError | undefined;

  constructor(file: JoinedFile, arena: MemoryArena) {
    this.file = file;
    this.arena = arena;
    this.starts = new PartStarts(file);
  }

  /** The sink of a part, which comes after all earlier parts of this thread. */
  sink(index: number): PartSink {
    return new PartWriter(this, this.file, index);
  }

  /** Writes the parts that are still in memory, as soon as their positions are known. */
  async finish(): Promise<void> {
    for (const { index } of [...this.waiting]) {
      await this.startOf(index);
    }
    await this.syncing;
    if (this.failure !== undefined) {
      throw this.failure;
    }
  }

  async close(): Promise<void> {
    await this.syncing;
    if (this.fd !== undefined) {
      closeSync(this.fd);
      this.fd = undefined;
    }
  }

  /** Writes complete parts whose positions are known by now. @returns the position of a part, if it is known */
  knownStartOf(index: number): number | undefined {
    for (const part of [...this.waiting]) {
      const start = this.starts.of(part.index);
      if (start === undefined) {
        break;
      }
      part.place(start);
      this.waiting.shift();
    }
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

  /** Keeps a complete part until its position is known. */
  keep(part: PartWriter): void {
    this.waiting.push(part);
  }

  get isFull(): boolean {
    return this.heldBytes > MAX_HELD_BYTES;
  }

  hold(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    const held = new Uint8Array(this.arena.take(bytes.length), 0, bytes.length);
    held.set(bytes);
    this.heldBytes += held.length;
    return held;
  }

  release(held: Uint8Array<ArrayBuffer>): void {
    this.heldBytes -= held.length;
    this.arena.release(held.buffer);
  }

  write(bytes: Uint8Array, position: number): void {
    this.access("write", (fd) => {
      for (let done = 0; done < bytes.length; ) {
        const length = Math.min(WRITE_BYTES, bytes.length - done);
        done += writeSync(fd, bytes, done, length, position + done);
      }
      this.unsynced += bytes.length;
      if (this.syncing === undefined && this.unsynced >= SYNC_BYTES) {
        this.unsynced = 0;
        this.syncing = this.sync(fd);
      }
    });
  }

  read(bytes: Uint8Array, position: number): void {
    this.access("read", (fd) => readSync(fd, bytes, 0, bytes.length, position));
  }

  /** Another thread of the process syncs the file meanwhile, so that its last sync is short. */
  private async sync(fd: number): Promise<void> {
    try {
      await promisify(fsync)(fd);
    } catch (cause) {
      this.failure ??= this.failed("sync", cause);
    }
    this.syncing = undefined;
  }

  private access(what: "read" | "write", action: (fd: number) => void): void {
    try {
      this.fd ??= openSync(this.file.path, "r+");
      action(this.fd);
    } catch (cause) {
      throw this.failed(what, cause);
    }
  }

  private failed(what: "read" | "write" | "sync", cause: unknown): CFileError {
    const { path } = this.file;
    return new CFileError("E_IO", `cannot ${what} the file: ${String(cause)}`, { path, cause });
  }
}

class PartWriter implements PartSink {
  readonly name: string;
  readonly index: number;
  checksum = 0;
  joined: JoinedPart | undefined;
  private readonly writer: JoinedWriter;
  private readonly file: JoinedFile;
  /** All bytes of the part, or none. */
  private held: Uint8Array<ArrayBuffer>[] = [];
  private length = 0;
  /** Where the footer starts, once the part is complete. */
  private end = Number.POSITIVE_INFINITY;

  constructor(writer: JoinedWriter, file: JoinedFile, index: number) {
    this.writer = writer;
    this.file = file;
    this.name = file.path;
    this.index = index;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.checksum = choosePageKernels().crc32(bytes, this.checksum) >>> 0;
    let start = this.writer.knownStartOf(this.index);
    if (start === undefined && this.writer.isFull) {
      start = await this.writer.startOf(this.index);
    }
    if (start === undefined) {
      this.held.push(this.writer.hold(bytes));
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
    if (start === undefined) {
      this.writer.keep(this);
    }
    endPart(this.file, this.index, bytes);
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

  /** Writes bytes at an offset of the part, except for its magic bytes and footer. */
  private put(start: number, bytes: Uint8Array, offset: number): void {
    const from = Math.max(offset, MAGIC_BYTES);
    const to = Math.min(offset + bytes.length, this.end);
    if (from < to) {
      this.writer.write(bytes.subarray(from - offset, to - offset), start + from - MAGIC_BYTES);
    }
  }

  /** @param start of the part in the file, if it is there */
  private lastBytes(length: number, start: number | undefined): Uint8Array {
    const last = new Uint8Array(length);
    if (start !== undefined) {
      this.writer.read(last, start + this.length - MAGIC_BYTES - length);
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
      this.writer.release(bytes);
    }
    this.held = [];
  }
}
