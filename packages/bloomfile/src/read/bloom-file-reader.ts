/**
 * Reads a Bloom file (docs/spec/bloomfile.md#7-lookup): the value index leads to the only block that can contain a key, whose
 * filter answers. Index and filters are cached, so that later lookups do not read the file.
 */
import { DEFAULT_LIMITS, type Limits, reportDamage } from "@cfile/bytes";
import {
  BlockReader,
  type BlockReadOptions,
  type CFileReader,
  type FileStructure,
  type OpenCFileOptions,
  openCFile,
} from "@cfile/format";
import type { SourceInput } from "@cfile/io";
import { chooseRowKernels, type RowKernels } from "@cfile/kernels/rows";
import { requireBloomFooter } from "../filter/bloom-footer.js";
import { CheckedKeys, type KeyBatch } from "../filter/key-batch.js";
import {
  BloomVerifier,
  type BloomVerifyOptions,
  type BloomVerifyReport,
  type OpenBloomFile,
  verifyBloomFile,
} from "../verify/verify-bloom-file.js";
import { BloomDirectory } from "./bloom-directory.js";
import { type BloomBlock, type BloomStatistics, describeBlock, summarize } from "./bloom-statistics.js";
import { FilterLoader } from "./filter-loader.js";
import { type ProbeOptions, probeBatch } from "./probe-batch.js";

/** The options of any CFile. `cacheBytes` bounds the cached filters; the default of `maxIndexDepth` is 16. */
export type BloomOpenOptions = Omit<OpenCFileOptions, "codecs">;

/** Measured rate of false positives. */
export interface MeasuredRate {
  readonly keys: number;
  readonly falsePositives: number;
  /** `falsePositives / keys`; 0 without keys. */
  readonly rate: number;
}

const DEFAULT_CACHE_BYTES = 64 * 1024 * 1024;
const MAX_INDEX_DEPTH = 16;

/**
 * Opens a Bloom file: a path, URL, `ByteSource` or any other input of `openCFile`. Reads and checks only footer and header.
 *
 * @throws {CFileError} `E_UNSUPPORTED`: a CFile, but not a Bloom file; and as `openCFile`
 */
export async function openBloomFile(
  input: SourceInput,
  options: BloomOpenOptions = {},
): Promise<BloomFileReader> {
  const limits: Limits = { ...DEFAULT_LIMITS, maxIndexDepth: MAX_INDEX_DEPTH, ...options.limits };
  const file = await openCFile(input, { ...options, limits });
  requireBloomFooter(file.structure.footer, file.path);
  const blocks = new BlockReader(file.source, file.structure, limits, options.verifyChecksums ?? true);
  const filters = new FilterLoader(blocks, options.cacheBytes ?? DEFAULT_CACHE_BYTES);
  return new BloomFileReader(file, filters, chooseRowKernels(options.kernels));
}

/** An open Bloom file: `mayContain` looks up keys. Blocks are read on demand and cached. */
export class BloomFileReader {
  private readonly file: CFileReader;
  private readonly filters: FilterLoader;
  private readonly kernels: RowKernels;
  private directory: BloomDirectory | undefined;

  /** @internal Use {@link openBloomFile}. */
  constructor(file: CFileReader, filters: FilterLoader, kernels: RowKernels) {
    this.file = file;
    this.filters = filters;
    this.kernels = kernels;
  }

  get path(): string {
    return this.file.path;
  }

  /** Header and footer. */
  get structure(): FileStructure {
    return this.file.structure;
  }

  /**
   * Whether an encoded primary key may be in the file: `false` is certain, `true` is probable.
   *
   * @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED`, `E_CHECKSUM`, `E_LIMIT`: index or filter are damaged, and there is no
   *   `options.onDamage`; `E_IO`: the source fails
   */
  async mayContain(key: Uint8Array, options: ProbeOptions = {}): Promise<boolean> {
    options.signal?.throwIfAborted();
    const known = this.mayContainCached(key);
    if (known !== undefined) {
      return known;
    }
    try {
      const directory = await this.loadDirectory(options);
      const entry = directory.entries[directory.search(key, 0, key.length)];
      return entry !== undefined && (await this.filters.load(entry, options)).mayContain(key);
    } catch (error) {
      reportDamage(error, options.onDamage);
      return true;
    }
  }

  /** {@link mayContain} without waiting, if index and filter are in memory; else `undefined`. */
  mayContainCached(key: Uint8Array): boolean | undefined {
    const { directory } = this;
    if (directory === undefined) {
      return undefined;
    }
    const entry = directory.entries[directory.search(key, 0, key.length)];
    return entry === undefined ? false : this.filters.cached(entry.offset)?.mayContain(key);
  }

  /**
   * {@link mayContain} for many keys in any order: 1 or 0 per key. Each block is read once; neighboring blocks are read together.
   *
   * @throws {CFileError} as {@link mayContain}; `E_INVALID_ARGUMENT` for an invalid batch
   */
  async mayContainMany(keys: KeyBatch, options: ProbeOptions = {}): Promise<Uint8Array> {
    options.signal?.throwIfAborted();
    const checked = new CheckedKeys(keys);
    let directory: BloomDirectory;
    try {
      directory = await this.loadDirectory(options);
    } catch (error) {
      reportDamage(error, options.onDamage);
      return new Uint8Array(checked.length).fill(1);
    }
    return probeBatch(checked, directory, this.filters, this.kernels, options);
  }

  /** Measures the rate of false positives with keys known to be absent. @throws {CFileError} as {@link mayContainMany} */
  async measure(absentKeys: KeyBatch, options: BlockReadOptions = {}): Promise<MeasuredRate> {
    const answers = await this.mayContainMany(absentKeys, { signal: options.signal });
    const keys = answers.length;
    const falsePositives = answers.reduce((sum, answer) => sum + answer, 0);
    return { keys, falsePositives, rate: keys === 0 ? 0 : falsePositives / keys };
  }

  /**
   * The blocks in order. Damaged blocks are reported to `options.onDamage` and skipped.
   *
   * @throws {CFileError} as {@link mayContain}; also for a damaged index
   */
  async *blocks(options: ProbeOptions = {}): AsyncGenerator<BloomBlock, void, void> {
    const directory = await this.loadDirectory(options);
    let index = 0;
    for await (const loaded of this.filters.loadAll(directory.entries, options)) {
      for (const { block, filter, damage } of loaded) {
        if (filter !== undefined) {
          yield describeBlock(index, block, filter, this.kernels);
        } else {
          reportDamage(damage, options.onDamage);
        }
        index++;
      }
    }
  }

  /** Statistics of all blocks; reads the whole file. @throws {CFileError} as {@link blocks} */
  async statistics(options: ProbeOptions = {}): Promise<BloomStatistics> {
    const directory = await this.loadDirectory(options);
    const blocks: BloomBlock[] = [];
    for await (const block of this.blocks(options)) {
      blocks.push(block);
    }
    return {
      fileBytes: this.structure.fileSize,
      blocks: directory.entries.length,
      damagedBlocks: directory.entries.length - blocks.length,
      indexBlocks: directory.indexBlocks,
      indexBytes: directory.indexBytes,
      ...summarize(blocks),
    };
  }

  /**
   * Checks the whole file: container, index, every filter, and whether every given key is found.
   *
   * @throws {CFileError} `E_IO`, `E_SOURCE_CHANGED`: only when the source fails; `E_INVALID_ARGUMENT` for invalid `keys`
   */
  verify(options: BloomVerifyOptions = {}): Promise<BloomVerifyReport> {
    return verifyBloomFile(this.parts(options), options);
  }

  /** {@link verify} in steps. @internal */
  verifier(options: BloomVerifyOptions): BloomVerifier {
    return new BloomVerifier(this.parts(options), options);
  }

  /** Drops cached filters and closes the source. */
  async close(): Promise<void> {
    this.filters.clear();
    await this.file.close();
  }

  /** Calls `close` at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private parts(options: BlockReadOptions): OpenBloomFile {
    const { file, filters, kernels } = this;
    const mayContainMany = this.mayContainMany.bind(this);
    return { file, filters, kernels, loadDirectory: () => this.loadDirectory(options), mayContainMany };
  }

  /** The whole index, read at the first lookup: one block in all but very large files. */
  private async loadDirectory({ signal }: BlockReadOptions): Promise<BloomDirectory> {
    if (this.directory === undefined) {
      const { validx } = await this.file.layout({ signal });
      this.directory ??= new BloomDirectory(validx, this.structure);
    }
    return this.directory;
  }
}
