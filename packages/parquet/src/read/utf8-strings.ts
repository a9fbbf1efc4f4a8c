/** Checks strings for UTF-8: decodes all of them as one string, and requires that no string starts inside a character. */
import type { BinaryVector } from "@cfile/encodings";
import { choosePageKernels, type IsAscii } from "@cfile/kernels/pages";

const NO_WORDS = /* @__PURE__ */ new Int32Array(0);

let decoder: TextDecoder | undefined;

export function areUtf8({ offsets, data, length }: Omit<BinaryVector, "kind">): boolean {
  const first = offsets[0] as number;
  const last = offsets[length] as number;
  const strings = data.subarray(first, last);
  if (choosePageKernels().isAscii(isAscii)(strings)) {
    return true;
  }
  for (let i = 0; i < length; i++) {
    const start = offsets[i] as number;
    // Bytes 10xxxxxx continue a character.
    if (start < last && ((data[start] as number) & 0xc0) === 0x80) {
      return false;
    }
  }
  decoder ??= new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    decoder.decode(strings);
    return true;
  } catch {
    return false;
  }
}

/** The portable loop. */
export const isAscii: IsAscii = (bytes) => {
  const { buffer, byteOffset, length } = bytes;
  // Bytes before the first aligned word; all bytes of short input.
  const head = length < 8 ? length : -byteOffset & 3;
  const words = length < 8 ? NO_WORDS : new Int32Array(buffer, byteOffset + head, (length - head) >>> 2);
  const isPlain = (from: number, to: number): boolean =>
    bytes.subarray(from, to).every((byte) => byte < 0x80);
  for (let i = 0; i < words.length; i += 64) {
    let bits = 0;
    for (let j = i; j < i + 64 && j < words.length; j++) {
      bits |= words[j] as number;
    }
    if ((bits & 0x80808080) !== 0) {
      return false;
    }
  }
  return isPlain(0, head) && isPlain(head + 4 * words.length, length);
};
