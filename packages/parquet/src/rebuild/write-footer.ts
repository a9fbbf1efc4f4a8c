/** Writes the new footer. A schema whose stored bytes are known is copied byte for byte, with all fields that the library does not know. */
import { ByteReader, concatBytes } from "@cfile/bytes";
import type { FileMetaData, SchemaElement } from "hyparquet";
import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { writeMetadata } from "hyparquet-writer/src/metadata.js";
import { skipField } from "../schema/thrift-struct.js";

/** The metadata and its length, without the magic number. @param schemaBytes field 2 as it was stored */
export function footerBytes(metadata: FileMetaData, schemaBytes: Uint8Array | undefined): Uint8Array {
  const writer = new ByteWriter();
  writeMetadata(writer, { ...metadata, schema: metadata.schema.map(writable) });
  const written = writer.getBytes();
  if (schemaBytes === undefined) {
    return written;
  }
  const reader = new ByteReader(written);
  skipField(reader, 0, "version");
  const from = reader.position;
  skipField(reader, 1, "schema");
  const thrift = concatBytes([written.subarray(0, from), schemaBytes, written.subarray(reader.position, -4)]);
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, thrift.length, true);
  return concatBytes([thrift, length]);
}

/** The library writes the bit width of integers as 32 bits instead of 8, which DuckDB rejects; the older converted type means the same. */
function writable(element: SchemaElement): SchemaElement {
  const { logical_type: logical, ...rest } = element;
  if (logical?.type !== "INTEGER") {
    return element;
  }
  const bits = logical.bitWidth;
  const name =
    `${logical.isSigned ? "" : "U"}INT_${bits === 8 || bits === 16 || bits === 64 ? bits : 32}` as const;
  return { ...rest, converted_type: name };
}
