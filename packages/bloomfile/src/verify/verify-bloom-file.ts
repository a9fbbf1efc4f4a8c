/**
 * Checks that a Bloom file is consistent and finds all its keys (docs/spec/bloomfile.md#9-limits-and-hostile-input). Continues after a
 * problem, so that one report lists all problems.
 */
import {
  type BlockLocation,
  freshMemory,
  type MemoryArena,
  problemOf,
  toHex,
  type WorkOptions,
} from "@cfile/bytes";
import type { CFileReader, ValidBlock, ValidBlockVisitor, VerifyProblem } from "@cfile/format";
import type { RowKernels } from "@cfile/kernels/rows";
import type { BloomFilter } from "../filter/bloom-filter.js";
import { CheckedKeys, type KeyBatch } from "../filter/key-batch.js";
import type { BloomDirectory } from "../read/bloom-directory.js";
import type { FilterLoader } from "../read/filter-loader.js";
import type { ProbeOptions } from "../read/probe-batch.js";

/** Expected content of a Bloom file, and options of the check. `onProgress` counts the blocks of the container. */
export interface BloomVerifyOptions extends WorkOptions {
  /** The keys of the file: each must be found. */
  readonly keys?: Iterable<KeyBatch> | AsyncIterable<KeyBatch> | undefined;
  /** Number of keys in the file. Default: that of `keys`. */
  readonly rows?: number | undefined;
  /** Capacity of a filter in keys, from `bloomSizingByBytes`; required to check the number of blocks. */
  readonly expectedKeys?: number | undefined;
  /** Memory shared by consecutive checks, which then leave no filters in the cache. Default: new memory. */
  readonly arena?: MemoryArena | undefined;
}

/** All problems of a Bloom file, and its content. */
export interface BloomVerifyReport {
  /** Whether there are no problems; there may be warnings. */
  readonly ok: boolean;
  readonly problems: readonly VerifyProblem[];
  /** Filters that are valid but too full to be useful. */
  readonly warnings: readonly VerifyProblem[];
  /** Blocks in the index. */
  readonly blocks: number;
  /** Keys looked up. */
  readonly keys: number;
  /** Keys not found; the first hundred are among the problems. */
  readonly missingKeys: number;
  /** Whether the file has checksums; without them, flipped bits in filters are not detected. */
  readonly checksums: boolean;
}

const LISTED_KEYS = 100;
/** Maximum bytes shown of a missing key. */
const SHOWN_KEY_BYTES = 64;

/** The parts of a `BloomFileReader` that the check uses. */
export interface OpenBloomFile {
  readonly mayContainMany: (keys: KeyBatch, options: ProbeOptions) => Promise<Uint8Array>;
  readonly file: CFileReader;
  readonly filters: FilterLoader;
  readonly kernels: RowKernels;
  readonly loadDirectory: () => Promise<BloomDirectory>;
}

export async function verifyBloomFile(
  bloom: OpenBloomFile,
  options: BloomVerifyOptions,
): Promise<BloomVerifyReport> {
  const { keys } = options;
  const verifier = new BloomVerifier(bloom, options);
  try {
    await verifier.checkFilters();
    for await (const batch of keys ?? []) {
      await verifier.checkKeys(batch);
    }
    return verifier.report(options.rows ?? (keys && verifier.keys));
  } finally {
    verifier.close();
  }
}

/**
 * The steps of a check, for keys that another check reads: `checkFilters`, `checkKeys` for each batch, `report`, `close`.
 *
 * @internal
 */
export class BloomVerifier implements ValidBlockVisitor {
  /** Keys looked up. */
  keys = 0;
  private readonly bloom: OpenBloomFile;
  private readonly options: BloomVerifyOptions;
  private readonly memory: MemoryArena | undefined;
  private readonly problems: VerifyProblem[] = [];
  private readonly keyProblems: VerifyProblem[] = [];
  private readonly warnings: VerifyProblem[] = [];
  /** Offsets of the blocks whose filters were checked. */
  private readonly checked = new Set<number>();
  private answers: Uint8Array | undefined;
  private blocks = 0;
  private missingKeys = 0;
  private checksums = false;

  constructor(bloom: OpenBloomFile, options: BloomVerifyOptions) {
    this.bloom = bloom;
    this.options = options;
    this.memory = options.arena?.part("filters");
    if (this.memory !== undefined) {
      bloom.filters.keepIn(this.memory);
    }
  }

  /** Frees the memory of the arena. */
  close(): void {
    const { filters } = this.bloom;
    if (this.memory !== undefined) {
      filters.clear();
      filters.keepIn(freshMemory);
      this.memory.recycle();
    }
  }

  /** Checks the container, the index and all filters. @throws {CFileError} as `BloomFileReader.verify` */
  async checkFilters(): Promise<void> {
    const { arena, signal, onProgress } = this.options;
    const report = await this.bloom.file.verify({ signal, arena, onProgress, visitor: this });
    this.checksums = report.checksums;
    this.problems.push(...report.problems);
    await this.checkOtherFilters();
  }

  /** Checks that the keys are found. @throws {CFileError} as `BloomFileReader.verify` */
  async checkKeys(batch: KeyBatch): Promise<void> {
    const { signal } = this.options;
    const { answers: target } = this;
    const answers = await this.bloom.mayContainMany(batch, { signal, target, onDamage: ignoreDamage });
    this.answers = target === undefined || target.length < answers.length ? answers : target;
    const missing = answers.indexOf(0) < 0 ? 0 : answers.reduce((sum, answer) => sum + (1 - answer), 0);
    if (missing > 0) {
      this.listMissing(new CheckedKeys(batch), answers);
    }
    this.missingKeys += missing;
    this.keys += answers.length;
  }

  /** @param rows keys of the file; if unknown, the report is without problems of keys */
  report(rows: number | undefined): BloomVerifyReport {
    const problems =
      rows === undefined
        ? this.problems
        : [...this.problems, ...this.keyProblems, ...this.checkBlockCount(rows)];
    return {
      ok: problems.length === 0,
      problems,
      warnings: this.warnings,
      blocks: this.blocks,
      keys: this.keys,
      missingKeys: this.missingKeys,
      checksums: this.checksums,
    };
  }

  /** Checks a filter, and caches it for the lookup of keys. */
  visitValidBlock({ location, content }: ValidBlock): void {
    this.checkFill(location, this.bloom.filters.keep(location, content));
    this.checked.add(location.offset);
  }

  private checkFill({ offset, size }: BlockLocation, filter: BloomFilter): void {
    this.blocks++;
    const { isSaturated, ones } = filter.measureFill(this.bloom.kernels);
    if (isSaturated) {
      const reason = `filter is saturated: ${ones} of ${filter.bitCount} bits are set`;
      const block = { offset, size };
      this.warnings.push({ code: "E_CORRUPT", reason, block, field: "bloom filter", actual: ones });
    }
  }

  /** Checks the index, and the filters that the check of the container skipped. */
  private async checkOtherFilters(): Promise<void> {
    try {
      const { entries } = await this.bloom.loadDirectory();
      const others = entries.filter(({ offset }) => !this.checked.has(offset));
      for await (const loaded of this.bloom.filters.loadAll(others, this.options)) {
        for (const { block, filter, damage } of loaded) {
          if (filter !== undefined) {
            this.checkFill(block, filter);
          } else {
            this.blocks++;
            this.note(damage);
          }
        }
      }
    } catch (error) {
      this.note(error);
    }
  }

  private listMissing(keys: CheckedKeys, answers: Uint8Array): void {
    let listed = Math.min(this.missingKeys, LISTED_KEYS);
    for (let i = answers.indexOf(0); i >= 0 && listed < LISTED_KEYS; i = answers.indexOf(0, i + 1)) {
      const reason = `key ${this.keys + i} is not found: reads would miss its row`;
      const actual = toHex(keys.copy(i).subarray(0, SHOWN_KEY_BYTES));
      this.keyProblems.push({ code: "E_CORRUPT", reason, field: "keys", actual });
      listed++;
    }
  }

  private checkBlockCount(rows: number): readonly VerifyProblem[] {
    const { expectedKeys } = this.options;
    const expected = expectedKeys === undefined ? this.blocks : Math.ceil(rows / expectedKeys);
    if (this.blocks === expected) {
      return [];
    }
    const reason = `wrong number of blocks for ${rows} keys, ${expectedKeys} per filter`;
    return [{ code: "E_CORRUPT", reason, field: "validx_info", expected, actual: this.blocks }];
  }

  /** Reports damage unless the check of the container already did; throws failures of the source and aborts. */
  private note(error: unknown): void {
    const found = problemOf(error);
    const isSame = ({ code, block }: VerifyProblem): boolean =>
      code === found.code && block?.offset === found.block?.offset;
    if (!this.problems.some(isSame)) {
      this.problems.push(found);
    }
  }
}

/** Damage has already been reported with the filters. */
function ignoreDamage(): void {}
