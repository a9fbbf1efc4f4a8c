/**
 * Reads the undamaged blocks of a file (docs/spec/hfile.md#14-damage-handling). Each block starts with a magic and its size, so blocks
 * are found without index and trailer. After damage, the search resumes at the next magic.
 */
import { type CFileErrorCode, corrupt, crc32c, findingOf, type Limits, type WorkOptions } from "@cfile/bytes";
import {
  type ByteSource,
  openSource,
  type ReadOptions,
  readExactly,
  type SourceInput,
  sizeOf,
} from "@cfile/io";
import { BLOCK_HEADER_LENGTH, type HFileBlockHeader, parseBlockHeader } from "../blocks/block-header.js";
import { blockKindAt, MAGIC_LENGTH, magicAt, TRAILER_MAGIC } from "../blocks/block-kind.js";
import { BlockLoader } from "../blocks/block-loader.js";
import { cellsOf } from "../blocks/data-blocks.js";
import type { HFileCodec } from "../blocks/hfile-codec.js";
import type { CellBatch, CellLayout } from "../cells/cell-batch.js";
import { checkRowOrder } from "../cells/cell-search.js";
import { parseFileInfo } from "../file/file-info.js";
import { HFILE_LIMITS, layoutOf, readTrailer, type StructureOptions } from "../file/file-structure.js";
import { TRAILER_LENGTH } from "../file/trailer.js";

/** A range of bytes that could not be read. */
export interface LostRange {
  /** File offset and length in bytes. */
  readonly offset: number;
  readonly size: number;
  /** The kind of the lost block, if known. */
  readonly kind: string | undefined;
  readonly code: CFileErrorCode;
  readonly reason: string;
}

/** Bytes to search at a time for the next magic. */
const SEARCH_WINDOW = 1 << 20;
/** All magics begin with `D`, `I`, `B`, `M` or `F`. */
const MAGIC_STARTS: readonly number[] = [0x44, 0x49, 0x42, 0x4d, 0x46];
/** Length of a checksum. All bytes that end with their own CRC have the same CRC. */
const CHECKSUM_LENGTH = 4;
const CODECS: readonly HFileCodec[] = ["NONE", "GZ", "SNAPPY", "LZ4", "ZSTD"];
const LAYOUTS: readonly CellLayout[] = [
  { mvcc: true, tags: false },
  { mvcc: false, tags: false },
  { mvcc: true, tags: true },
  { mvcc: false, tags: true },
  { mvcc: true, tags: true, tagsCompressed: true },
  { mvcc: false, tags: true, tagsCompressed: true },
];

/**
 * Opens an HFile that may be damaged.
 * @throws {CFileError} `E_IO`, `E_NOT_FOUND` if the source fails; damage is not thrown
 */
export async function recoverHFile(
  input: SourceInput,
  options: StructureOptions = {},
): Promise<RecoveredHFile> {
  const source = await openSource(input);
  const file = new RecoveredHFile(source, options, await sizeOf(source, options));
  await file.readEnd();
  return file;
}

/** The undamaged blocks of a file. */
export class RecoveredHFile {
  /** Lost ranges in file order; complete when {@link batches} has ended. */
  readonly lost: LostRange[] = [];
  private readonly source: ByteSource;
  private readonly options: StructureOptions;
  private readonly limits: Limits;
  /** From the trailer, or the codec that opens the first block. */
  private codec: HFileCodec | undefined;
  private layout: CellLayout | undefined;
  /** Where blocks end: at the trailer, or the end of the file. */
  private end: number;

  /** @internal Comes from {@link recoverHFile}. */
  constructor(source: ByteSource, options: StructureOptions, fileSize: number) {
    this.source = source;
    this.options = options;
    this.limits = { ...HFILE_LIMITS, ...options.limits };
    this.end = fileSize;
  }

  /**
   * The cells of all undamaged data blocks, in file order. Damaged and repeated blocks are omitted completely. `onProgress` counts bytes
   * of the file.
   */
  async *batches(options: WorkOptions = {}): AsyncGenerator<CellBatch, void, undefined> {
    const seen = new Set<string>();
    for (let offset = 0; offset < this.end; ) {
      options.signal?.throwIfAborted();
      const start = offset;
      let header: HFileBlockHeader | undefined;
      try {
        header = await this.header(offset, options);
        const bytes = await readExactly(this.source, offset, header.size, options);
        const batch = this.open(bytes, offset, header);
        if (batch !== undefined) {
          requireNew(bytes, header, seen, offset);
          yield batch;
        }
        offset += header.size;
      } catch (error) {
        const { code, reason } = findingOf(error);
        offset = await this.resume(start, header, options);
        this.lost.push({ offset: start, size: offset - start, kind: header?.kind, code, reason });
      }
      options.onProgress?.({ done: offset, total: this.end });
    }
  }

  /** Closes the file and its source. */
  async close(): Promise<void> {
    await this.source.close?.();
  }

  /** @internal Reads the trailer and the file info, as far as they are undamaged. */
  async readEnd(): Promise<void> {
    const fileSize = this.end;
    try {
      const trailer = await readTrailer(this.source, fileSize, this.limits, this.options);
      this.end = fileSize - TRAILER_LENGTH;
      const { codec, fileInfoOffset: offset } = trailer;
      this.codec = codec;
      const { size } = await this.header(offset, this.options);
      const bytes = await readExactly(this.source, offset, size, this.options);
      const { body } = this.loader(codec).open(bytes, { offset, size }, ["file info"]);
      this.layout = layoutOf(parseFileInfo(body));
    } catch (error) {
      // Codec and layout are then detected from the blocks; `batches` reports the loss. Only failures of the source are rethrown.
      findingOf(error);
    }
  }

  private loader(codec: HFileCodec): BlockLoader {
    const { limits, end } = this;
    return new BlockLoader(this.source, { codec, checksums: this.options.checksums ?? true, limits, end });
  }

  private async header(offset: number, options: ReadOptions): Promise<HFileBlockHeader> {
    const length = Math.min(BLOCK_HEADER_LENGTH, this.end - offset);
    const head = await readExactly(this.source, offset, length, options);
    return parseBlockHeader(head, 0, this.end - offset, this.limits);
  }

  private open(bytes: Uint8Array, offset: number, { size, kind }: HFileBlockHeader): CellBatch | undefined {
    const codecs = this.codec === undefined ? CODECS : [this.codec];
    return firstThatWorks(codecs, (codec) => {
      const loader = this.loader(codec);
      const opened = loader.open(bytes, { offset, size }, [kind]);
      const layouts = this.layout === undefined ? LAYOUTS : [this.layout];
      const isData = kind === "data" || kind === "encoded data";
      const batch = isData
        ? firstThatWorks(layouts, (layout) => {
            const cells = cellsOf(opened, { layout, loader });
            checkRowOrder(cells);
            this.layout = layout;
            return cells;
          })
        : undefined;
      this.codec = codec;
      return batch;
    });
  }

  /** Where to resume: after the block, if a block or the end follows, else at the next magic. */
  private async resume(
    offset: number,
    header: HFileBlockHeader | undefined,
    options: ReadOptions,
  ): Promise<number> {
    const next = offset + (header?.size ?? 0);
    const isKnown = header !== undefined && (next === this.end || (await this.isMagic(next, options)));
    return isKnown ? next : this.nextMagic(offset + 1, options);
  }

  private async isMagic(offset: number, options: ReadOptions): Promise<boolean> {
    if (offset + MAGIC_LENGTH > this.end) {
      return false;
    }
    const bytes = await readExactly(this.source, offset, MAGIC_LENGTH, options);
    return blockKindAt(bytes, 0) !== undefined || magicAt(bytes, 0) === TRAILER_MAGIC;
  }

  private async nextMagic(from: number, options: ReadOptions): Promise<number> {
    for (let start = from; start + MAGIC_LENGTH <= this.end; start += SEARCH_WINDOW) {
      options.signal?.throwIfAborted();
      const length = Math.min(SEARCH_WINDOW + MAGIC_LENGTH - 1, this.end - start);
      const bytes = await readExactly(this.source, start, length, options);
      for (let at = 0; at + MAGIC_LENGTH <= length; at++) {
        if (MAGIC_STARTS.includes(bytes[at] as number) && blockKindAt(bytes, at) !== undefined) {
          return start + at;
        }
      }
    }
    return this.end;
  }
}

/**
 * Rejects repeated blocks, which a wrong copy of a part of the file leaves. A block has the offset of the previous one, which no other
 * block of the file has. The first block lacks it, and with other writers all blocks may.
 */
function requireNew(
  bytes: Uint8Array,
  { previousOffset }: HFileBlockHeader,
  seen: Set<string>,
  offset: number,
): void {
  const block =
    previousOffset >= 0
      ? `${previousOffset}`
      : `first ${bytes.length} ${crc32c(bytes.subarray(0, bytes.length - 2 * CHECKSUM_LENGTH))}`;
  if (seen.has(block)) {
    throw corrupt("the block repeats an earlier one", { offset, field: "block" });
  }
  seen.add(block);
}

/** The result for the first choice that does not fail. @throws the first failure if all fail */
function firstThatWorks<C, T>(choices: readonly C[], action: (choice: C) => T): T {
  let failure: unknown;
  for (const choice of choices) {
    try {
      return action(choice);
    } catch (error) {
      findingOf(error);
      failure ??= error;
    }
  }
  throw failure;
}
