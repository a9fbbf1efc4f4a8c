/** Parses the metadata of a single chunk, which the library only parses as part of a file's metadata. */
import { ByteReader, concatBytes, corrupt } from "@cfile/bytes";
import { type ColumnMetaData, type ParquetType, parquetMetadata, type SchemaElement } from "hyparquet";
import { ConvertedTypes, ParquetTypes } from "hyparquet/src/constants.js";
import { readStruct } from "../schema/thrift-struct.js";

/** @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED` for bytes that are not a thrift struct of a chunk */
export function columnMetadata(
  bytes: Uint8Array,
  type: ParquetType,
  converted_type: SchemaElement["converted_type"],
): ColumnMetaData {
  const field = "column metadata";
  const reader = new ByteReader(bytes);
  readStruct(reader, field);
  // Field 1 and 6 of the leaf: its types, which the library needs for statistics. Zigzag doubles a number.
  const physical = ParquetTypes.indexOf(type);
  const converted = converted_type === undefined ? -1 : ConvertedTypes.indexOf(converted_type);
  const leaf = [0x15, 2 * physical, 0x38, 0x01, 0x63, ...(converted < 0 ? [] : [0x25, 2 * converted]), 0x00];
  const root = [0x48, 0x01, 0x72, 0x15, 0x02, 0x00];
  const file = concatBytes([
    // 1: version; 2: schema; 3: rows; 4: row groups, 4.1: chunks, 4.1.2: offset, 4.1.3: the metadata
    Uint8Array.of(
      0x15,
      0x02,
      0x19,
      0x2c,
      ...root,
      ...leaf,
      0x16,
      0x00,
      0x19,
      0x1c,
      0x19,
      0x1c,
      0x26,
      0x00,
      0x1c,
    ),
    bytes.subarray(0, reader.position),
    // The chunk ends; 4.2, 4.3: size and rows; the row group and the file end.
    Uint8Array.of(0x00, 0x16, 0x00, 0x16, 0x00, 0x00, 0x00),
  ]);
  const size = Uint8Array.of(file.length, file.length >>> 8, file.length >>> 16, file.length >>> 24);
  const magic = Uint8Array.of(0x50, 0x41, 0x52, 0x31);
  try {
    const { row_groups: groups } = parquetMetadata(concatBytes([file, size, magic]), { geoparquet: false });
    const metadata = groups[0]?.columns[0]?.meta_data;
    if (metadata !== undefined) {
      return metadata;
    }
  } catch (cause) {
    throw corrupt("invalid metadata of a column", { field, cause });
  }
  throw corrupt("invalid metadata of a column", { field });
}
