/**
 * A digest of rows that does not depend on how they are stored or divided into batches:
 *
 * | level | SHA-256 of |
 * | --- | --- |
 * | rows | the digests of all parts of all columns, in order |
 * | part of a column | a chain: the digest before (nothing at first), then the next 64 KiB of the part's canonical bytes |
 */
import { toHex } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import { type CanonicalPart, canonicalParts, type TableBatch } from "@cfile/encodings/batches";
import type { RowSetColumn } from "@cfile/rowset";

const BLOCK = 65_536;
/** Bytes of a SHA-256 digest. */
const DIGEST = 32;

export class RowDigest {
  private readonly columns: readonly (readonly { readonly part: CanonicalPart; readonly chain: Chain }[])[];

  constructor(columns: readonly RowSetColumn[]) {
    this.columns = columns.map((column) =>
      canonicalParts(column).map((part) => ({ part, chain: new Chain() })),
    );
  }

  /** @param batch the columns given to the constructor, in that order */
  async add({ columns }: TableBatch): Promise<void> {
    for (const [i, parts] of this.columns.entries()) {
      for (const { part, chain } of parts) {
        await chain.add(part(columns[i] as ColumnBatch));
      }
    }
  }

  /** Hexadecimal. */
  async finish(): Promise<string> {
    const chains = this.columns.flat().map(({ chain }) => chain);
    const all = new Uint8Array(DIGEST * chains.length);
    for (const [i, chain] of chains.entries()) {
      all.set(await chain.finish(), DIGEST * i);
    }
    return toHex(await sha256(all));
  }
}

class Chain {
  private digest = new Uint8Array(0);
  private pending = new Uint8Array(1024);
  private used = 0;

  async add(piece: Uint8Array): Promise<void> {
    for (let at = 0; at < piece.length; ) {
      const taken = piece.subarray(at, at + BLOCK - this.used);
      this.append(taken);
      at += taken.length;
      if (this.used === BLOCK) {
        await this.fold();
      }
    }
  }

  async finish(): Promise<Uint8Array> {
    await this.fold();
    return this.digest;
  }

  private append(bytes: Uint8Array): void {
    const needed = this.used + bytes.length;
    if (needed > this.pending.length) {
      const grown = new Uint8Array(Math.max(needed, Math.min(BLOCK, 2 * this.pending.length)));
      grown.set(this.pending.subarray(0, this.used));
      this.pending = grown;
    }
    this.pending.set(bytes, this.used);
    this.used = needed;
  }

  private async fold(): Promise<void> {
    const block = new Uint8Array(this.digest.length + this.used);
    block.set(this.digest);
    block.set(this.pending.subarray(0, this.used), this.digest.length);
    this.digest = await sha256(block);
    this.used = 0;
  }
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}
