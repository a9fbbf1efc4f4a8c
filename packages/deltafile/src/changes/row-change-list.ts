/**
 * RowChangeList (docs/spec/deltafile.md#4-rowchangelist): the change of one entry.
 *
 * | part | coding |
 * | --- | --- |
 * | type | one byte: UPDATE, DELETE or REINSERT |
 * | mutations | contiguous column mutations, see `mutation-cursor.ts` |
 */
import { ByteBuilder, CFileError, concatBytes, invalidOption } from "@cfile/bytes";
import { writeVarint32 } from "@cfile/varint";
import { type ChangeType, checkChangeType } from "./change-type.js";
import { MutationCursor } from "./mutation-cursor.js";

/** The change of one entry. */
export interface RowChangeList {
  readonly type: ChangeType;
  /** The column mutations; after decoding, a view of the decoded bytes. */
  readonly mutations: Uint8Array;
}

/** Decodes and checks a whole change list. @throws {CFileError} `E_TRUNCATED`, `E_CORRUPT` */
export function decodeRowChangeList(bytes: Uint8Array): RowChangeList {
  const [first] = bytes;
  if (first === undefined) {
    throw new CFileError("E_TRUNCATED", "change list without a type", { offset: 0, field: "change type" });
  }
  const type = checkChangeType(first, bytes.length - 1, 0);
  const cursor = new MutationCursor().resetTo(bytes, 1, bytes.length);
  while (cursor.next()) {
    // Iterating checks them.
  }
  return { type, mutations: bytes.subarray(1) };
}

/** Encodes a change list. @throws {CFileError} `E_CORRUPT` for an invalid type or missing or extra mutations */
export function encodeRowChangeList({ type, mutations }: RowChangeList): Uint8Array {
  return concatBytes([Uint8Array.of(checkChangeType(type, mutations.length)), mutations]);
}

/** Builds the column mutations of one entry after another. */
export class MutationBuilder {
  private readonly bytes = new ByteBuilder();

  /**
   * Adds a mutation.
   *
   * @param value the encoded value, `null` for NULL
   * @throws {CFileError} `E_INVALID_ARGUMENT` for an invalid column ID
   */
  set(columnId: number, value: Uint8Array | null): this {
    if (!(Number.isInteger(columnId) && columnId >= 0 && columnId <= 0x7fffffff)) {
      throw invalidOption("column id", columnId, "an integer from 0 to 2^31 - 1");
    }
    writeVarint32(this.bytes, columnId);
    writeVarint32(this.bytes, value === null ? 0 : value.length + 1);
    if (value !== null) {
      this.bytes.append(value);
    }
    return this;
  }

  /** A copy of the mutations. */
  finish(): Uint8Array {
    return this.bytes.finish();
  }

  /** Removes all mutations, for the next entry. */
  clear(): this {
    this.bytes.clear();
    return this;
  }
}
