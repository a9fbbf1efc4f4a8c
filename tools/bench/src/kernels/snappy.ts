/** Decodes and encodes Snappy streams, with the portable version of cfile. */
import { snappyCompress, snappyDecompress } from "@cfile/compression/codecs";
import * as snappyjs from "snappyjs";
import { arePieces, type KernelTask, PORTABLE, piecesOf } from "../kernel-task.js";
import { contender } from "../measure.js";
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
  const expandAll = (): Uint8Array[] => {
    for (const [i, block] of blocks.entries()) {
      snappyDecompress(block, outputs[i] as Uint8Array);
    }
    return [output];
  };
  const decoders = [
    contender(PORTABLE, expandAll, isWhole),
    contender("snappyjs", () => blocks.map((block) => snappyjs.uncompress(block)), isWhole),
  ];
  const encoders = [
    contender(PORTABLE, () => pieces.map(snappyCompress), expandsToWhole),
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
  return [task("Snappy decode", decoders), task("Snappy encode", encoders)];
}
