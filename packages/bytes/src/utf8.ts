/** Text as the bytes that are stored of it. */

/** Up to so many characters are turned one by one; a call of the encoder costs more than that. */
const SHORT_TEXT = 64;

let encoder: TextEncoder | undefined;

/** UTF-8 of `text`; lone surrogates become U+FFFD. */
export function utf8Bytes(text: string): Uint8Array {
  return (text.length <= SHORT_TEXT ? asciiBytes(text) : undefined) ?? encoded(text);
}

function asciiBytes(text: string): Uint8Array | undefined {
  const { length } = text;
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) {
      return undefined;
    }
    bytes[i] = unit;
  }
  return bytes;
}

function encoded(text: string): Uint8Array {
  encoder ??= new TextEncoder();
  return encoder.encode(text);
}
