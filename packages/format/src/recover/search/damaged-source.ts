/** The source of a damaged file. Since locations of blocks are uncertain, it checks that they lie in the file. */
import { type BlockLocation, CFileError, type Limits, overLimit, withErrorContext } from "@cfile/bytes";
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

  /** Bytes `offset` (inclusive) to `end` (exclusive), both inside the file. */
  read(offset: number, end: number): Promise<Uint8Array> {
    return readExactly(this.source, offset, end - offset, { signal: this.signal, field: "damaged file" });
  }

  /**
   * The content of a block at a supposed location.
   *
   * @throws {CFileError} `E_TRUNCATED` when it is not inside the file, `E_LIMIT` when it is too large; as `unwrapBlock`
   */
  async block(block: BlockLocation, wrapping: BlockWrapping): Promise<Uint8Array> {
    const { path, size: fileSize } = this;
    const { offset, size } = block;
    const details = { path, block, field: "block pointer" };
    if (offset < 0 || offset + size > fileSize) {
      const reason = "the block is not completely inside the file";
      throw new CFileError("E_TRUNCATED", reason, { ...details, expected: offset + size, actual: fileSize });
    }
    if (size > this.limits.maxStoredBlockSize) {
      throw overLimit("stored block size", "maxStoredBlockSize", this.limits, size, details);
    }
    return this.unwrap(block, await this.read(offset, offset + size), wrapping);
  }

  unwrap(block: BlockLocation, stored: Uint8Array, wrapping: BlockWrapping): Uint8Array {
    const { path, limits } = this;
    return withErrorContext({ path, block }, () => unwrapBlock(stored, wrapping, limits, true));
  }
}
