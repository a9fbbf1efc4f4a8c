/**
 * Decodes Avro data by the schema it was written with.
 *
 * Hudi stores Avro in four places, which all require limits: timeline files, log blocks, delete blocks, and values of HFiles. The common
 * library, avsc, compiles each schema with `new Function`, which Cloudflare Workers and pages with a content security policy forbid. It
 * requires Node's `Buffer`, rounds longs above 2^52, and reads past the end of damaged data before it reports an error. This decoder
 * interprets the schema; tests compare it with avsc.
 */
import { CFileError, corrupt } from "@cfile/bytes";
import { AvroReader } from "./avro-reader.js";
import type { AvroType } from "./avro-schema.js";

/**
 * A decoded value. `int` is a number, `long` a number if exact, else a bigint; bytes and fixed values are views; a map is a
 * `Map`. In a union with several types other than null, a record or fixed value is `{ [its name]: value }`.
 */
export type AvroValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | AvroValue[]
  | Map<string, AvroValue>
  | AvroObject;

/** A decoded record, by field. */
export interface AvroObject {
  readonly [field: string]: AvroValue;
}

/** How records are decoded: as objects, or as arrays of their fields in order. */
export type RecordForm = "object" | "array";

/** Decodes one value. */
export type AvroDecoder = (reader: AvroReader, depth: number) => AvroValue;

/** Maximum nesting of values; schemas can be recursive. */
const MAX_DEPTH = 64;
/** Maximum number of items without bytes, such as nulls, in one array. */
const MAX_EMPTY_ITEMS = 65_536;

/** A decoder for a type. @throws {CFileError} `E_LIMIT`, `E_CORRUPT`, `E_TRUNCATED` when it is called with malformed data */
export function avroDecoder(type: AvroType, form: RecordForm = "object"): AvroDecoder {
  return new DecoderFactory(form).decoder(type);
}

/** Decodes one value that fills `bytes`. @throws {CFileError} as {@link avroDecoder}, and `E_CORRUPT` for bytes after it */
export function decodeAvro(decode: AvroDecoder, bytes: Uint8Array): AvroValue {
  const reader = new AvroReader(bytes);
  const value = decode(reader, 0);
  if (reader.remaining !== 0) {
    throw corrupt(`${reader.remaining} bytes follow the Avro value`, {
      offset: reader.position,
      field: "value",
    });
  }
  return value;
}

class DecoderFactory {
  private readonly form: RecordForm;
  private readonly records = new Map<AvroType, AvroDecoder>();
  private readonly empty = new Map<AvroType, boolean>();

  constructor(form: RecordForm) {
    this.form = form;
  }

  decoder(type: AvroType): AvroDecoder {
    switch (type.kind) {
      case "null":
        return () => null;
      case "boolean":
        return (reader) => reader.boolean();
      case "int":
        return (reader) => reader.int();
      case "long":
        return (reader) => reader.long();
      case "float":
        return (reader) => reader.float();
      case "double":
        return (reader) => reader.double();
      case "bytes":
        return (reader) => reader.sized("bytes");
      case "string":
        return (reader) => reader.string();
      case "fixed":
        return (reader) => reader.take(type.size, type.name);
      case "enum":
        return (reader) => {
          const index = reader.int();
          const symbol = type.symbols[index];
          if (symbol === undefined) {
            throw outside(reader, type.name, index, type.symbols.length);
          }
          return symbol;
        };
      case "array":
        return this.array(type.items);
      case "map":
        return this.map(type.values);
      case "union":
        return this.union(type.branches);
      case "record":
        return this.record(type);
    }
  }

  private record(type: Extract<AvroType, { kind: "record" }>): AvroDecoder {
    const known = this.records.get(type);
    if (known !== undefined) {
      return known;
    }
    const names: string[] = [];
    const decoders: AvroDecoder[] = [];
    const fieldValues: AvroDecoder = (reader, depth) => {
      requireDepth(depth, reader);
      const values = new Array<AvroValue>(decoders.length);
      for (let i = 0; i < decoders.length; i++) {
        values[i] = (decoders[i] as AvroDecoder)(reader, depth + 1);
      }
      return values;
    };
    const asObject: AvroDecoder = (reader, depth) => {
      requireDepth(depth, reader);
      return Object.fromEntries(names.map((name, i) => [name, decoders[i]?.(reader, depth + 1) ?? null]));
    };
    const decode = this.form === "array" ? fieldValues : asObject;
    this.records.set(type, decode);
    for (const field of type.fields) {
      names.push(field.name);
      decoders.push(this.decoder(field.type));
    }
    return decode;
  }

  private union(branches: readonly AvroType[]): AvroDecoder {
    const isNamed = branches.filter(({ kind }) => kind !== "null").length > 1;
    const decoders = branches.map((branch): AvroDecoder => {
      const decode = this.decoder(branch);
      if (isNamed && (branch.kind === "record" || branch.kind === "fixed")) {
        const name = branch.name.slice(branch.name.lastIndexOf(".") + 1);
        return (reader, depth) => ({ [name]: decode(reader, depth) });
      }
      return decode;
    });
    return (reader, depth) => {
      const index = reader.size("union index");
      const decode = decoders[index];
      if (decode === undefined) {
        throw outside(reader, "union index", index, decoders.length);
      }
      return decode(reader, depth);
    };
  }

  private array(items: AvroType): AvroDecoder {
    const decode = this.decoder(items);
    const isEmpty = mayBeEmpty(items, this.empty);
    return (reader, depth) => {
      requireDepth(depth, reader);
      const values: AvroValue[] = [];
      for (let count = blockCount(reader, isEmpty); count > 0; count = blockCount(reader, isEmpty)) {
        requireItems(values.length + count, isEmpty, reader);
        for (let i = 0; i < count; i++) {
          values.push(decode(reader, depth + 1));
        }
      }
      return values;
    };
  }

  private map(type: AvroType): AvroDecoder {
    const decode = this.decoder(type);
    return (reader, depth) => {
      requireDepth(depth, reader);
      const values = new Map<string, AvroValue>();
      for (let count = blockCount(reader, false); count > 0; count = blockCount(reader, false)) {
        for (let i = 0; i < count; i++) {
          const key = reader.string();
          values.set(key, decode(reader, depth + 1));
        }
      }
      return values;
    };
  }
}

/** Number of items in the next block of an array or map; 0 at its end. A negative count is followed by the block's size. */
function blockCount(reader: AvroReader, isEmpty: boolean): number {
  let count = reader.long();
  if (count < 0) {
    count = -count;
    reader.size("block size");
  }
  if (typeof count !== "number" || (!isEmpty && count > reader.remaining)) {
    const reason = `a block of ${count} items in ${reader.remaining} bytes`;
    throw corrupt(reason, { offset: reader.position, field: "block count", actual: String(count) });
  }
  return count;
}

function requireItems(count: number, isEmpty: boolean, reader: AvroReader): void {
  if (isEmpty && count > MAX_EMPTY_ITEMS) {
    const details = {
      offset: reader.position,
      field: "block count",
      expected: MAX_EMPTY_ITEMS,
      actual: count,
    };
    throw new CFileError("E_LIMIT", `an array of ${count} items that have no bytes`, details);
  }
}

function requireDepth(depth: number, reader: AvroReader): void {
  if (depth > MAX_DEPTH) {
    const details = { offset: reader.position, field: "value", expected: MAX_DEPTH };
    throw new CFileError("E_LIMIT", `Avro value is nested deeper than ${MAX_DEPTH} levels`, details);
  }
  reader.countNested();
}

/** Whether a value can have no bytes. */
function mayBeEmpty(type: AvroType, known: Map<AvroType, boolean>): boolean {
  switch (type.kind) {
    case "null":
      return true;
    case "fixed":
      return type.size === 0;
    case "record": {
      let answer = known.get(type);
      if (answer === undefined) {
        // A record that contains itself without a union in between has no finite value; any answer is right.
        known.set(type, false);
        answer = type.fields.every((field) => mayBeEmpty(field.type, known));
        known.set(type, answer);
      }
      return answer;
    }
    default:
      return false;
  }
}

function outside(reader: AvroReader, field: string, actual: number, count: number): CFileError {
  const details = { offset: reader.position, field, expected: `less than ${count}`, actual };
  return corrupt(`invalid ${field}: ${actual} (expected less than ${count})`, details);
}
