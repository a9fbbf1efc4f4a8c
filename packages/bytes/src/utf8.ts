/** Up to this length, a loop over characters is faster than calling the encoder. */
const SHORT_TEXT = 64;

let encoder: TextEncoder | undefined;

/** UTF-8 of `text`; lone surrogates become U+FFFD. */
export function utf8Bytes(text: string): Uint8Array {
  const ascii = text.length <= SHORT_TEXT ? asciiBytes(text) : undefined;
  if (ascii !== undefined) {
    return ascii;
  }
  encoder ??= new TextEncoder();
  return encoder.encode(text);
}

function asciiBytes(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) {
      return undefined;
    }
    bytes[i] = unit;
  }
  return bytes;
}
