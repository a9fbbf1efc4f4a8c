/** Fields of JSON that somebody else may have written: each is asked for by name and kind, and those left over are an error. */
import { type CFileError, corrupt, fromHex, isCFileError } from "@cfile/bytes";

/** An object read from JSON, field by field; every mismatch is an error with the field's place. */
export class JsonFields {
  /** Where the object stands, such as `rowSets[0].bloom`. */
  readonly place: string;
  private readonly path: string;
  private readonly fields: ReadonlyMap<string, unknown>;
  private readonly asked = new Set<string>();

  /**
   * @param path of the file, for errors
   * @throws CFileError `E_CORRUPT` unless `value` is an object
   */
  constructor(value: unknown, path: string, place = "") {
    this.path = path;
    this.place = place;
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw corrupt("an object is expected", { path, field: place || "JSON" });
    }
    this.fields = new Map(Object.entries(value));
  }

  /** The error for a field with this name. */
  wrong(name: string, reason: string, actual?: unknown): CFileError {
    return corrupt(reason, {
      path: this.path,
      field: this.placeOf(name),
      actual: actual === undefined ? undefined : String(actual).slice(0, 80),
    });
  }

  /**
   * A field that is a string.
   *
   * @throws CFileError `E_CORRUPT` when it is missing or no string
   */
  string(name: string): string {
    const value = this.take(name);
    if (typeof value !== "string") {
      throw this.wrong(name, "a string is expected", value);
    }
    return value;
  }

  /**
   * A field that is a list of strings.
   *
   * @throws CFileError `E_CORRUPT` when it is missing or anything else
   */
  strings(name: string): readonly string[] {
    const value = this.take(name);
    if (!Array.isArray(value)) {
      throw this.wrong(name, "a list is expected", value);
    }
    return value.map((item: unknown, i) => {
      if (typeof item !== "string") {
        throw this.wrong(`${name}[${i}]`, "a string is expected", item);
      }
      return item;
    });
  }

  /**
   * A field that is true or false.
   *
   * @throws CFileError `E_CORRUPT` when it is missing or anything else
   */
  boolean(name: string): boolean {
    const value = this.take(name);
    if (typeof value !== "boolean") {
      throw this.wrong(name, "true or false is expected", value);
    }
    return value;
  }

  /**
   * A whole number, 0 to `most`.
   *
   * @throws CFileError `E_CORRUPT` when it is missing or anything else
   */
  integer(name: string, most: number = Number.MAX_SAFE_INTEGER): number {
    const value = this.take(name);
    if (!(typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= most)) {
      throw this.wrong(name, `a whole number from 0 to ${most} is expected`, value);
    }
    return value;
  }

  /**
   * A whole number of 64 bits as decimal string.
   *
   * @throws CFileError `E_CORRUPT` when it is missing or anything else
   */
  unsigned64(name: string): bigint {
    const text = this.string(name);
    const value = /^(0|[1-9]\d{0,19})$/.test(text) ? BigInt(text) : undefined;
    if (value === undefined || value >= 1n << 64n) {
      throw this.wrong(name, "an unsigned 64-bit number in a string is expected", text);
    }
    return value;
  }

  /** Bytes as hexadecimal string. */
  bytes(name: string): Uint8Array {
    return this.bytesOf(name, this.string(name));
  }

  /**
   * A field that is a list of byte strings, each in hexadecimal digits.
   *
   * @throws CFileError `E_CORRUPT` when it is missing or anything else
   */
  byteStrings(name: string): readonly Uint8Array[] {
    return this.strings(name).map((text, i) => this.bytesOf(`${name}[${i}]`, text));
  }

  /**
   * One of the keys of `known`.
   *
   * @throws CFileError `E_CORRUPT` when it is missing or anything else
   */
  oneOf<T extends string>(name: string, known: Readonly<Record<T, unknown>>): T {
    const text = this.string(name);
    const isKnown = (value: string): value is T => Object.hasOwn(known, value);
    if (!isKnown(text)) {
      throw this.wrong(name, `one of ${Object.keys(known).join(", ")} is expected`, text);
    }
    return text;
  }

  /**
   * A field that is an object.
   *
   * @throws CFileError `E_CORRUPT` when it is missing or no object
   */
  object(name: string): JsonFields {
    return new JsonFields(this.take(name), this.path, this.placeOf(name));
  }

  /**
   * A field that is a list of objects.
   *
   * @throws CFileError `E_CORRUPT` when it is missing or anything else
   */
  objects(name: string): readonly JsonFields[] {
    const value = this.take(name);
    if (!Array.isArray(value)) {
      throw this.wrong(name, "a list is expected", value);
    }
    return value.map((item, i) => new JsonFields(item, this.path, `${this.placeOf(name)}[${i}]`));
  }

  /** Whether the field is there. */
  has(name: string): boolean {
    return this.fields.has(name);
  }

  /** `null` counts as there. */
  isNull(name: string): boolean {
    return this.fields.get(name) === null && this.has(name) && this.asked.add(name) !== undefined;
  }

  /** @throws CFileError `E_CORRUPT` for a field that nobody asked for */
  finish(): void {
    for (const name of this.fields.keys()) {
      if (!this.asked.has(name)) {
        throw this.wrong(name, "a field that is not known");
      }
    }
  }

  private bytesOf(name: string, text: string): Uint8Array {
    try {
      return fromHex(text);
    } catch (error) {
      throw isCFileError(error) ? this.wrong(name, "hexadecimal digits are expected", text) : error;
    }
  }

  private take(name: string): unknown {
    this.asked.add(name);
    if (!this.fields.has(name)) {
      throw this.wrong(name, "the field is missing");
    }
    return this.fields.get(name);
  }

  private placeOf(name: string): string {
    return this.place === "" ? name : `${this.place}.${name}`;
  }
}
