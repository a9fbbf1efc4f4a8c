/** Every bit flipped, every length cut: what a reader makes of it is an error or the values that were written. */
import { isCFileError } from "@cfile/bytes";
import { memorySource } from "@cfile/io";
import { openCFile } from "cfile";
import { type GoldenFile, goldenFiles } from "./golden-file.js";

export interface ExhaustiveReport {
  readonly files: number;
  readonly flips: number;
  readonly truncations: number;
  /** Values that were not the ones written, of files with checksums; and anything but a `CFileError`. */
  readonly faults: readonly string[];
  /** Flips that no reader of a file without checksums can see. */
  readonly unseen: number;
}

/**
 * Takes whole files, the smallest first, as long as there is time.
 *
 * @param largest bytes of a file that is still taken
 */
export async function tryEveryBit(largest: number, seconds: number): Promise<ExhaustiveReport> {
  const faults: string[] = [];
  let files = 0;
  let flips = 0;
  let truncations = 0;
  let unseen = 0;
  const end = performance.now() + 1000 * seconds;
  const smallestFirst = (await goldenFiles(largest)).sort((a, b) => a.bytes.length - b.bytes.length);
  for (const golden of smallestFirst) {
    if (performance.now() > end) {
      break;
    }
    files++;
    const right = await outcome(golden.bytes);
    for (let bit = 0; bit < 8 * golden.bytes.length; bit++) {
      const bytes = golden.bytes.slice();
      bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
      const found = await outcome(bytes);
      flips++;
      unseen += judge(golden, `bit ${bit}`, found, right, faults);
    }
    for (let length = 0; length < golden.bytes.length; length++) {
      truncations++;
      judge(golden, `cut to ${length}`, await outcome(golden.bytes.subarray(0, length)), right, faults);
    }
  }
  return { files, flips, truncations, faults, unseen };
}

function judge(golden: GoldenFile, what: string, found: string, right: string, faults: string[]): number {
  const isWrong = found !== "refused" && found !== right;
  if (found.startsWith("untyped") || (golden.checksums && isWrong)) {
    faults.push(`${golden.name}, ${what}: ${found.slice(0, 200)}`);
  }
  return isWrong ? 1 : 0;
}

async function outcome(bytes: Uint8Array): Promise<string> {
  try {
    const file = await openCFile(memorySource(bytes), {
      limits: { maxBlockRows: 1 << 20, maxBlockElements: 1 << 20 },
    });
    const cells: unknown[] = [];
    for await (const batch of file.scan({ batchRows: 65536 })) {
      cells.push(...batch.toArray({ strings: "bytes" }).map(String));
      if (cells.length > 1 << 20) {
        break;
      }
    }
    return `${file.type} ${cells.join(" ")}`;
  } catch (error) {
    return isCFileError(error) ? "refused" : `untyped ${error}`;
  }
}
