/** Content of Avro data blocks: i32 version (3), i32 count, then an i32 length and a record each (docs/spec/hudi-table.md#61-contents). */

import {
  type AvroDecoder,
  AvroReader,
  type AvroType,
  type AvroValue,
  avroDecoder,
  parseAvroSchema,
  type RecordForm,
} from "@cfile/avro";
import { ByteReader, CFileError, corrupt, mismatch } from "@cfile/bytes";
import { HEADER, type LogBlock } from "./log-block.js";

/** Version of the content of data and delete blocks. */
const CONTENT_VERSION = 3;

/** Keeps parsed schemas by their text, because every block repeats its schema. */
export class SchemaCache {
  private readonly types = new Map<string, AvroType>();
  private readonly decoders = new Map<string, AvroDecoder>();

  /** The schema in a block's header. @throws {CFileError} `E_CORRUPT` when it is missing or invalid */
  typeOf(block: LogBlock): AvroType {
    return this.parse(block.header.get(HEADER.schema) ?? "");
  }

  parse(text: string): AvroType {
    const type = this.types.get(text) ?? parseAvroSchema(text);
    this.types.set(text, type);
    return type;
  }

  /** A decoder for a schema's text. */
  decoder(text: string, form: RecordForm): AvroDecoder {
    const key = form + text;
    const decoder = this.decoders.get(key) ?? avroDecoder(this.parse(text), form);
    this.decoders.set(key, decoder);
    return decoder;
  }
}

/**
 * The records of an Avro data block, in order.
 * @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED`, `E_LIMIT`, `E_UNSUPPORTED` for malformed content
 */
export function* avroRows(block: LogBlock, schemas: SchemaCache, form: RecordForm): Generator<AvroValue> {
  const reader = new ByteReader(block.content);
  requireVersion(reader.u32be("content version"));
  const count = reader.u32be("record count");
  if (count > reader.remaining) {
    throw corrupt(`a block of ${reader.remaining} bytes states ${count} records`, { field: "record count" });
  }
  const decode = schemas.decoder(block.header.get(HEADER.schema) ?? "", form);
  const values = new AvroReader(block.content);
  for (let i = 0; i < count; i++) {
    const length = reader.u32be("record length");
    values.position = reader.position;
    reader.skip(length, "record");
    const value = decode(values, 0);
    if (values.position !== reader.position) {
      throw mismatch(`wrong length of record ${i}`, length, values.position - reader.position + length, {
        offset: values.position,
        field: "record length",
      });
    }
    yield value;
  }
  if (reader.remaining !== 0) {
    throw corrupt(`${reader.remaining} bytes follow the records`, {
      offset: reader.position,
      field: "content",
    });
  }
}

/** @throws {CFileError} `E_UNSUPPORTED` for other versions; older content is serialized Java objects */
export function requireVersion(version: number): void {
  if (version !== CONTENT_VERSION) {
    throw new CFileError("E_UNSUPPORTED", `unsupported version of a log block: ${version} (expected 3)`, {
      field: "content version",
    });
  }
}
