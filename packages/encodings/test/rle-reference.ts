/**
 * The RLE encoder's state machine, step by step as in docs/spec/cfile.md#18-rle-stream: slow, on bigints, and without the
 * shortcuts of `src/rle-encoder.ts`.
 */
export class ReferenceRleEncoder {
  private readonly bytes: number[] = [];
  private cur = 0n;
  private rep = 0;
  private staging: bigint[] = [];
  private lit = 0;
  private header = -1;

  private readonly width: number;

  constructor(width: number) {
    this.width = width;
  }

  get length(): number {
    return this.bytes.length;
  }

  put(value: bigint): void {
    const v = BigInt.asUintN(this.width, value);
    if (v === this.cur) {
      this.rep++;
      if (this.rep > 8) {
        return;
      }
    } else {
      if (this.rep >= 8) {
        this.emitRepeatedRun();
        this.staging = [];
      }
      this.rep = 1;
      this.cur = v;
    }
    this.staging.push(v);
    if (this.staging.length === 8) {
      this.groupFull();
    }
  }

  finish(): number[] {
    if (this.lit > 0 || this.rep > 0 || this.staging.length > 0) {
      const allRepeated = this.staging.length === 0 || this.rep === this.staging.length;
      if (this.rep > 0 && this.lit === 0 && allRepeated) {
        this.emitRepeatedRun();
      } else {
        this.appendLiterals();
        this.closeLiteralRun();
      }
    }
    return this.bytes;
  }

  private groupFull(): void {
    if (this.rep >= 8) {
      this.staging = [];
      if (this.lit > 0) {
        this.closeLiteralRun();
      }
      return;
    }
    this.appendLiterals();
    if (this.lit / 8 >= 63) {
      this.closeLiteralRun();
    }
    this.rep = 0;
  }

  private appendLiterals(): void {
    this.lit += this.staging.length;
    if (this.header < 0) {
      this.header = this.bytes.length;
      this.bytes.push(0);
    }
    let packed = 0n;
    this.staging.forEach((value, i) => {
      packed |= value << BigInt(i * this.width);
    });
    this.appendBytes(packed, Math.ceil((this.staging.length * this.width) / 8));
    this.staging = [];
  }

  private closeLiteralRun(): void {
    this.bytes[this.header] = (Math.ceil(this.lit / 8) << 1) | 1;
    this.header = -1;
    this.lit = 0;
  }

  private emitRepeatedRun(): void {
    let indicator = this.rep << 1;
    while (indicator > 0x7f) {
      this.bytes.push((indicator & 0x7f) | 0x80);
      indicator >>>= 7;
    }
    this.bytes.push(indicator);
    this.appendBytes(this.cur, Math.ceil(this.width / 8));
    this.rep = 0;
  }

  private appendBytes(value: bigint, count: number): void {
    for (let i = 0; i < count; i++) {
      this.bytes.push(Number((value >> BigInt(8 * i)) & 0xffn));
    }
  }
}
