/** Decodes and encodes LZ4 blocks. */
import { equalBytes } from "@cfile/bytes";
import { codecsWith, lz4Codec } from "@cfile/compression/codecs";
import { lz4DecompressBlock } from "@cfile/compression/lz4";
import { lz4Compress } from "@cfile/compression/lz4-encode";
import { chooseKernels } from "@cfile/kernels/encode";
import * as lz4js from "lz4js";
import { atLeast, type BenchGoal } from "../bench-case.js";
import { arePieces, type KernelTask, PORTABLE, piecesOf, SIMD } from "../kernel-task.js";
import { contender, WrongAnswer } from "../measure.js";
import { optionalPeer } from "../optional-peer.js";

const NAPI = "lz4-napi";
/** Blocks of lz4-napi start with the uncompressed length, 4 bytes. */
const NAPI_PREFIX = 4;
/** Bytes of elements that bitshuffle compresses at a time. */
const CHUNK = 8192;
const GOAL_DECODE_CHUNKS = 1.5;
const GOAL_DECODE = 1;
const GOAL_ENCODE = 0.8;

function withLength(block: Uint8Array, length: number): Uint8Array {
  const prefixed = new Uint8Array(NAPI_PREFIX + block.length);
  new DataView(prefixed.buffer).setUint32(0, length, true);
  prefixed.set(block, NAPI_PREFIX);
  return prefixed;
}

/** Decoding and encoding of `bytes` in pieces of `pieceBytes`. */
export async function lz4Tasks(
  what: string,
  bytes: Uint8Array,
  pieceBytes: number,
  notes: Set<string>,
): Promise<KernelTask[]> {
  const pieces = piecesOf(bytes, pieceBytes);
  const blocks = pieces.map(lz4Compress);
  const output = new Uint8Array(bytes.length);
  const isWhole = (result: readonly Uint8Array[]): boolean => arePieces(result, bytes);
  const expand = (decode: (block: Uint8Array, at: number, index: number) => unknown) => () => {
    let at = 0;
    for (let i = 0; i < blocks.length; i++) {
      decode(blocks[i] as Uint8Array, at, i);
      at += pieceBytes;
    }
    return [output];
  };
  const expandsTo = (prefix: number) => (result: readonly Uint8Array[]) =>
    arePieces(
      result.map((block) => {
        const piece = new Uint8Array(pieceBytes);
        lz4DecompressBlock(block, prefix, block.length, piece);
        return piece;
      }),
      bytes,
    );
  const decoders = [
    contender(
      PORTABLE,
      expand((block, at) => lz4DecompressBlock(block, 0, block.length, output.subarray(at, at + pieceBytes))),
      isWhole,
    ),
    contender(
      "lz4js",
      expand((block, at) => lz4js.decompressBlock(block, output, 0, block.length, at)),
      isWhole,
    ),
  ];
  const encoders = [contender(PORTABLE, () => pieces.map(lz4Compress), expandsTo(0))];
  const { LZ4: simd = lz4Codec } = codecsWith(chooseKernels("simd"));
  if (!pieces.every((piece, i) => equalBytes(simd.compress(piece), blocks[i] as Uint8Array))) {
    throw new WrongAnswer(`${SIMD}: LZ4 blocks differ from ${PORTABLE}'s`);
  }
  decoders.push(
    contender(
      SIMD,
      expand((block, at) => simd.decompress(block, output.subarray(at, at + pieceBytes))),
      isWhole,
    ),
  );
  encoders.push(contender(SIMD, () => pieces.map((piece) => simd.compress(piece)), expandsTo(0)));
  const peer = await optionalPeer(NAPI, () => import("lz4-napi"));
  if (peer.module !== undefined) {
    const { compressSync, uncompressSync } = peer.module;
    const prefixed = blocks.map((block) => Buffer.from(withLength(block, pieceBytes)));
    const inputs = pieces.map((piece) => Buffer.from(piece.buffer, piece.byteOffset, piece.length));
    decoders.push(contender(NAPI, () => prefixed.map((block) => uncompressSync(block)), isWhole));
    encoders.push(contender(NAPI, () => inputs.map((piece) => compressSync(piece)), expandsTo(NAPI_PREFIX)));
  } else if (peer.note !== undefined) {
    notes.add(peer.note);
  }
  const timesNapi =
    (task: string, wanted: number) =>
    (rateOf: (name: string) => number): BenchGoal[] =>
      peer.module === undefined
        ? []
        : [atLeast(`${task}, ${what}, at ${NAPI}'s rate, times`, wanted, rateOf(SIMD) / rateOf(NAPI))];
  return [
    {
      name: `LZ4 decode, ${what}`,
      bytes: bytes.length,
      contenders: decoders,
      expected: true,
      goals: timesNapi("LZ4 decode", pieceBytes <= CHUNK ? GOAL_DECODE_CHUNKS : GOAL_DECODE),
    },
    {
      name: `LZ4 encode, ${what}`,
      bytes: bytes.length,
      contenders: encoders,
      expected: true,
      goals: timesNapi("LZ4 encode", GOAL_ENCODE),
    },
  ];
}
