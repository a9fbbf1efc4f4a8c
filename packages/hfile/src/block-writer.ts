/** Making blocks of bodies: compression, header, checksums; and bringing them to the sink. */
import { type BlockLocation, ByteBuilder } from "@cfile/bytes";
import type { ByteSink } from "@cfile/io";
import { BLOCK_HEADER_LENGTH, writeBlockHeader } from "./block-header.js";
import { type BlockKind, magicOf } from "./block-kind.js";
import { checksumAreaLength, chunkChecksum } from "./checksum-type.js";
import { compressBody } from "./hfile-codec.js";
import type { ResolvedWriterOptions } from "./writer-options.js";

export class BlockWriter {
  /** Where the next block begins. */
  position = 0;
  private readonly sink: ByteSink;
  private readonly options: ResolvedWriterOptions;
  private readonly previous = new Map<string, number>();
  private readonly queue: Uint8Array[] = [];
  private queued = 0;
  private flushing: Promise<void> = Promise.resolve();

  constructor(sink: ByteSink, options: ResolvedWriterOptions) {
    this.sink = sink;
    this.options = options;
  }

  /** Puts a block behind those before; the body may be used again. */
  write(kind: BlockKind, body: Uint8Array): BlockLocation {
    const { compression, checksums, bytesPerChecksum } = this.options;
    const stored = compressBody(compression, body);
    const checksumsStart = BLOCK_HEADER_LENGTH + stored.length;
    const size = checksumsStart + checksumAreaLength(checksumsStart, bytesPerChecksum);
    const offset = this.position;
    const out = new ByteBuilder(size);
    writeBlockHeader(out, {
      kind,
      size,
      checksumsStart,
      uncompressedSize: body.length,
      previousOffset: this.previousOffset(kind),
      checksumType: checksums,
      bytesPerChecksum,
    });
    out.append(stored);
    const covered = out.view8();
    for (let from = 0; from < checksumsStart; from += bytesPerChecksum) {
      out.u32be(chunkChecksum(checksums, covered, from, Math.min(checksumsStart, from + bytesPerChecksum)));
    }
    this.emit(out.view8());
    return { offset, size };
  }

  emit(bytes: Uint8Array): void {
    this.queue.push(bytes);
    this.queued += bytes.length;
    this.position += bytes.length;
  }

  /** Hands the queue to the sink when it holds more than `threshold` bytes, one write after the other. */
  flush(threshold: number): Promise<void> {
    if (this.queued > threshold) {
      const pieces = this.queue.splice(0);
      this.queued = 0;
      this.flushing = this.flushing.then(async () => {
        for (const piece of pieces) {
          await this.sink.write(piece);
        }
      });
    }
    return this.flushing;
  }

  /** Waits for writes that were begun, whatever becomes of them. */
  async settle(): Promise<void> {
    await this.flushing.catch(() => undefined);
  }

  private previousOffset(kind: BlockKind): number {
    const magic = magicOf(kind);
    const last = this.previous.get(magic);
    this.previous.set(magic, this.position);
    if (this.options.profile === "hudi") {
      // Hudi's writer names the block itself, and only for data blocks after the first.
      return kind === "data" && last !== undefined ? this.position : -1;
    }
    return last ?? -1;
  }
}
