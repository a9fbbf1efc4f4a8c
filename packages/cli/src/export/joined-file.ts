/**
 * The Parquet file to which all threads of an export write their parts, so that nothing has to be copied at the end. A part starts where
 * the previous one ends.
 *
 * | bytes | content |
 * | --- | --- |
 * | 4 | `PAR1` |
 * | n | row groups, Bloom filters and indexes of the first part, without its magic bytes and footer |
 * | ... | those of the other parts |
 */
import { constants, open } from "node:fs/promises";
import { concatBytes } from "@cfile/bytes";
import { type ByteSource, readExactly } from "@cfile/io";

const MAGIC = "PAR1";
export const MAGIC_BYTES: number = MAGIC.length;
const UNKNOWN = -1n;

/** The file, as sent to threads. */
export interface JoinedFile {
  readonly path: string;
  /** Number of bytes of each part, in shared memory: -1 while it is written, 0 if it is not in the file. */
  readonly sizes: BigInt64Array;
}

/** A part of the file. */
export interface JoinedPart {
  /** Number of its bytes in the file. */
  readonly bytes: number;
  /** Its footer with length and magic bytes, in base64. */
  readonly footer: string;
}

export function joinedFile(path: string, parts: number): JoinedFile {
  const memory = new SharedArrayBuffer(parts * BigInt64Array.BYTES_PER_ELEMENT);
  return { path, sizes: new BigInt64Array(memory) };
}

/** Creates the file, or keeps what an interrupted export has left. */
export async function createJoinedFile({ path }: JoinedFile): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_CREAT);
  await file.write(MAGIC, 0).finally(() => file.close());
}

/** Adds a part that is in the file. */
export function addPart({ sizes }: JoinedFile, index: number, bytes: number): void {
  Atomics.store(sizes, index, BigInt(bytes));
}

/** Expects a part, which is going to be written after all that are in the file. */
export function expectPart({ sizes }: JoinedFile, index: number): void {
  Atomics.store(sizes, index, UNKNOWN);
}

/** Sets the size of an expected part, 0 if it failed; does nothing if it is set. */
export function endPart({ sizes }: JoinedFile, index: number, bytes: number): void {
  Atomics.compareExchange(sizes, index, UNKNOWN, BigInt(bytes));
}

/** A part as a file of its own. @param start of the part in the file */
export function joinedPartSource(file: ByteSource, start: number, { bytes, footer }: JoinedPart): ByteSource {
  const magic = new TextEncoder().encode(MAGIC);
  const last = Buffer.from(footer, "base64");
  const size = MAGIC_BYTES + bytes + last.length;
  return {
    name: file.name,
    size: () => Promise.resolve(size),
    read: async (offset, length, options) => {
      const end = Math.min(offset + length, size);
      const from = Math.max(offset - MAGIC_BYTES, 0);
      const to = Math.min(end - MAGIC_BYTES, bytes);
      return concatBytes([
        magic.subarray(offset, end),
        from < to ? await readExactly(file, start + from, to - from, options) : new Uint8Array(),
        last.subarray(Math.max(offset - MAGIC_BYTES - bytes, 0), Math.max(end - MAGIC_BYTES - bytes, 0)),
      ]);
    },
    close: async () => file.close?.(),
  };
}

/** Computes where parts start. */
export class PartStarts {
  private readonly sizes: BigInt64Array;
  private readonly starts = [MAGIC_BYTES];

  constructor({ sizes }: JoinedFile) {
    this.sizes = sizes;
  }

  /** File offset of a part, or the end of the file after the last one; `undefined` until all earlier parts are encoded. */
  of(index: number): number | undefined {
    const { sizes, starts } = this;
    for (let i = starts.length - 1; i < index; i++) {
      const size = Atomics.load(sizes, i);
      if (size === UNKNOWN) {
        return undefined;
      }
      starts.push((starts[i] ?? 0) + Number(size));
    }
    return starts[index];
  }
}
