/**
 * Checks that the keys of a row set are in order and in the Bloom file. A file whose values are the keys is decoded once: its blocks
 * are visited while they are verified.
 */
import type { BloomFileReader, BloomVerifyOptions, BloomVerifyReport } from "@cfile/bloomfile";
import { type CFileError, findingOf, type MemoryArena } from "@cfile/bytes";
import type { CFileReader, ValidBlock, ValidBlockVisitor } from "@cfile/format";
import { KeyCheck, type KeyColumnBatches, readKeyColumns } from "../keys/key-check.js";
import { KeyIndex } from "../keys/key-index.js";
import type { RowSetParts } from "../read/row-set-parts.js";

/** Settings of the check; `expectedKeys` are those of a filter. */
export interface KeyVerifyOptions extends Pick<BloomVerifyOptions, "expectedKeys" | "signal"> {
  readonly arena: MemoryArena;
}

/** Call `open`, `checkFilters`, pass all keys, then ask for `mistakes` and `bloomReport`. */
export class KeyVerifier implements ValidBlockVisitor {
  private readonly parts: RowSetParts;
  private readonly options: KeyVerifyOptions;
  private readonly memory: MemoryArena;
  private keys: KeyCheck | undefined;
  private bloom: ReturnType<BloomFileReader["verifier"]> | undefined;

  constructor(parts: RowSetParts, options: KeyVerifyOptions) {
    this.parts = parts;
    this.options = options;
    this.memory = options.arena.part("keys");
  }

  /** @throws {CFileError} as `KeyIndex.open` */
  async open(file: CFileReader): Promise<void> {
    const index = await KeyIndex.open(file, this.options);
    this.keys = new KeyCheck(this.parts, index, file.path, this.memory);
  }

  /** Checks the Bloom file by itself. @throws {CFileError} when it cannot be opened */
  async checkFilters(): Promise<void> {
    const file = await this.parts.bloom();
    this.bloom = file?.verifier(this.options);
    await this.bloom?.checkFilters();
  }

  /** Takes the keys of a block of the only key column. */
  async visitValidBlock({ block, values = block?.decode(0, block.rows) }: ValidBlock): Promise<void> {
    if (values !== undefined) {
      await this.check({ columns: [values], stored: undefined });
    }
  }

  /** Reads the keys of several key columns. */
  async readKeys(): Promise<void> {
    const { memory, options, parts } = this;
    try {
      for await (const batch of readKeyColumns(parts, options.signal, memory)) {
        await this.check(batch);
      }
    } catch (error) {
      this.keys?.mistakes.push(findingOf(error));
    }
  }

  /** The first mistake of each kind in the keys. */
  get mistakes(): readonly CFileError[] {
    return this.keys?.mistakes ?? [];
  }

  /** @param rows number of keys; `undefined` if not all were passed */
  bloomReport(rows: number | undefined): BloomVerifyReport | undefined {
    return this.bloom?.report(rows);
  }

  close(): void {
    this.bloom?.close();
    this.memory.recycle();
  }

  private async check(batch: KeyColumnBatches): Promise<void> {
    const keys = this.keys?.check(batch);
    if (keys !== undefined) {
      await this.bloom?.checkKeys(keys);
    }
  }
}
