/** How parts and encodings are to be read, in a few sentences each. */
import type { CFileReader } from "@cfile/format";
import type { PartKind } from "../../protocol.js";

const PARTS: Readonly<Record<PartKind, string>> = {
  header:
    "The file begins with its magic, the length of a protobuf message, and the message: metadata that the writer gave. A checksum ends it.",
  data: "",
  posidx:
    "A block of the positional index. Each entry is the number of a block's first row, big-endian, and where that block stands. A look-up by row takes the last entry that is not above the row, level by level.",
  validx:
    "A block of the value index. Each entry is a key, encoded so that its bytes sort as the values do, and where the block with these values stands. Keys may be cut to what separates a block from the one before it.",
  index: "A block of the index: keys and where the blocks stand that begin with them.",
  dictionary:
    "The words of the column, each once, in the order in which they first came. Data blocks hold numbers of words. It is a plain block of strings.",
  bloom:
    "One Bloom filter: how many hash functions it has, then its bits. A key that is in it has all its bits set; a key with a bit that is not set is surely not in the row set.",
  delta: "Changes of rows: each entry has a key of row number and timestamp, and the list of what changed.",
  metadata: "Metadata of the file.",
  footer:
    "The file ends with a protobuf message that says what is in it: type, encoding, rows, where the roots of the indexes stand. Reading starts here.",
  unknown: "Bytes that nothing in the file points to.",
  lost: "Bytes that were a block and cannot be read any more.",
};

const ENCODINGS: Readonly<Record<string, string>> = {
  PLAIN_ENCODING:
    "Plain: values one after the other, little-endian. Strings stand back to back; where each begins follows in groups of four varints.",
  RLE: "Run-length: a run is a header and either one value, which is repeated, or values packed bit by bit in groups of eight.",
  BIT_SHUFFLE:
    "Bitshuffle: the bits of up to 8 KiB of values are transposed, so that equal bits of neighbouring values stand together, and that is compressed with LZ4.",
  DICT_ENCODING:
    "Dictionary: numbers of words, bit-shuffled; the words are in the file's dictionary. A block that came when the dictionary was full holds plain strings instead, and says so in its first four bytes.",
  PREFIX_ENCODING:
    "Prefix: each value says how many bytes it shares with the one before and has only the rest. Every sixteenth value or so is whole: a restart, whose place is noted at the end.",
};

export function explainPart(kind: PartKind, file: CFileReader): string {
  if (kind !== "data" && kind !== "delta") {
    return PARTS[kind];
  }
  const { array, nullable, compression, encoding } = file;
  return [
    PARTS[kind],
    array
      ? "An array block: how many elements and rows, which elements and rows are null, how many elements each row has; then the elements that are not null."
      : nullable
        ? "A nullable block: its row count and a bitmap, run-length encoded, of the rows that are not null; then only these values."
        : "",
    ENCODINGS[encoding] ?? "",
    compression === "NO_COMPRESSION"
      ? ""
      : `The whole block is compressed with ${compression}, unless that saves too little.`,
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}
