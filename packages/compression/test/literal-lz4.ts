/**
 * The compressor of docs/spec/cfile.md#appendix-a-lz4-compressor, implemented literally,
 * and a minimal decoder: references that share no code with the package.
 */

const LARGE_MODE = 65547;
const MASK64 = (1n << 64n) - 1n;

export function appendixA(input: Uint8Array): Uint8Array {
  const n = input.length;
  const view = new DataView(input.buffer, input.byteOffset, n);
  const output: number[] = [];
  const large = n >= LARGE_MODE;
  const T = new Array<number>(large ? 4096 : 8192).fill(0);
  const h = (p: number): number =>
    large
      ? Number(((((view.getBigUint64(p, true) << 24n) & MASK64) * 889523592379n) & MASK64) >> 52n)
      : Number((BigInt(view.getUint32(p, true)) * 2654435761n) % (1n << 32n)) >>> 19;
  const usable = (c: number, p: number): boolean => !large || c + 65535 >= p;
  const sameWord = (c: number, p: number): boolean => view.getUint32(c, true) === view.getUint32(p, true);

  const emitRest = (rest: number): void => {
    for (; rest >= 255; rest -= 255) {
      output.push(255);
    }
    output.push(rest);
  };
  /** Returns the index of the token; the caller adds the match length to it. */
  const emitLiterals = (from: number, to: number): number => {
    const token = output.length;
    const length = to - from;
    output.push(Math.min(length, 15) << 4);
    if (length >= 15) {
      emitRest(length - 15);
    }
    for (let i = from; i < to; i++) {
      output.push(input[i] ?? 0);
    }
    return token;
  };

  const M = n - 11;
  const E = n - 5;
  let anchor = 0;
  if (n < 13) {
    emitLiterals(0, n);
    return Uint8Array.from(output);
  }
  T[h(0)] = 0;
  let ip = 1;
  let H = h(1);
  for (;;) {
    // Step 3.
    let next = ip;
    let step = 1;
    let counter = 64;
    let cand = 0;
    for (;;) {
      ip = next;
      const hcur = H;
      cand = T[hcur] ?? 0;
      next += step;
      step = counter >> 6;
      counter += 1;
      if (next > M) {
        emitLiterals(anchor, n);
        return Uint8Array.from(output);
      }
      H = h(next);
      T[hcur] = ip;
      if (usable(cand, ip) && sameWord(cand, ip)) {
        break;
      }
    }
    // Step 4.
    while (ip > anchor && cand > 0 && input[ip - 1] === input[cand - 1]) {
      ip--;
      cand--;
    }
    let token = emitLiterals(anchor, ip);
    for (;;) {
      // Step 5.
      const distance = ip - cand;
      output.push(distance & 255, distance >> 8);
      let length = 4;
      while (ip + length < E && input[ip + length] === input[cand + length]) {
        length++;
      }
      output[token] = (output[token] ?? 0) + Math.min(length - 4, 15);
      if (length - 4 >= 15) {
        emitRest(length - 4 - 15);
      }
      ip += length;
      anchor = ip;
      if (ip >= M) {
        emitLiterals(anchor, n);
        return Uint8Array.from(output);
      }
      // Step 6.
      T[h(ip - 2)] = ip - 2;
      const hcur = h(ip);
      cand = T[hcur] ?? 0;
      T[hcur] = ip;
      if (!(usable(cand, ip) && sameWord(cand, ip))) {
        break;
      }
      token = output.length;
      output.push(0);
    }
    ip += 1;
    H = h(ip);
  }
}

/** The expanded block, or `undefined` if it is not an LZ4 block of `size` bytes. */
export function literallyDecoded(block: Uint8Array, size: number): Uint8Array | undefined {
  const output: number[] = [];
  let at = 0;
  const extended = (nibble: number): number => {
    let length = nibble;
    for (let more = nibble === 15 ? 255 : 0; more === 255; ) {
      more = block[at++] ?? Number.NaN;
      length += more;
    }
    return length;
  };
  for (;;) {
    const token = block[at++] ?? Number.NaN;
    const literals = extended(token >> 4);
    if (Number.isNaN(token) || !(at + literals <= block.length && output.length + literals <= size)) {
      return undefined;
    }
    for (let i = 0; i < literals; i++) {
      output.push(block[at++] ?? 0);
    }
    if (at === block.length) {
      return output.length === size ? Uint8Array.from(output) : undefined;
    }
    const distance = (block[at] ?? 0) + 256 * (block[at + 1] ?? Number.NaN);
    at += 2;
    const length = extended(token & 15) + 4;
    if (!(distance >= 1 && distance <= output.length && output.length + length <= size)) {
      return undefined;
    }
    for (let i = 0; i < length; i++) {
      output.push(output[output.length - distance] ?? 0);
    }
  }
}
