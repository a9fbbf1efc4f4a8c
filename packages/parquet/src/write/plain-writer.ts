/** Writes values that are not null as PLAIN (docs/spec/parquet.md#7-plain). */
import { type ByteBuilder, copyBits } from "@cfile/bytes";
import type { BinaryVector, FixedVector, ScalarBatch, Vector } from "@cfile/encodings";
import { physicalWidth } from "@cfile/encodings";
import { bytesOf } from "@cfile/encodings/batches";
import { gatherVector } from "@cfile/encodings/headers";
import { type AppendStrings, choosePageKernels } from "@cfile/kernels/pages";

/** The values of a batch without its nulls. */
export function presentValues(batch: ScalarBatch): Vector {
  return batch.validity === undefined ? batch : gatherVector(batch, batch.validity, 0, batch.length);
}

/** Collects the bits of several batches. */
export class BitBuilder {
  private bits = new Uint8Array(64);
  length = 0;

  append(values: Uint8Array, count: number): void {
    const size = Math.ceil((this.length + count) / 8);
    if (size > this.bits.length) {
      const grown = new Uint8Array(2 * size);
      grown.set(this.bits);
      this.bits = grown;
    }
    copyBits(values, 0, this.bits, this.length, count);
    this.length += count;
  }

  take(): Uint8Array {
    const taken = this.bits.slice(0, Math.ceil(this.length / 8));
    this.bits.fill(0);
    this.length = 0;
    return taken;
  }
}

/** Appends values; booleans go to `bits`. */
export function appendPlain(out: ByteBuilder, bits: BitBuilder, vector: Vector): void {
  switch (vector.kind) {
    case "bool":
      bits.append(vector.values, vector.length);
      return;
    case "binary":
      appendStrings(out, vector);
      return;
    case "fixed":
      appendFixed(out, vector);
      return;
    case "dictionary":
      // Strings of batches with nulls are gathered as codes.
      appendWords(out, vector.dictionary, vector.codes, vector.length);
      return;
  }
}

export function appendStrings(out: ByteBuilder, strings: BinaryVector): void {
  choosePageKernels().lengthPrefixed(appendEach)(strings, strings.length, out);
}

const appendEach: AppendStrings = (strings, count, out) => appendWords(out, strings, undefined, count);

/** Shorter copies are faster in a loop than with `TypedArray.set`. */
const SHORT_COPY = 32;

function appendWords(
  out: ByteBuilder,
  { offsets, data }: Pick<BinaryVector, "offsets" | "data">,
  codes: Int32Array | undefined,
  count: number,
): void {
  let size = 4 * count;
  for (let i = 0; i < count; i++) {
    const word = codes === undefined ? i : (codes[i] as number);
    size += (offsets[word + 1] as number) - (offsets[word] as number);
  }
  const target = out.reserve(size);
  let at = out.length;
  for (let i = 0; i < count; i++) {
    const word = codes === undefined ? i : (codes[i] as number);
    const from = offsets[word] as number;
    const to = offsets[word + 1] as number;
    const length = to - from;
    target[at++] = length;
    target[at++] = length >>> 8;
    target[at++] = length >>> 16;
    target[at++] = length >>> 24;
    if (length < SHORT_COPY) {
      for (let j = from; j < to; j++) {
        target[at++] = data[j] as number;
      }
    } else {
      target.set(data.subarray(from, to), at);
      at += length;
    }
  }
  out.length = at;
}

function appendFixed(out: ByteBuilder, vector: FixedVector): void {
  const { physical, values, length } = vector;
  const plain = plainView(vector);
  if (plain !== undefined) {
    out.append(plain);
  } else if (physical === "INT128") {
    const bytes = bytesOf(values).subarray(0, length * physicalWidth(physical));
    const start = out.length;
    const target = out.reserve(bytes.length);
    for (let i = 0; i < bytes.length; i++) {
      target[start + i] = bytes[(i | 15) - (i & 15)] as number;
    }
    out.length += bytes.length;
  } else {
    // Integers below 32 bits are stored in 32 bits, sign-extended.
    out.append(bytesOf(Int32Array.from({ length }, (_, i) => Number(values[i]))));
  }
}

const CONVERTED: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "INT8",
  "INT16",
  "UINT8",
  "UINT16",
  "INT128",
]);

/** The bytes of values that are PLAIN already; `undefined` for types that must be converted. */
export function plainView({ physical, values, length }: FixedVector): Uint8Array | undefined {
  return CONVERTED.has(physical) ? undefined : bytesOf(values).subarray(0, length * physicalWidth(physical));
}
