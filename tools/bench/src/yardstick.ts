/** Compares the speed of this machine with that of the one on which Kudu's C++ code was measured. */
import { randomNumbers } from "./data.js";
import { contender, measure } from "./measure.js";
import { optionalPeer } from "./optional-peer.js";

/** GB/s of `@node-rs/crc32` on 256 KiB blocks, on Kudu's machine. */
export const REFERENCE_CRC = 8.2;
/** MB/s of hyparquet reading the column of strided int32, on Kudu's machine. */
export const REFERENCE_HYPARQUET = 60;

const BLOCK_BYTES = 256 * 1024;
const BLOCKS = 200;

export interface Yardstick {
  /** GB/s on this machine; `undefined` when the package is missing. */
  readonly crc: number | undefined;
  /** Kudu's figures are multiplied by this factor. */
  readonly factor: number;
  readonly note: string;
}

let measured: Promise<Yardstick> | undefined;

/** Measured once per process. */
export function yardstick(): Promise<Yardstick> {
  measured ??= measureYardstick();
  return measured;
}

export function randomBytes(length: number): Uint8Array {
  const next = randomNumbers(5);
  return Uint8Array.from({ length }, () => next() & 0xff);
}

async function measureYardstick(): Promise<Yardstick> {
  const peer = await optionalPeer("@node-rs/crc32", () => import("@node-rs/crc32"));
  if (peer.module === undefined) {
    return { crc: undefined, factor: 1, note: `${peer.note}: Kudu's figures are not scaled` };
  }
  const { crc32c } = peer.module;
  const block = randomBytes(BLOCK_BYTES);
  const expected = crc32c(block);
  const run = (): number => {
    let sum = 0;
    for (let i = 0; i < BLOCKS; i++) {
      sum = crc32c(block);
    }
    return sum;
  };
  const [timing] = await measure([contender("@node-rs/crc32", run, (sum) => sum)], expected, 0.5);
  // The fastest run, not the median: a busy moment here would favor everything that is compared with Kudu.
  const crc = (BLOCK_BYTES * BLOCKS) / 1e6 / (timing?.fastest ?? Number.NaN);
  const factor = crc / REFERENCE_CRC;
  return {
    crc,
    factor,
    note: `@node-rs/crc32 runs CRC-32C at ${crc.toFixed(2)} GB/s here, and at ${REFERENCE_CRC} on Kudu's machine: Kudu's figures are multiplied by ${factor.toFixed(3)}`,
  };
}
