/** Reads fields of JSON from files that may have been edited, by name and kind; a field that is never read is an error. */
import { type CFileError, corrupt, fromHex, isCFileError } from "@cfile/bytes";

/** A JSON object, read field by field; every mismatch is an error that names the field's path in the document. */
export class JsonFields {
  /** Path of the object in the document, such as `rowSets[0].bloom`. */
  readonly place: string;
  private readonly path: string;
  private readonly fields: ReadonlyMap<string, unknown>;
  private readonly read = new Set<string>();

  /**
   * @param path of the file, for errors
   * @throws {CFileError} `E_CORRUPT` when `value` is not an object
   */
  constructor(value: unknown, path: string, place = "") {
    this.path = path;
    this.place = place;
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw corrupt("not a JSON object", { path, field: place || "JSON" });
    }
    this.fields = new Map(Object.entries(value));
  }

  /** The error for the field `name`. */
  wrong(name: string, reason: string, actual?: unknown): CFileError {
    const found = actual === undefined ? undefined : String(actual).slice(0, 80);
    const message = found === undefined ? reason : `${reason} (found ${found})`;
    return corrupt(message, { path: this.path, field: this.placeOf(name), actual: found });
  }

  /**
   * A string.
   *
   * @throws {CFileError} `E_CORRUPT` when the field is missing or of another kind, as every method here
   */
  string(name: string): string {
    return this.expect(name, "a string", (value) => typeof value === "string");
  }

  /** A list of strings. @throws {CFileError} `E_CORRUPT` */
  strings(name: string): readonly string[] {
    return this.list(name).map((item, i) => {
      if (typeof item !== "string") {
        throw this.wrong(`${name}[${i}]`, "must be a string", item);
      }
      return item;
    });
  }

  /** @throws {CFileError} `E_CORRUPT` */
  boolean(name: string): boolean {
    return this.expect(name, "true or false", (value) => typeof value === "boolean");
  }

  /** An integer from 0 to `maximum`. @throws {CFileError} `E_CORRUPT` */
  integer(name: string, maximum: number = Number.MAX_SAFE_INTEGER): number {
    const isInteger = (value: unknown): value is number =>
      typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= maximum;
    return this.expect(name, `an integer from 0 to ${maximum}`, isInteger);
  }

  /** An unsigned 64-bit integer in a decimal string. @throws {CFileError} `E_CORRUPT` */
  unsigned64(name: string): bigint {
    const isUnsigned64 = (text: unknown): text is string =>
      typeof text === "string" && /^(0|[1-9]\d{0,19})$/.test(text) && BigInt(text) < 1n << 64n;
    return BigInt(this.expect(name, "an unsigned 64-bit integer in a string", isUnsigned64));
  }

  /** Bytes in a hexadecimal string. @throws {CFileError} `E_CORRUPT` */
  bytes(name: string): Uint8Array {
    return this.bytesOf(name, this.string(name));
  }

  /** A list of byte strings, each hexadecimal. @throws {CFileError} `E_CORRUPT` */
  byteStrings(name: string): readonly Uint8Array[] {
    return this.strings(name).map((text, i) => this.bytesOf(`${name}[${i}]`, text));
  }

  /** One of the keys of `known`. @throws {CFileError} `E_CORRUPT` */
  oneOf<T extends string>(name: string, known: Readonly<Record<T, unknown>>): T {
    const isKnown = (value: unknown): value is T => typeof value === "string" && Object.hasOwn(known, value);
    return this.expect(name, `one of ${Object.keys(known).join(", ")}`, isKnown);
  }

  /** An object. @throws {CFileError} `E_CORRUPT` */
  object(name: string): JsonFields {
    return new JsonFields(this.take(name), this.path, this.placeOf(name));
  }

  /** A list of objects. @throws {CFileError} `E_CORRUPT` */
  objects(name: string): readonly JsonFields[] {
    return this.list(name).map((item, i) => new JsonFields(item, this.path, `${this.placeOf(name)}[${i}]`));
  }

  /** Whether the field is present. */
  has(name: string): boolean {
    return this.fields.has(name);
  }

  /** Whether the field is present and null, which counts as reading it. */
  isNull(name: string): boolean {
    const isNull = this.fields.get(name) === null;
    if (isNull) {
      this.read.add(name);
    }
    return isNull;
  }

  /** @throws {CFileError} `E_CORRUPT` for a field that was never read */
  finish(): void {
    for (const name of this.fields.keys()) {
      if (!this.read.has(name)) {
        throw this.wrong(name, "unknown field");
      }
    }
  }

  private expect<T>(name: string, what: string, isExpected: (value: unknown) => value is T): T {
    const value = this.take(name);
    if (!isExpected(value)) {
      throw this.wrong(name, `must be ${what}`, value);
    }
    return value;
  }

  private list(name: string): readonly unknown[] {
    return this.expect(name, "a list", (value): value is unknown[] => Array.isArray(value));
  }

  private bytesOf(name: string, text: string): Uint8Array {
    try {
      return fromHex(text);
    } catch (error) {
      throw isCFileError(error) ? this.wrong(name, "must be hexadecimal digits", text) : error;
    }
  }

  private take(name: string): unknown {
    this.read.add(name);
    if (!this.fields.has(name)) {
      throw this.wrong(name, "missing field");
    }
    return this.fields.get(name);
  }

  private placeOf(name: string): string {
    return this.place === "" ? name : `${this.place}.${name}`;
  }
}
