/**
 * Data blocks, their wrapper, dictionaries (docs/spec/cfile.md#19-checksum, docs/spec/cfile.md#4-data-blocks,
 * docs/spec/cfile.md#5-encodings and docs/spec/cfile.md#6-compression-wrapper).
 */
import { crc32c, DEFAULT_LIMITS, invalidArgument } from "@cfile/bytes";
import { builtinCodecs } from "@cfile/compression/codecs";
import {
  type BinaryVector,
  DATA_TYPES,
  type DataType,
  ENCODING_TYPES,
  type EncodingType,
} from "@cfile/encodings";
import { openDictionaryWords } from "@cfile/encodings/dictionary";
import { type BlockColumn, loadDataBlockOpener } from "@cfile/format";
import {
  annotateDataBlock,
  annotateDictionary,
  annotateStoredBlock,
  type BlockWrapping,
  unwrapBlock,
} from "@cfile/format/blocks";
import { bytesOfText, byteText } from "../hex-text.js";
import type { Arguments, Structure } from "../reading.js";
import { listText } from "../value-text.js";

export const block: Structure = {
  note: (bytes, args) => annotateDataBlock(bytes, columnOf(args)),
  read: (bytes, args) => readBlock(bytes, columnOf(args)),
};

export const dictionary: Structure = {
  note: (bytes) => annotateDictionary(bytes),
  read: (bytes) => [listText(wordsOf(openDictionaryWords(bytes)))],
};

export const stored: Structure = {
  note: (bytes, args) => annotateStoredBlock(bytes, wrappingOf(args)),
  read: async (bytes, args) => {
    const content = unwrapBlock(bytes, wrappingOf(args), DEFAULT_LIMITS, true);
    return [
      `${content.length} bytes: ${Array.from(content, byteText).join(" ")}`,
      ...(await readBlock(content, columnOf(args))),
    ];
  },
};

export const checksum: Structure = {
  note: (bytes) => [{ start: 0, end: bytes.length, role: "value", label: "bytes covered by the checksum" }],
  read: (bytes) => [`CRC-32C 0x${crc32c(bytes).toString(16).padStart(8, "0")}`],
};

async function readBlock(bytes: Uint8Array, column: BlockColumn): Promise<string[]> {
  const openDataBlock = await loadDataBlockOpener(column);
  const opened = openDataBlock(bytes, column, DEFAULT_LIMITS);
  opened.check();
  const batch = opened.decode(0, opened.rows);
  return [
    `first row ${opened.firstRow}, ${opened.rows} rows, ${opened.nulls} nulls`,
    listText(batch.toArray()),
  ];
}

function columnOf({ type, encoding, nullable, array, words }: Arguments): BlockColumn {
  if (!isName(DATA_TYPES, type) || !isName(ENCODING_TYPES, encoding)) {
    throw invalidArgument(`no column ${type}, ${encoding}`, { field: "column" });
  }
  return {
    type,
    encoding,
    nullable: nullable === true,
    array: array === true,
    dictionary: typeof words === "string" ? openDictionaryWords(bytesOfText(words)) : undefined,
  };
}

function wrappingOf({ codec, version }: Arguments): BlockWrapping {
  return {
    version: version === 1 ? 1 : 2,
    checksums: version !== 1,
    codec: codec === "LZ4" || codec === "SNAPPY" || codec === "ZLIB" ? builtinCodecs[codec] : undefined,
  };
}

function isName<Table extends object>(
  table: Table,
  name: unknown,
): name is keyof Table & (DataType | EncodingType) {
  return typeof name === "string" && name in table;
}

function wordsOf({ offsets, data }: BinaryVector): string[] {
  const text = new TextDecoder();
  return Array.from({ length: offsets.length - 1 }, (_, i) =>
    text.decode(data.subarray(offsets[i], offsets[i + 1])),
  );
}
