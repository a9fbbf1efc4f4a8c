/**
 * Avro object containers, the format of Hudi's timeline files (docs/spec/hudi-table.md#41-contents).
 *
 * | size | field |
 * | --- | --- |
 * | 4 | `Obj` and 1 |
 * | var | a map of text to bytes: `avro.schema`, `avro.codec` (`null` or `deflate`) |
 * | 16 | sync marker |
 * | var | blocks: number of values, size, values, sync marker |
 */
import { CFileError, corrupt, equalBytes } from "@cfile/bytes";
import { type AvroDecoder, type AvroValue, avroDecoder } from "./avro-decoder.js";
import { AvroReader } from "./avro-reader.js";
import { parseAvroSchema } from "./avro-schema.js";

const MAGIC = [0x4f, 0x62, 0x6a, 1];
const SYNC = 16;
/** Maximum size of a block once inflated. */
const MAX_BLOCK = 256 << 20;

/** Whether bytes start like an Avro object container. */
export function isAvroContainer(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, i) => bytes[i] === byte);
}

/**
 * The values of a container.
 * @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED` for damage; `E_LIMIT` for blocks above 256 MiB; `E_UNSUPPORTED` for other codecs
 */
export async function readAvroContainer(bytes: Uint8Array): Promise<AvroValue[]> {
  if (!isAvroContainer(bytes)) {
    throw corrupt("not an Avro object container", { offset: 0, field: "magic" });
  }
  const reader = new AvroReader(bytes, MAGIC.length);
  const header = avroDecoder({ kind: "map", values: { kind: "bytes" } })(reader, 0);
  const text = (key: string): string | undefined => {
    const value = header instanceof Map ? header.get(key) : undefined;
    return value instanceof Uint8Array ? new TextDecoder().decode(value) : undefined;
  };
  const decode = avroDecoder(parseAvroSchema(text("avro.schema") ?? ""));
  const codec = text("avro.codec") ?? "null";
  const sync = reader.take(SYNC, "sync marker");
  const values: AvroValue[] = [];
  while (reader.remaining > 0) {
    const count = reader.size("number of values");
    const offset = reader.position;
    const block = await expand(reader.sized("block"), codec, offset);
    decodeBlock(decode, block, count, values);
    if (!equalBytes(reader.take(SYNC, "sync marker"), sync)) {
      throw corrupt("sync marker mismatch", { offset: reader.position - SYNC, field: "sync marker" });
    }
  }
  return values;
}

function decodeBlock(decode: AvroDecoder, block: Uint8Array, count: number, values: AvroValue[]): void {
  const reader = new AvroReader(block);
  for (let i = 0; i < count; i++) {
    if (reader.remaining === 0) {
      throw corrupt(`block ends after ${i} of ${count} values`, { field: "number of values" });
    }
    values.push(decode(reader, 0));
  }
  if (reader.remaining !== 0) {
    throw corrupt(`${reader.remaining} bytes follow the values of a block`, { field: "block" });
  }
}

async function expand(block: Uint8Array, codec: string, offset: number): Promise<Uint8Array> {
  switch (codec) {
    case "null":
      return block;
    case "deflate":
      return inflate(block, offset);
    default:
      throw new CFileError("E_UNSUPPORTED", `unsupported codec of an Avro container: ${codec.slice(0, 40)}`, {
        field: "avro.codec",
      });
  }
}

async function inflate(block: Uint8Array, offset: number): Promise<Uint8Array> {
  const input = new Blob([block.slice()]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = input.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      length += next.value.length;
      if (length > MAX_BLOCK) {
        throw new CFileError("E_LIMIT", `Avro block expands to more than ${MAX_BLOCK} bytes`, {
          offset,
          field: "block",
        });
      }
      chunks.push(next.value);
    }
  } catch (cause) {
    throw cause instanceof CFileError
      ? cause
      : corrupt("Avro block is not valid deflate data", { offset, field: "block", cause });
  } finally {
    await reader.cancel().catch(() => undefined);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
