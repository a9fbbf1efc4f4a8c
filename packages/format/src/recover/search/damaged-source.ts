/** Reading a file that is not what it should be: ranges beyond its ends, blocks whose place is only supposed. */
import { type BlockLocation, CFileError, type Limits, withErrorContext } from "@cfile/bytes";
import { type ByteSource, readExactly } from "@cfile/io";
import { type BlockWrapping, unwrapBlock } from "../../blocks/block-wrapper.js";

export class DamagedSource {
  readonly path: string;
  readonly size: number;
  readonly limits: Limits;
  readonly signal: AbortSignal | undefined;
  private readonly source: ByteSource;

  constructor(source: ByteSource, size: number, limits: Limits, signal: AbortSignal | undefined) {
    this.source = source;
    this.path = source.name;
    this.size = size;
    this.limits = limits;
    this.signal = signal;
  }

  /** Bytes `offset` to `end`, both inside the file. */
  read(offset: number, end: number): Promise<Uint8Array> {
    return readExactly(this.source, offset, end - offset, { signal: this.signal, field: "damaged file" });
  }

  /**
   * The content of a block at a place that somebody claims.
   *
   * @throws CFileError `E_TRUNCATED` when the file does not reach so far, and as `unwrapBlock` does
   */
  async block(block: BlockLocation, wrapping: BlockWrapping): Promise<Uint8Array> {
    const { offset, size } = block;
    if (offset < 0 || offset + size > this.size) {
      throw new CFileError("E_TRUNCATED", "the block is not in the file, or not all of it", {
        path: this.path,
        block,
        field: "block pointer",
        expected: offset + size,
        actual: this.size,
      });
    }
    if (size > this.limits.maxStoredBlockSize) {
      const { maxStoredBlockSize } = this.limits;
      throw new CFileError(
        "E_LIMIT",
        `a block of ${size} bytes, maxStoredBlockSize is ${maxStoredBlockSize}`,
        {
          path: this.path,
          block,
          field: "block pointer",
          expected: maxStoredBlockSize,
          actual: size,
        },
      );
    }
    return this.unwrap(block, await this.read(offset, offset + size), wrapping);
  }

  unwrap(block: BlockLocation, stored: Uint8Array, wrapping: BlockWrapping): Uint8Array {
    return withErrorContext({ path: this.path, block }, () =>
      unwrapBlock(stored, wrapping, this.limits, true),
    );
  }
}
