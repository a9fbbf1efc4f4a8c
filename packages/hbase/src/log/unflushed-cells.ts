/** Cells of log entries that no store file has, as one block in cell order. */
import { ByteBuilder, ByteReader, corrupt, withErrorContext } from "@cfile/bytes";
import { type CellBatch, compareKeys, parseCells } from "@cfile/hfile";

interface LoggedCell {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly tags: Uint8Array;
  readonly sequenceId: number;
}

/** First byte of a VLong with eight more bytes. */
const VLONG_OF_EIGHT = 0x88;
/** Minimum length of a key: row length, family length, timestamp and type. */
const MIN_KEY = 12;

/** Collects the cells of a family. */
export class UnflushedCells {
  private readonly cells: LoggedCell[] = [];

  /** Adds a cell. Cells must come in the order of the log. */
  add(cell: LoggedCell): void {
    this.cells.push(cell);
  }

  /** `undefined` without cells. */
  batch(): CellBatch | undefined {
    const { cells } = this;
    if (cells.length === 0) {
      return undefined;
    }
    // If an entry has equal cells, the last one counts, so it comes first.
    const order = cells.map((cell, i) => ({ cell, i }));
    order.sort(
      (a, b) => compareKeys(a.cell.key, b.cell.key) || b.cell.sequenceId - a.cell.sequenceId || b.i - a.i,
    );
    const out = new ByteBuilder(256 + 64 * cells.length);
    for (const { cell } of order) {
      const { key, value, tags, sequenceId } = cell;
      out.u32be(key.length);
      out.u32be(value.length);
      out.append(key);
      out.append(value);
      out.u8(tags.length >>> 8);
      out.u8(tags.length & 0xff);
      out.append(tags);
      out.u8(VLONG_OF_EIGHT);
      out.u32be(Math.floor(sequenceId / 2 ** 32));
      out.u32be(sequenceId >>> 0);
    }
    return parseCells(out.finish(), { tags: true, mvcc: true });
  }
}

/**
 * Passes the cells of an entry to `visit`, as views.
 * @param bytes the cells, each with its length
 * @throws {CFileError} `E_TRUNCATED`, `E_CORRUPT` for malformed cells
 */
export function visitLoggedCells(
  bytes: Uint8Array,
  path: string,
  offset: number,
  visit: (family: Uint8Array, key: Uint8Array, value: Uint8Array, tags: Uint8Array) => void,
): void {
  withErrorContext({ path, block: { offset, size: bytes.length } }, () => {
    const reader = new ByteReader(bytes);
    while (reader.remaining > 0) {
      const length = reader.u32be("cell length");
      reader.require(length, "cell");
      const end = reader.position + length;
      const keyLength = reader.u32be("key length");
      const valueLength = reader.u32be("value length");
      if (8 + keyLength + valueLength > length) {
        throw corrupt("key and value do not fit the cell", {
          offset: reader.position - 8,
          field: "key length",
        });
      }
      const key = reader.take(keyLength, "key");
      const value = reader.take(valueLength, "value");
      let tags = reader.bytes.subarray(end, end);
      if (reader.position < end) {
        const tagsLength = (reader.u8("tags length") << 8) | reader.u8("tags length");
        tags = reader.take(tagsLength, "tags");
      }
      if (reader.position !== end) {
        throw corrupt("the parts of the cell do not add up", {
          offset: reader.position,
          field: "cell length",
        });
      }
      visit(familyOf(key, reader.position), key, value, tags);
    }
  });
}

function familyOf(key: Uint8Array, offset: number): Uint8Array {
  const rowEnd = 2 + (((key[0] ?? 0) << 8) | (key[1] ?? 0));
  const family = key.subarray(rowEnd + 1, rowEnd + 1 + (key[rowEnd] ?? 0));
  if (key.length < MIN_KEY || rowEnd + 10 + family.length > key.length || family.length !== key[rowEnd]) {
    throw corrupt("row and family do not fit the key", { offset, field: "row length" });
  }
  return family;
}
