/**
 * Finds rows by encoded key (docs/spec/diskrowset.md#4-minimum-and-maximum-key, docs/spec/diskrowset.md#8-point-lookup). The values
 * of the ad-hoc index are encoded keys; for a single key column, the key is decoded to its value.
 */
import { compareBytes, corrupt } from "@cfile/bytes";
import { DATA_TYPES, physicalWidth } from "@cfile/encodings";
import { decodeKey, encodeKey, type KeyValue } from "@cfile/encodings/keys";
import type { BlockReadOptions, CFileReader, FindOptions, FoundRow } from "@cfile/format";

export class KeyIndex {
  readonly minKey: Uint8Array;
  readonly maxKey: Uint8Array;
  readonly rowCount: number;
  private readonly file: CFileReader;
  /** Bytes per key; 0 for BINARY keys. */
  private readonly width: number;

  private constructor(file: CFileReader, minKey: Uint8Array, maxKey: Uint8Array) {
    this.file = file;
    this.minKey = minKey;
    this.maxKey = maxKey;
    this.rowCount = file.rowCount;
    this.width = physicalWidth(DATA_TYPES[file.type].physical);
  }

  /**
   * @param file the ad-hoc index or the only key column
   * @throws {CFileError} `E_CORRUPT` when the minimum key is greater than the maximum
   */
  static async open(file: CFileReader, options: BlockReadOptions): Promise<KeyIndex> {
    await file.loadHeader(options);
    const minKey = file.metadata("min_key") ?? (await keyOfRow(file, 0, options));
    const maxKey = file.metadata("max_key") ?? (await keyOfRow(file, file.rowCount - 1, options));
    if (compareBytes(minKey, maxKey) > 0) {
      throw corrupt("min_key is greater than max_key", { path: file.path, field: "min_key" });
    }
    return new KeyIndex(file, minKey, maxKey);
  }

  /** The first row whose key is `key` or greater; the row count if all keys are less. */
  async lowerBound(key: Uint8Array, options: FindOptions): Promise<FoundRow> {
    if (compareBytes(key, this.maxKey) > 0) {
      return { row: this.rowCount, exact: false };
    }
    if (compareBytes(key, this.minKey) < 0) {
      return { row: 0, exact: false };
    }
    if (this.width === 0) {
      return this.find(key, options);
    }
    // Integer keys have one length: a shorter key sorts before all keys with this prefix, a longer one after.
    const whole = new Uint8Array(this.width);
    whole.set(key.subarray(0, this.width));
    const found = await this.find(decodeKey(this.file.type, whole), options);
    return key.length === this.width || !found.exact
      ? found
      : { row: found.row + (key.length > this.width ? 1 : 0), exact: false };
  }

  private async find(value: KeyValue, options: FindOptions): Promise<FoundRow> {
    const { file } = this;
    if (file.structure.footer.validx === undefined) {
      return this.findWithoutIndex(value, options);
    }
    return (await file.find(value, options)) ?? { row: file.rowCount, exact: false };
  }

  /** A binary search over rows: a rewritten key column may lack its value index, but its values still ascend. */
  private async findWithoutIndex(value: KeyValue, options: BlockReadOptions): Promise<FoundRow> {
    const { file } = this;
    const key = encodeKey(file.type, value);
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
  const cell = await file.get(row, { strings: "bytes", signal });
  if (typeof cell === "number" || typeof cell === "bigint" || cell instanceof Uint8Array) {
    return encodeKey(file.type, cell);
  }
  throw corrupt("key is null or not a key value", { path: file.path, field: "key" });
}
