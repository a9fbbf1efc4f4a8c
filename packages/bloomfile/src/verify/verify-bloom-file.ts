/**
 * Checking a Bloom file against itself and against the keys it is for (docs/spec/bloomfile.md#9-limits-and-hostile-input). Goes
 * on after a problem, so that one report names everything that is wrong.
 */
import {
  type BlockLocation,
  type CFileError,
  freshMemory,
  isDamage,
  type MemoryArena,
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

/** What a Bloom file is checked against. */
/** `onProgress` counts the blocks of the container. */
export interface BloomVerifyOptions extends WorkOptions {
  /** The keys that the file was made of: each must be found. */
  readonly keys?: Iterable<KeyBatch> | AsyncIterable<KeyBatch> | undefined;
  /** How many keys the file was made of. Default: as many as `keys` has. */
  readonly rows?: number | undefined;
  /** Keys a filter takes; with it, the number of blocks is checked. `bloomSizingByBytes` tells it. */
  readonly expectedKeys?: number | undefined;
  /** For checks of many files one after the other; no filters are kept behind the check then. Default: new memory. */
  readonly arena?: MemoryArena | undefined;
}

/** What is wrong with a Bloom file, and what was looked at. */
export interface BloomVerifyReport {
  /** Nothing is wrong. There may be warnings. */
  readonly ok: boolean;
  readonly problems: readonly VerifyProblem[];
  /** What is not wrong, but should not be: filters that are full. */
  readonly warnings: readonly VerifyProblem[];
  /** Blocks that the index leads to. */
  readonly blocks: number;
  /** Keys asked for. */
  readonly keys: number;
  /** Keys that were not found; the first hundred are among the problems. */
  readonly missingKeys: number;
  /** Whether the file has checksums; without them flipped bits in filters cannot be seen. */
  readonly checksums: boolean;
}

const LISTED_KEYS = 100;
/** Bytes of a missing key that are shown. */
const SHOWN_KEY_BYTES = 64;

/** An open Bloom file. */
export interface OpenBloomFile {
  readonly mayContainMany: (keys: KeyBatch, options: ProbeOptions) => Promise<Uint8Array>;
  readonly file: CFileReader;
  readonly filters: FilterLoader;
  readonly kernels: RowKernels;
  readonly loadDirectory: () => Promise<BloomDirectory>;
}

export function verifyBloomFile(
  file: OpenBloomFile,
  options: BloomVerifyOptions,
): Promise<BloomVerifyReport> {
  return new BloomVerifier(file, options).run();
}

class BloomVerifier implements ValidBlockVisitor {
  private readonly bloom: OpenBloomFile;
  private readonly options: BloomVerifyOptions;
  private readonly problems: VerifyProblem[] = [];
  private readonly warnings: VerifyProblem[] = [];
  /** Offsets of the blocks whose filters were looked into. */
  private readonly looked = new Set<number>();
  private blocks = 0;
  private keys = 0;
  private missingKeys = 0;

  constructor(bloom: OpenBloomFile, options: BloomVerifyOptions) {
    this.bloom = bloom;
    this.options = options;
  }

  async run(): Promise<BloomVerifyReport> {
    const memory = this.options.arena?.part("filters");
    const { filters } = this.bloom;
    if (memory === undefined) {
      return this.check();
    }
    filters.keepIn(memory);
    try {
      return await this.check();
    } finally {
      filters.clear();
      filters.keepIn(freshMemory);
      memory.recycle();
    }
  }

  private async check(): Promise<BloomVerifyReport> {
    const { arena, signal, onProgress } = this.options;
    const { problems, checksums } = await this.bloom.file.verify({
      signal,
      arena,
      onProgress,
      visitor: this,
    });
    this.problems.push(...problems);
    await this.checkOtherFilters();
    await this.checkKeys();
    this.checkBlockCount();
    return {
      ok: this.problems.length === 0,
      problems: this.problems,
      warnings: this.warnings,
      blocks: this.blocks,
      keys: this.keys,
      missingKeys: this.missingKeys,
      checksums,
    };
  }

  /** What was read once is kept: filters are looked into, and then asked for keys. */
  visitValidBlock({ location, content }: ValidBlock): void {
    // The check of the container has looked into the block: this is a filter.
    this.checkFill(location, this.bloom.filters.keep(location, content));
    this.looked.add(location.offset);
  }

  private checkFill({ offset, size }: BlockLocation, filter: BloomFilter): void {
    this.blocks++;
    const { isSaturated, ones } = filter.measureFill(this.bloom.kernels);
    if (isSaturated) {
      this.warnings.push({
        code: "E_CORRUPT",
        reason: `${ones} of ${filter.bitCount} bits are set: the filter finds nearly every key`,
        block: { offset, size },
        field: "bloom filter",
        actual: ones,
      });
    }
  }

  /** Those of blocks in which something is wrong, and what is wrong with the index. */
  private async checkOtherFilters(): Promise<void> {
    try {
      const { all } = await this.bloom.loadDirectory();
      const others: BlockLocation[] = [];
      for (const { offset, size } of all) {
        if (!this.looked.has(offset)) {
          others.push({ offset, size });
        }
      }
      for await (const loaded of this.bloom.filters.loadAll(others, this.options)) {
        for (const { block, filter, damage } of loaded) {
          if (filter !== undefined) {
            this.checkFill(block, filter);
          } else {
            this.blocks++;
          }
          if (damage !== undefined) {
            this.note(damage);
          }
        }
      }
    } catch (error) {
      if (!isDamage(error)) {
        throw error;
      }
      this.note(error);
    }
  }

  private async checkKeys(): Promise<void> {
    const { keys, signal } = this.options;
    if (keys === undefined) {
      return;
    }
    let target: Uint8Array | undefined;
    for await (const batch of keys) {
      // Damage is among the problems already.
      const answers = await this.bloom.mayContainMany(batch, { signal, target, onDamage: ignored });
      target = target === undefined || target.length < answers.length ? answers : target;
      const missing = answers.indexOf(0) < 0 ? 0 : answers.reduce((sum, answer) => sum + (1 - answer), 0);
      if (missing > 0) {
        this.listMissing(new CheckedKeys(batch), answers);
      }
      this.missingKeys += missing;
      this.keys += answers.length;
    }
  }

  private listMissing(keys: CheckedKeys, answers: Uint8Array): void {
    let listed = Math.min(this.missingKeys, LISTED_KEYS);
    for (let i = answers.indexOf(0); i >= 0 && listed < LISTED_KEYS; i = answers.indexOf(0, i + 1)) {
      this.problems.push({
        code: "E_CORRUPT",
        reason: `key ${this.keys + i} is not found: reads would miss its row`,
        field: "keys",
        actual: toHex(keys.copy(i).subarray(0, SHOWN_KEY_BYTES)),
      });
      listed++;
    }
  }

  private checkBlockCount(): void {
    const { expectedKeys, keys } = this.options;
    const rows = this.options.rows ?? (keys === undefined ? undefined : this.keys);
    if (expectedKeys === undefined || rows === undefined) {
      return;
    }
    const expected = Math.ceil(rows / expectedKeys);
    if (this.blocks !== expected) {
      this.problems.push({
        code: "E_CORRUPT",
        reason: `${rows} keys, ${expectedKeys} a filter, take ${expected} blocks; the file has ${this.blocks}`,
        field: "validx_info",
        expected,
        actual: this.blocks,
      });
    }
  }

  /** Lists damage, unless the check of the container did so. */
  private note({ code, reason, offset, block, field, expected, actual }: CFileError): void {
    const isListed = this.problems.some(
      (problem) => problem.code === code && problem.block?.offset === block?.offset,
    );
    if (!isListed) {
      this.problems.push({ code, reason, offset, block, field, expected, actual });
    }
  }
}

function ignored(): void {}
