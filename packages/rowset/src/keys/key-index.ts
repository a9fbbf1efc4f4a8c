/**
 * Finding rows by encoded key (docs/spec/diskrowset.md#4-minimum-and-maximum-key,
 * docs/spec/diskrowset.md#5-comparable-key-encoding and docs/spec/diskrowset.md#8-point-lookup): in the ad-hoc index, whose
 * values are the keys, or in the only key column, whose values have to be decoded from them.
 */
import { compareBytes, corrupt } from "@cfile/bytes";
import type { CellValue, DataType } from "@cfile/encodings";
import { DATA_TYPES, physicalWidth } from "@cfile/encodings";
import type { KeyValue } from "@cfile/encodings/keys";
import { decodeKey, encodeKey } from "@cfile/encodings/keys";
import type { BlockReadOptions, CFileReader, FoundRow, SearchValue } from "@cfile/format";

const MIN_KEY = "min_key";
const MAX_KEY = "max_key";

export class KeyIndex {
  readonly minKey: Uint8Array;
  readonly maxKey: Uint8Array;
  private readonly file: CFileReader;
  /** The type of the only key column; BINARY for the ad-hoc index. */
  private readonly type: DataType;
  /** Bytes of every key; 0 where they differ. */
  private readonly width: number;

  private constructor(file: CFileReader, minKey: Uint8Array, maxKey: Uint8Array) {
    this.file = file;
    this.minKey = minKey;
    this.maxKey = maxKey;
    this.type = file.type;
    this.width = physicalWidth(DATA_TYPES[file.type].physical);
  }

  /**
   * @param file the ad-hoc index or the only key column
   * @throws CFileError `E_CORRUPT` when the smallest key is above the largest
   */
  static async open(file: CFileReader, options: BlockReadOptions): Promise<KeyIndex> {
    await file.loadHeader(options);
    const minKey = file.metadata(MIN_KEY) ?? (await keyOfRow(file, 0, options));
    const maxKey = file.metadata(MAX_KEY) ?? (await keyOfRow(file, file.rowCount - 1, options));
    if (compareBytes(minKey, maxKey) > 0) {
      throw corrupt("min_key is above max_key", { path: file.path, field: MIN_KEY });
    }
    return new KeyIndex(file, minKey, maxKey);
  }

  get rowCount(): number {
    return this.file.rowCount;
  }

  /** The first row whose key is at or after `key`; the number of rows when all are before it. */
  async lowerBound(key: Uint8Array, options: BlockReadOptions): Promise<FoundRow> {
    if (compareBytes(key, this.maxKey) > 0) {
      return { row: this.rowCount, exact: false };
    }
    if (compareBytes(key, this.minKey) < 0) {
      return { row: 0, exact: false };
    }
    if (this.width === 0) {
      return this.find(key, options);
    }
    // Keys of integers have but one length: a shorter one is before all that begin with it, a longer one after.
    const whole = new Uint8Array(this.width);
    whole.set(key.subarray(0, this.width));
    const found = await this.find(decodeKey(this.type, whole), options);
    if (key.length === this.width || !found.exact) {
      return found;
    }
    return { row: found.row + (key.length > this.width ? 1 : 0), exact: false };
  }

  private async find(value: KeyValue, options: BlockReadOptions): Promise<FoundRow> {
    const { file } = this;
    if (file.structure.footer.validx === undefined) {
      return this.findWithoutIndex(value, options);
    }
    return (await file.find(value, options)) ?? { row: file.rowCount, exact: false };
  }

  /** A key column that was written anew may have lost its value index: its values ascend all the same. */
  private async findWithoutIndex(value: KeyValue, options: BlockReadOptions): Promise<FoundRow> {
    const { file } = this;
    const key = encodeKey(this.type, value);
    let low = 0;
    let high = file.rowCount;
    let exact = false;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const order = compareBytes(await keyOfRow(file, middle, options), key);
      exact ||= order === 0;
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return { row: low, exact };
  }
}

async function keyOfRow(file: CFileReader, row: number, { signal }: BlockReadOptions): Promise<Uint8Array> {
  if (file.rowCount === 0) {
    return new Uint8Array(0);
  }
  return encodeKey(file.type, keyValue(await file.get(row, { strings: "bytes", signal })));
}

/** @throws CFileError `E_CORRUPT` for what cannot be a key */
function keyValue(cell: CellValue): SearchValue & KeyValue {
  if (typeof cell === "number" || typeof cell === "bigint" || cell instanceof Uint8Array) {
    return cell;
  }
  throw corrupt("a key that is null or no key", { field: "key" });
}
