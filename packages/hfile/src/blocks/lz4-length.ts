/**
 * The decompressed length of an LZ4 block, which the decoder requires and Hadoop's framing does not have per chunk.
 */
import { ByteReader } from "@cfile/bytes";

const MIN_MATCH = 4;

/**
 * Adds up the sequences of a block.
 * @throws {CFileError} `E_TRUNCATED` when the block ends inside a sequence
 */
export function lz4ExpandedLength(block: Uint8Array): number {
  const reader = new ByteReader(block);
  let length = 0;
  for (;;) {
    const token = reader.u8("LZ4 token");
    const literals = sequenceLength(reader, token >>> 4);
    reader.skip(literals, "LZ4 literals");
    length += literals;
    if (reader.remaining === 0) {
      return length;
    }
    reader.skip(2, "LZ4 distance");
    length += sequenceLength(reader, token & 15) + MIN_MATCH;
  }
}

function sequenceLength(reader: ByteReader, nibble: number): number {
  let length = nibble;
  if (nibble === 15) {
    let more = 255;
    while (more === 255) {
      more = reader.u8("LZ4 length");
      length += more;
    }
  }
  return length;
}
