/** How to read parts and encodings, in a few sentences each. */
import type { CFileReader } from "@cfile/format";
import type { PartKind } from "../../protocol.js";

const PARTS: Readonly<Record<PartKind, string>> = {
  header:
    "The file starts with its magic, the length of a protobuf message, and the message: metadata of the writer. A checksum follows.",
  data: "",
  posidx:
    "A block of the positional index. Each entry is the number of a block's first row, big-endian, and the offset and size of that block. A lookup by row follows the last entry that is not above the row, level by level.",
  validx:
    "A block of the value index. Each entry is a key, encoded so that its bytes sort like the values, and the offset and size of the block that holds them. Keys may be cut to what separates a block from the previous one.",
  index: "A block of the index: keys, and the blocks that start with them.",
  dictionary:
    "The distinct values of the column, in the order of their first occurrence. Data blocks contain their numbers. It is a plain block of strings.",
  bloom:
    "One Bloom filter: the number of hash functions, then its bits. A key in the filter has all its bits set; a key with a bit that is not set is certainly not in the row set.",
  delta: "Changes of rows: each entry has a key of row number and timestamp, and the list of changes.",
  metadata: "Metadata of the file.",
  footer:
    "The file ends with a protobuf message that describes its content: type, encoding, number of rows, the roots of the indexes. Readers start here.",
  unknown: "Bytes that nothing in the file refers to.",
  lost: "A block that can no longer be read.",
};

const ENCODINGS: Readonly<Record<string, string>> = {
  PLAIN_ENCODING:
    "Plain: values one after the other, little-endian. Strings are back to back; their offsets follow in groups of four varints.",
  RLE: "Run-length: a run is a header and either one value, which is repeated, or values packed bit by bit in groups of eight.",
  BIT_SHUFFLE:
    "Bitshuffle: the bits of up to 8 KiB of values are transposed, so that equal bits of neighboring values are adjacent, and compressed with LZ4.",
  DICT_ENCODING:
    "Dictionary: numbers of dictionary entries, bitshuffled. A block written after the dictionary was full contains plain strings instead; its first four bytes say so.",
  PREFIX_ENCODING:
    "Prefix: each value states how many bytes it shares with the previous one and contains only the rest. About every sixteenth value is a restart and complete; the offsets of restarts are at the end.",
};

export function explainPart(kind: PartKind, file: CFileReader): string {
  if (kind !== "data" && kind !== "delta") {
    return PARTS[kind];
  }
  const { array, nullable, compression, encoding } = file;
  return [
    PARTS[kind],
    array
      ? "An array block: numbers of elements and rows, bitmaps of the elements and rows that are not null, the number of elements per row; then the elements that are not null."
      : nullable
        ? "A nullable block: its row count and a run-length encoded bitmap of the rows that are not null; then only their values."
        : "",
    ENCODINGS[encoding] ?? "",
    compression === "NO_COMPRESSION"
      ? ""
      : `The whole block is compressed with ${compression}, unless that saves too little.`,
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}
