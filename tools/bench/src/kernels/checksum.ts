/** CRC-32C of blocks. */
import { crc32c } from "@cfile/bytes";
import { chooseKernels } from "@cfile/kernels/encode";
import { atLeast } from "../bench-case.js";
import { type KernelTask, PORTABLE, piecesOf, SIMD } from "../kernel-task.js";
import { contender } from "../measure.js";
import { optionalPeer } from "../optional-peer.js";

/** Goal, times the portable code. */
const GOAL = 3;

export async function checksumTask(
  bytes: Uint8Array,
  blockBytes: number,
  notes: Set<string>,
): Promise<KernelTask> {
  const blocks = piecesOf(bytes, blockBytes);
  const sums = (sum: (block: Uint8Array) => number) => () => blocks.map(sum);
  const same = (result: number[]): unknown => result;
  const contenders = [
    contender(
      PORTABLE,
      sums((block) => crc32c(block)),
      same,
    ),
  ];
  const simd = chooseKernels("simd");
  contenders.push(
    contender(
      SIMD,
      sums((block) => simd.crc32c(block, 0, block.length)),
      same,
    ),
  );
  const peer = await optionalPeer("@node-rs/crc32", () => import("@node-rs/crc32"));
  if (peer.module !== undefined) {
    const { crc32c: theirs } = peer.module;
    contenders.push(
      contender(
        "@node-rs/crc32",
        sums((block) => theirs(block)),
        same,
      ),
    );
  } else if (peer.note !== undefined) {
    notes.add(peer.note);
  }
  return {
    name: "CRC-32C of 256 KiB",
    bytes: bytes.length,
    contenders,
    expected: blocks.map((block) => crc32c(block)),
    goals: (rateOf) => [
      atLeast(`CRC-32C, at ${PORTABLE}'s rate, times`, GOAL, rateOf(SIMD) / rateOf(PORTABLE)),
    ],
  };
}
