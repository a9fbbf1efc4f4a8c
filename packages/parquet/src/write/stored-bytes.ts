/** Bytes to be written later, in pieces of reused memory: the pages of a chunk, or Bloom filters. */
import type { MemoryArena } from "@cfile/bytes";
import { newPiece, type ParquetOutput, PIECE_BYTES, putPiece } from "./parquet-output.js";

export class StoredBytes {
  /** Number of bytes. */
  length = 0;
  private readonly arena: MemoryArena;
  /** All but the last are full. */
  private pieces: Uint8Array<ArrayBuffer>[] = [];

  /** @param arena of the output to which they are written */
  constructor(arena: MemoryArena) {
    this.arena = arena;
  }

  /** Appends a copy. */
  append(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      const at = this.length % PIECE_BYTES;
      const piece = (at > 0 ? this.pieces.at(-1) : undefined) ?? this.addPiece();
      const to = Math.min(bytes.length, from + PIECE_BYTES - at);
      piece.set(bytes.subarray(from, to), at);
      this.length += to - from;
      from = to;
    }
  }

  /** Writes and removes all bytes. */
  async put(out: ParquetOutput): Promise<void> {
    const { pieces, length } = this;
    this.pieces = [];
    this.length = 0;
    for (const [i, piece] of pieces.entries()) {
      await putPiece(out, piece, Math.min(PIECE_BYTES, length - i * PIECE_BYTES));
    }
  }

  private addPiece(): Uint8Array<ArrayBuffer> {
    const piece = newPiece(this.arena);
    this.pieces.push(piece);
    return piece;
  }
}
