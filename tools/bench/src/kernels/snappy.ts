/** Decodes and encodes Snappy streams. */
import { equalBytes } from "@cfile/bytes";
import {
  codecsWith,
  snappyCodec,
  snappyCompress,
  snappyCompressFast,
  snappyDecompress,
} from "@cfile/compression/codecs";
import { chooseKernels } from "@cfile/kernels/encode";
import * as snappyjs from "snappyjs";
import { arePieces, type KernelTask, PORTABLE, piecesOf, SIMD } from "../kernel-task.js";
import { contender, WrongAnswer } from "../measure.js";
import { optionalPeer } from "../optional-peer.js";

export async function snappyTasks(
  what: string,
  bytes: Uint8Array,
  pieceBytes: number,
  notes: Set<string>,
): Promise<KernelTask[]> {
  const pieces = piecesOf(bytes, pieceBytes);
  const blocks = pieces.map(snappyCompress);
  const output = new Uint8Array(bytes.length);
  const outputs = piecesOf(output, pieceBytes);
  const isWhole = (result: readonly Uint8Array[]): boolean => arePieces(result, bytes);
  const expandsToWhole = (result: readonly Uint8Array[]): boolean =>
    arePieces(
      result.map((block) => {
        const piece = new Uint8Array(pieceBytes);
        snappyDecompress(block, piece);
        return piece;
      }),
      bytes,
    );
  const kernels = chooseKernels("simd");
  const { SNAPPY: simd = snappyCodec } = codecsWith(kernels);
  const simdFast = kernels.snappyCompressFast(snappyCompressFast);
  if (!pieces.every((piece, i) => equalBytes(simd.compress(piece), blocks[i] as Uint8Array))) {
    throw new WrongAnswer(`${SIMD}: Snappy blocks differ from ${PORTABLE}'s`);
  }
  const expandAll = (decompress: (block: Uint8Array, piece: Uint8Array) => void) => (): Uint8Array[] => {
    for (const [i, block] of blocks.entries()) {
      decompress(block, outputs[i] as Uint8Array);
    }
    return [output];
  };
  const decoders = [
    contender(PORTABLE, expandAll(snappyDecompress), isWhole),
    contender(SIMD, expandAll(simd.decompress), isWhole),
    contender("snappyjs", () => blocks.map((block) => snappyjs.uncompress(block)), isWhole),
  ];
  const compressAll = (compress: (piece: Uint8Array) => Uint8Array) => (): Uint8Array[] =>
    pieces.map((piece) => compress(piece));
  const encoders = [
    contender(PORTABLE, compressAll(snappyCompress), expandsToWhole),
    contender(SIMD, compressAll(simd.compress), expandsToWhole),
    contender("snappyjs", () => pieces.map((piece) => snappyjs.compress(piece)), expandsToWhole),
  ];
  const peer = await optionalPeer("snappy", () => import("snappy"));
  if (peer.module !== undefined) {
    const { compressSync, uncompressSync } = peer.module;
    const asBuffers = (parts: readonly Uint8Array[]): Buffer[] =>
      parts.map((part) => Buffer.from(part.buffer, part.byteOffset, part.length));
    const theirBlocks = asBuffers(blocks);
    const theirPieces = asBuffers(pieces);
    decoders.push(
      contender("snappy", () => theirBlocks.map((block) => uncompressSync(block) as Buffer), isWhole),
    );
    encoders.push(contender("snappy", () => theirPieces.map((piece) => compressSync(piece)), expandsToWhole));
  } else if (peer.note !== undefined) {
    notes.add(peer.note);
  }
  const task = (name: string, contenders: KernelTask["contenders"]): KernelTask => ({
    name: `${name}, ${what}`,
    bytes: bytes.length,
    contenders,
    expected: true,
  });
  const fastEncoders = [
    contender(PORTABLE, compressAll(snappyCompressFast), expandsToWhole),
    contender(SIMD, compressAll(simdFast), expandsToWhole),
  ];
  return [
    task("Snappy decode", decoders),
    task("Snappy encode", encoders),
    task("Snappy encode for Parquet", fastEncoders),
  ];
}
