/** Writes Avro object containers, whose layout is in `avro-container.ts`. */
import { ByteBuilder } from "@cfile/bytes";
import type { AvroValue } from "./avro-decoder.js";
import { appendAvro, appendLong, appendSized } from "./avro-encoder.js";
import { parseAvroSchema } from "./avro-schema.js";
import { deflate } from "./deflate.js";

/** How a container is written. */
export interface AvroContainerOptions {
  /** Compression of the block. Default `"deflate"`. */
  readonly codec?: "null" | "deflate" | undefined;
  /** Additional entries of the header, beside `avro.schema` and `avro.codec`. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

const MAGIC = [0x4f, 0x62, 0x6a, 1];
const SYNC = 16;

/**
 * A container with all values in one block. Equal values produce equal bytes: the sync marker is a digest of the uncompressed block.
 *
 * @param schema JSON text, stored as given
 * @throws {CFileError} `E_CORRUPT` for an invalid schema; `E_INVALID_ARGUMENT` for values that do not fit it
 */
export async function writeAvroContainer(
  schema: string,
  values: readonly AvroValue[],
  { codec = "deflate", metadata = {} }: AvroContainerOptions = {},
): Promise<Uint8Array> {
  const type = parseAvroSchema(schema);
  const body = new ByteBuilder();
  values.forEach((value, i) => {
    appendAvro(body, type, value, `value ${i}`);
  });
  const plain = body.finish();
  const block = codec === "deflate" ? await deflate(plain) : plain;
  const sync = new Uint8Array(await crypto.subtle.digest("SHA-256", plain.slice())).subarray(0, SYNC);
  const out = new ByteBuilder(block.length + schema.length + 256);
  out.append(Uint8Array.from(MAGIC));
  const text = new TextEncoder();
  const header = { "avro.schema": schema, "avro.codec": codec, ...metadata };
  const entries = new Map(Object.entries(header).map(([key, value]) => [key, text.encode(value)]));
  appendAvro(out, { kind: "map", values: { kind: "bytes" } }, entries);
  out.append(sync);
  if (values.length > 0) {
    appendLong(out, BigInt(values.length));
    appendSized(out, block);
    out.append(sync);
  }
  return out.finish();
}
