/** Names the fields of a protobuf message. */
import { corrupt } from "@cfile/bytes";
import type { ByteNotes } from "@cfile/format/blocks";
import { readVarint32, readVarint64BigInt } from "@cfile/varint";

/** The fields of a message by number: their names, and the shapes of embedded messages. */
export interface MessageShape {
  readonly [field: number]: string | readonly [name: string, shape: MessageShape];
}

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** Notes the message in the next `length` bytes. */
export function noteMessage(notes: ByteNotes, length: number, shape: MessageShape, prefix = ""): void {
  const { reader } = notes;
  const end = reader.position + length;
  if (length > reader.remaining) {
    throw corrupt(`message of ${length} bytes, ${reader.remaining} remain`, { offset: reader.position });
  }
  while (reader.position < end) {
    const tag = readVarint32(reader, "tag");
    const field = tag >>> 3;
    const known = shape[field] ?? `field ${field}`;
    const name = `${prefix}${typeof known === "string" ? known : known[0]}`;
    switch (tag & 7) {
      case VARINT:
        notes.note("field", name, String(BigInt.asIntN(64, readVarint64BigInt(reader, name))));
        break;
      case FIXED64:
        reader.skip(8, name);
        notes.note("field", name, "8 bytes");
        break;
      case FIXED32:
        reader.skip(4, name);
        notes.note("field", name, "4 bytes");
        break;
      case BYTES: {
        const size = readVarint32(reader, `${name}: length`);
        notes.note("length", `${name}: tag and length`, String(size));
        if (size > end - reader.position) {
          throw corrupt(`${name} of ${size} bytes`, { offset: reader.position });
        }
        if (typeof known !== "string") {
          noteMessage(notes, size, known[1], `${name}.`);
        } else if (size > 0) {
          const bytes = reader.bytes.subarray(reader.position, reader.position + size);
          notes.skip(size, "value", name, textOf(bytes));
        }
        break;
      }
      default:
        throw corrupt(`invalid wire type ${tag & 7}`, { offset: reader.position });
    }
  }
}

/** Printable text; nothing for other bytes. */
export function textOf(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(bytes);
  return /^[\x20-\x7e]*$/.test(text) ? text : undefined;
}
