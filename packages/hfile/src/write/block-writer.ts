/** Writes blocks: compression, header, checksums. */
import { type BlockLocation, ByteBuilder } from "@cfile/bytes";
import type { SinkQueue } from "@cfile/io";
import { BLOCK_HEADER_LENGTH, writeBlockHeader } from "../blocks/block-header.js";
import type { BlockKind } from "../blocks/block-kind.js";
import { checksumAreaLength, chunkChecksum } from "../blocks/checksum-type.js";
import { COMPRESSORS } from "../blocks/hfile-codec.js";
import type { ResolvedWriterOptions } from "./writer-options.js";

export class BlockWriter {
  private readonly out: SinkQueue;
  private readonly options: ResolvedWriterOptions;
  private readonly previous = new Map<BlockKind, number>();

  constructor(out: SinkQueue, options: ResolvedWriterOptions) {
    this.out = out;
    this.options = options;
  }

  /** Writes the next block. Callers may reuse `body`. */
  write(kind: BlockKind, body: Uint8Array): BlockLocation {
    const { compression, checksums, bytesPerChecksum } = this.options;
    const stored = COMPRESSORS[compression](body);
    const checksumsStart = BLOCK_HEADER_LENGTH + stored.length;
    const size = checksumsStart + checksumAreaLength(checksumsStart, bytesPerChecksum);
    const offset = this.out.position;
    const block = new ByteBuilder(size);
    writeBlockHeader(block, {
      kind,
      size,
      checksumsStart,
      uncompressedSize: body.length,
      previousOffset: this.previousOffset(kind),
      checksumType: checksums,
      bytesPerChecksum,
    });
    block.append(stored);
    const covered = block.view8();
    for (let from = 0; from < checksumsStart; from += bytesPerChecksum) {
      block.u32be(chunkChecksum(checksums, covered, from, Math.min(checksumsStart, from + bytesPerChecksum)));
    }
    this.out.emit(block.view8());
    return { offset, size };
  }

  private previousOffset(kind: BlockKind): number {
    const last = this.previous.get(kind);
    this.previous.set(kind, this.out.position);
    if (this.options.profile === "hudi") {
      // Hudi's writer stores the offset of the block itself, and only in data blocks after the first.
      return kind === "data" && last !== undefined ? this.out.position : -1;
    }
    return last ?? -1;
  }
}
