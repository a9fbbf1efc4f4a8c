/** Up to so many bytes are copied one by one; a call for it costs more than that. */
const SHORT_COPY = 64;

/** `bytes[start..end)` in an array of its own. */
export function copyRange(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const length = end - start;
  if (length > SHORT_COPY) {
    return bytes.slice(start, end);
  }
  const copy = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    copy[i] = bytes[start + i] as number;
  }
  return copy;
}
