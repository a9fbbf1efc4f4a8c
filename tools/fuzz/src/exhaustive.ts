/** Flips every bit and cuts every length. A reader must throw an error or return the written values. */
import { isCFileError } from "@cfile/bytes";
import { memorySource } from "@cfile/io";
import { openCFile } from "cfile";
import { type GoldenFile, goldenFiles } from "./files/golden-file.js";
import { HANGS_AFTER } from "./run-fuzz.js";

export interface ExhaustiveReport {
  /** Number of files tested, and number of existing files of at most that size. */
  readonly files: number;
  readonly filesInAll: number;
  readonly flips: number;
  readonly truncations: number;
  /** Wrong values from files with checksums; errors other than `CFileError`; too much time or memory. */
  readonly faults: readonly string[];
  /** Flips that no reader of a file without checksums can detect. */
  readonly unseen: number;
  /** Processor time, because on a busy machine the clock also counts waiting for a core. */
  readonly slowestMilliseconds: number;
  /** Maximum increase of process memory in one case. */
  readonly maxBytes: number;
}

/** In addition to the size of the file. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Rows, and elements of a block: a few bytes can encode very many. */
const MAX_ROWS = 1 << 20;

/**
 * Tests whole files, the smallest first, until the time is up.
 * @param largest maximum file size in bytes
 */
export async function tryEveryBit(
  largest: number,
  seconds: number,
  onProgress?: (line: string) => void,
): Promise<ExhaustiveReport> {
  const run = new ExhaustiveRun();
  const end = performance.now() + 1000 * seconds;
  const smallestFirst = [...(await goldenFiles(largest))].sort((a, b) => a.bytes.length - b.bytes.length);
  let files = 0;
  for (const golden of smallestFirst) {
    if (performance.now() > end) {
      break;
    }
    files++;
    await run.file(golden);
    if (files % 100 === 0) {
      onProgress?.(
        `${files} of ${smallestFirst.length} files, ${run.flips} flips, ${run.faults.length} faults`,
      );
    }
  }
  const { flips, truncations, faults, unseen, slowestMilliseconds, maxBytes } = run;
  return {
    files,
    filesInAll: smallestFirst.length,
    flips,
    truncations,
    faults,
    unseen,
    slowestMilliseconds,
    maxBytes,
  };
}

class ExhaustiveRun {
  readonly faults: string[] = [];
  flips = 0;
  truncations = 0;
  unseen = 0;
  slowestMilliseconds = 0;
  maxBytes = 0;
  private used = process.resourceUsage();

  async file(golden: GoldenFile): Promise<void> {
    const right = await outcome(golden.bytes);
    this.used = process.resourceUsage();
    const bytes = golden.bytes.slice();
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const at = bit >> 3;
      const before = bytes[at] as number;
      bytes[at] = before ^ (1 << (bit & 7));
      this.flips++;
      this.unseen += await this.judge(golden, () => `bit ${bit}`, bytes, right);
      bytes[at] = before;
    }
    for (let length = 0; length < golden.bytes.length; length++) {
      this.truncations++;
      await this.judge(golden, () => `cut to ${length}`, golden.bytes.subarray(0, length), right);
    }
  }

  /** @returns 1 for wrong values */
  private async judge(
    golden: GoldenFile,
    what: () => string,
    bytes: Uint8Array,
    right: string,
  ): Promise<number> {
    const found = await outcome(bytes);
    const used = process.resourceUsage();
    const milliseconds = processorMilliseconds(used) - processorMilliseconds(this.used);
    const added = 1024 * (used.maxRSS - this.used.maxRSS);
    this.used = used;
    this.slowestMilliseconds = Math.max(this.slowestMilliseconds, milliseconds);
    this.maxBytes = Math.max(this.maxBytes, added);
    const isWrong = found !== "refused" && found !== right;
    if (
      found.startsWith("untyped") ||
      (golden.checksums && isWrong) ||
      milliseconds > HANGS_AFTER ||
      added > MAX_BYTES + bytes.length
    ) {
      this.faults.push(
        `${golden.name}, ${what()}: ${milliseconds.toFixed(0)} ms, ${added} bytes, ${found.slice(0, 200)}`,
      );
    }
    return isWrong ? 1 : 0;
  }
}

function processorMilliseconds({ userCPUTime, systemCPUTime }: NodeJS.ResourceUsage): number {
  return (userCPUTime + systemCPUTime) / 1000;
}

/** Most files are rejected. Only those that can be read to the end are read again for their values. */
async function outcome(bytes: Uint8Array): Promise<string> {
  try {
    const limits = { maxBlockRows: MAX_ROWS, maxBlockElements: MAX_ROWS };
    const file = await openCFile(memorySource(bytes), { limits });
    let rows = 0;
    for await (const { length } of file.scan({ batchRows: 65536 })) {
      rows += length;
      if (rows > MAX_ROWS) {
        break;
      }
    }
    const cells: string[] = [];
    for await (const batch of file.scan({ batchRows: 65536 })) {
      for (const cell of batch.toArray({ strings: "bytes" })) {
        cells.push(String(cell));
      }
      if (cells.length > MAX_ROWS) {
        break;
      }
    }
    return `${file.type} ${cells.join(" ")}`;
  } catch (error) {
    return isCFileError(error) ? "refused" : `untyped ${error}`;
  }
}
