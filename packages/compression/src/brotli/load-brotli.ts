/**
 * Decompresses a Brotli stream to the start of `output`; leaves the rest unchanged.
 *
 * @returns the number of bytes it expands to
 * @throws {CFileError} `E_TRUNCATED` when the stream ends early; `E_CORRUPT` when it is malformed, expands to more bytes than the output
 *   has, or is followed by other bytes
 */
export type BrotliDecompress = (input: Uint8Array, output: Uint8Array) => number;

/**
 * Loads the decoder and its dictionary of 122,784 bytes.
 *
 * @throws what an import throws when the code cannot be fetched
 */
export async function loadBrotli(): Promise<BrotliDecompress> {
  const { brotliDecompress } = await import("./brotli-decompress.js");
  const { loadDictionary } = await import("./brotli-dictionary.js");
  const dictionary = await loadDictionary();
  return (input, output) => brotliDecompress(input, output, dictionary);
}
