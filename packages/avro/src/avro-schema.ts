/**
 * Avro schemas, as Hudi stores them: JSON text in commits, in the headers of log blocks and in the file info of HFiles. Named
 * types are resolved, so that a decoder never looks up a name.
 */
import { CFileError, corrupt } from "@cfile/bytes";

/** Primitive types of Avro. */
type AvroPrimitive = "null" | "boolean" | "int" | "long" | "float" | "double" | "bytes" | "string";

/** A logical type on a primitive or fixed type. */
interface AvroLogical {
  readonly logical?: string | undefined;
  /** For decimals only. */
  readonly precision?: number | undefined;
  readonly scale?: number | undefined;
}

/** A resolved Avro type. */
export type AvroType =
  | ({ readonly kind: AvroPrimitive } & AvroLogical)
  | ({ readonly kind: "fixed"; readonly name: string; readonly size: number } & AvroLogical)
  | { readonly kind: "enum"; readonly name: string; readonly symbols: readonly string[] }
  | { readonly kind: "array"; readonly items: AvroType }
  | { readonly kind: "map"; readonly values: AvroType }
  | { readonly kind: "union"; readonly branches: readonly AvroType[] }
  | AvroRecord;

/** A record type. `fields` of a recursive type are complete once the whole schema is parsed. */
export interface AvroRecord {
  readonly kind: "record";
  readonly name: string;
  readonly fields: readonly AvroField[];
}

/** A field of a record. */
interface AvroField {
  readonly name: string;
  readonly type: AvroType;
  /** The default for records without the field, as in JSON; `undefined` if it is null. */
  readonly default?: unknown;
}

const PRIMITIVES: readonly string[] = [
  "null",
  "boolean",
  "int",
  "long",
  "float",
  "double",
  "bytes",
  "string",
];
/** Limits of a schema; schemas of Hudi's metadata table have about 100 types. */
const MAX_TEXT = 4 << 20;
const MAX_TYPES = 20_000;
const MAX_DEPTH = 64;
const NAME = /^[A-Za-z_]\w*$/;

/**
 * Parses a schema.
 * @throws {CFileError} `E_CORRUPT` when it is not an Avro schema; `E_LIMIT` when it exceeds 4 MiB, 20,000 types or 64 levels
 */
export function parseAvroSchema(text: string): AvroType {
  if (text.length > MAX_TEXT) {
    throw tooLarge(`${MAX_TEXT} characters`);
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw corrupt("Avro schema is not valid JSON", { field: "schema", cause });
  }
  return new SchemaParser().type(json, "", 0);
}

/** The type without null: of a union of null and one other type, that type. */
export function nonNull(type: AvroType): AvroType {
  if (type.kind !== "union") {
    return type;
  }
  const others = type.branches.filter(({ kind }) => kind !== "null");
  return others.length === 1 && others[0] !== undefined ? others[0] : type;
}

class SchemaParser {
  private readonly named = new Map<string, AvroType>();
  private types = 0;

  type(json: unknown, space: string, depth: number): AvroType {
    if (++this.types > MAX_TYPES) {
      throw tooLarge(`${MAX_TYPES} types`);
    }
    if (depth > MAX_DEPTH) {
      throw tooLarge(`${MAX_DEPTH} levels`);
    }
    if (typeof json === "string") {
      return this.reference(json, space);
    }
    if (Array.isArray(json)) {
      const branches = json.map((branch) => this.type(branch, space, depth + 1));
      if (branches.length === 0 || branches.some(({ kind }) => kind === "union")) {
        throw malformed("a union must have branches that are not unions");
      }
      return { kind: "union", branches };
    }
    if (!isObject(json)) {
      throw malformed("a type must be a name, an array or an object");
    }
    return this.complex(json, space, depth);
  }

  private complex(json: Readonly<Record<string, unknown>>, space: string, depth: number): AvroType {
    const { type } = json;
    switch (type) {
      case "array":
        return { kind: "array", items: this.type(json["items"], space, depth + 1) };
      case "map":
        return { kind: "map", values: this.type(json["values"], space, depth + 1) };
      case "record":
      case "error":
        return this.record(json, space, depth);
      case "enum": {
        const { symbols } = json;
        if (!Array.isArray(symbols) || !symbols.every((symbol) => typeof symbol === "string")) {
          throw malformed("an enum must have symbols");
        }
        const name = fullName(json, space);
        return this.define(name, { kind: "enum", name, symbols });
      }
      case "fixed": {
        const { size } = json;
        if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0 || size > MAX_TEXT) {
          throw malformed("a fixed type must have a size");
        }
        const name = fullName(json, space);
        return this.define(name, { kind: "fixed", name, size, ...logicalOf(json) });
      }
      default: {
        const inner = this.type(type, space, depth + 1);
        return isPrimitive(inner) ? { kind: inner.kind, ...logicalOf(json) } : inner;
      }
    }
  }

  private record(json: Readonly<Record<string, unknown>>, space: string, depth: number): AvroType {
    const name = fullName(json, space);
    const own = name.includes(".") ? name.slice(0, name.lastIndexOf(".")) : "";
    const fields: AvroField[] = [];
    const record = this.define(name, { kind: "record", name, fields });
    const listed = json["fields"];
    if (!Array.isArray(listed)) {
      throw malformed("a record must have fields");
    }
    const seen = new Set<string>();
    for (const field of listed) {
      const fieldName: unknown = isObject(field) ? field["name"] : undefined;
      if (!isObject(field) || typeof fieldName !== "string" || !NAME.test(fieldName) || seen.has(fieldName)) {
        throw malformed(`invalid or repeated field name in record ${name}`);
      }
      seen.add(fieldName);
      const type = this.type(field["type"], own, depth + 1);
      const value = field["default"] ?? undefined;
      fields.push({ name: fieldName, type, ...(value !== undefined && { default: value }) });
    }
    return record;
  }

  private define(name: string, type: AvroType): AvroType {
    if (this.named.has(name)) {
      throw malformed(`type ${name} is defined twice`);
    }
    this.named.set(name, type);
    return type;
  }

  private reference(name: string, space: string): AvroType {
    if (isPrimitiveName(name)) {
      return { kind: name };
    }
    const found = this.named.get(name) ?? this.named.get(`${space}.${name}`);
    if (found === undefined) {
      throw malformed(`unknown type ${JSON.stringify(name.slice(0, 100))}`);
    }
    return found;
  }
}

function isPrimitive(type: AvroType): type is { readonly kind: AvroPrimitive } & AvroLogical {
  return isPrimitiveName(type.kind);
}

function isPrimitiveName(name: string): name is AvroPrimitive {
  return PRIMITIVES.includes(name);
}

function fullName({ name, namespace }: Readonly<Record<string, unknown>>, space: string): string {
  if (typeof name !== "string" || !name.split(".").every((part) => NAME.test(part))) {
    throw malformed("a named type must have a name");
  }
  const own = typeof namespace === "string" ? namespace : space;
  return name.includes(".") || own === "" ? name : `${own}.${name}`;
}

function logicalOf(json: Readonly<Record<string, unknown>>): AvroLogical {
  const { logicalType, precision, scale } = json;
  if (typeof logicalType !== "string") {
    return {};
  }
  const digits = (value: unknown): number | undefined =>
    typeof value === "number" && Number.isSafeInteger(value) ? value : undefined;
  return logicalType === "decimal"
    ? { logical: logicalType, precision: digits(precision) ?? 0, scale: digits(scale) ?? 0 }
    : { logical: logicalType };
}

function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

function malformed(reason: string): CFileError {
  return corrupt(`invalid Avro schema: ${reason}`, { field: "schema" });
}

function tooLarge(limit: string): CFileError {
  return new CFileError("E_LIMIT", `Avro schema exceeds ${limit}`, { field: "schema", expected: limit });
}
