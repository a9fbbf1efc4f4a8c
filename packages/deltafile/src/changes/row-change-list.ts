/**
 * RowChangeList (docs/spec/deltafile.md#4-rowchangelist): what one entry does to its row.
 *
 * | part | coding |
 * | --- | --- |
 * | type | one byte: UPDATE, DELETE or REINSERT |
 * | mutations | column mutations back to back, see `mutation-cursor.ts` |
 */
import { ByteBuilder, CFileError, concatBytes, invalidArgument } from "@cfile/bytes";
import { writeVarint32 } from "@cfile/varint";
import { type ChangeType, checkChangeType } from "./change-type.js";
import { MutationCursor } from "./mutation-cursor.js";

/** One entry's change of its row; see docs/spec/deltafile.md#4-rowchangelist. */
export interface RowChangeList {
  readonly type: ChangeType;
  /** The column mutations; a view of the bytes that were decoded. */
  readonly mutations: Uint8Array;
}

/**
 * A whole change list, all of it checked.
 *
 * @throws CFileError `E_TRUNCATED`, `E_CORRUPT`
 */
export function decodeRowChangeList(bytes: Uint8Array): RowChangeList {
  const [first] = bytes;
  if (first === undefined) {
    throw new CFileError("E_TRUNCATED", "a change list without a type", { offset: 0, field: "change type" });
  }
  const type = checkChangeType(first, bytes.length - 1, 0);
  const cursor = new MutationCursor().resetTo(bytes, 1, bytes.length);
  while (cursor.next()) {
    // Going through them checks them.
  }
  return { type, mutations: bytes.subarray(1) };
}

/** The bytes of a change list. */
export function encodeRowChangeList({ type, mutations }: RowChangeList): Uint8Array {
  return concatBytes([Uint8Array.of(checkChangeType(type, mutations.length)), mutations]);
}

/** Puts column mutations together, one entry's after another's. */
export class MutationBuilder {
  private readonly bytes = new ByteBuilder();

  /**
   * Adds a mutation.
   *
   * @param value the bytes of the new value, `null` for NULL
   * @throws CFileError `E_INVALID_ARGUMENT` for what is no column id
   */
  set(columnId: number, value: Uint8Array | null): this {
    if (!(Number.isInteger(columnId) && columnId >= 0 && columnId <= 0x7fffffff)) {
      throw invalidArgument(`${columnId} is no column id`, { field: "column id", actual: String(columnId) });
    }
    writeVarint32(this.bytes, columnId);
    if (value === null) {
      writeVarint32(this.bytes, 0);
    } else {
      writeVarint32(this.bytes, value.length + 1);
      this.bytes.append(value);
    }
    return this;
  }

  /** A copy of the mutations so far. */
  finish(): Uint8Array {
    return this.bytes.finish();
  }

  /** Starts the next entry's. */
  clear(): this {
    this.bytes.clear();
    return this;
  }
}
