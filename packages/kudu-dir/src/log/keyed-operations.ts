/**
 * Row operations in a compact form, for reading in key order. A record:
 *
 * | bytes | part |
 * | --- | --- |
 * | 1 | kind, with 0x40 for an operation that may be flushed and 0x80 for one with a value of the auto-incrementing column |
 * | 2, 4 | indexes of its schema and its stores |
 * | 8 | timestamp |
 * | 8 | value of the auto-incrementing column, if there is one |
 * | 2 | number of cells |
 * | 2, 4, … | per cell: index of the column's name, length or `ffffffff` for NULL, stored value |
 */
import { ByteBuilder, ByteReader } from "@cfile/bytes";
import { compareKeys } from "@cfile/rowset";
import type { KuduSchema } from "../catalog/schema-message.js";
import type { UnflushedOperation } from "./log-replay.js";
import type { OperationKind } from "./row-operations.js";

/** Bytes of a chunk. Records do not cross chunks, so memory is not copied when it grows. */
const CHUNK = 1024 * 1024;
const MAY_BE_FLUSHED = 0x40;
const HAS_COUNTER = 0x80;
const NULL = 0xffffffff;

/** Distinct values by index. */
class Interned<T> {
  private readonly values: T[] = [];
  private readonly indexes = new Map<unknown, number>();

  /** @param name identity of the value */
  indexOf(value: T, name: unknown = value): number {
    const known = this.indexes.get(name);
    if (known !== undefined) {
      return known;
    }
    this.indexes.set(name, this.values.length);
    return this.values.push(value) - 1;
  }

  at(index: number): T {
    return this.values[index] as T;
  }
}

export class KeyedOperations {
  private readonly kinds = new Interned<OperationKind>();
  private readonly schemas = new Interned<KuduSchema>();
  private readonly stores = new Interned<UnflushedOperation["stores"]>();
  private readonly names = new Interned<string>();
  private readonly keys = new ByteBuilder(CHUNK);
  /** Start of each key, as u32. */
  private readonly keyStarts = new ByteBuilder(CHUNK);
  /** Chunk and offset of each record, as u32. */
  private readonly places = new ByteBuilder(CHUNK);
  private readonly chunks: ByteBuilder[] = [];
  private count = 0;

  /** Approximate memory use, in bytes. */
  get size(): number {
    return this.chunks.length * CHUNK + this.keys.length + this.keyStarts.length + this.places.length;
  }

  add(key: Uint8Array, { timestamp, operation, schema, ...rest }: UnflushedOperation): void {
    const { stores, mayBeFlushed = false, autoIncrement } = rest;
    this.keyStarts.u32le(this.keys.length);
    this.keys.append(key);
    const chunk = this.chunkWithRoom();
    this.places.u32le(this.chunks.length - 1);
    this.places.u32le(chunk.length);
    this.count++;
    const flags = (mayBeFlushed ? MAY_BE_FLUSHED : 0) | (autoIncrement === undefined ? 0 : HAS_COUNTER);
    chunk.u8(this.kinds.indexOf(operation.kind) | flags);
    chunk.u16le(this.schemas.indexOf(schema));
    const name = stores?.map(({ mrsId, rowSetId, dmsId }) => `${mrsId} ${rowSetId} ${dmsId}`).join();
    chunk.u32le(this.stores.indexOf(stores, name));
    appendU64(chunk, timestamp);
    if (autoIncrement !== undefined) {
      appendU64(chunk, autoIncrement);
    }
    chunk.u16le(operation.cells.size);
    for (const [column, cell] of operation.cells) {
      chunk.u16le(this.names.indexOf(column));
      chunk.u32le(cell === null ? NULL : cell.length);
      if (cell !== null) {
        chunk.append(cell);
      }
    }
  }

  /**
   * The operations in key order; those of one key in the order in which they were added.
   *
   * @param minimum number of operations per group; all operations of a key are in the same group
   */
  *groups(minimum: number): Generator<readonly UnflushedOperation[], void, void> {
    const { count: length } = this;
    this.keyStarts.u32le(this.keys.length);
    const offsets = new Int32Array(this.keyStarts.finish().buffer, 0, length + 1);
    const keys = { length, offsets, data: this.keys.view8() };
    const order = Uint32Array.from({ length }, (_, i) => i);
    order.sort((left, right) => compareKeys(keys, left, keys, right) || left - right);
    let group: UnflushedOperation[] = [];
    for (let i = 0; i < length; i++) {
      const at = order[i] as number;
      if (group.length >= minimum && compareKeys(keys, order[i - 1] as number, keys, at) !== 0) {
        yield group;
        group = [];
      }
      group.push(this.at(at));
    }
    if (group.length > 0) {
      yield group;
    }
  }

  private at(i: number): UnflushedOperation {
    const place = new ByteReader(this.places.view8(), 8 * i);
    const chunk = this.chunks[place.u32le("chunk")] as ByteBuilder;
    const reader = new ByteReader(chunk.view8(), place.u32le("offset"));
    const head = reader.u8("kind");
    const schema = this.schemas.at(reader.u16le("schema"));
    const stores = this.stores.at(reader.u32le("stores"));
    const timestamp = reader.u64le("timestamp");
    const autoIncrement =
      (head & HAS_COUNTER) === 0 ? undefined : BigInt.asIntN(64, reader.u64le("auto-incrementing column"));
    const cells = new Map<string, Uint8Array | null>();
    for (let left = reader.u16le("cells"); left > 0; left--) {
      const name = this.names.at(reader.u16le("column"));
      const cellLength = reader.u32le("length");
      cells.set(name, cellLength === NULL ? null : reader.take(cellLength, name));
    }
    const kind = this.kinds.at(head & ~(MAY_BE_FLUSHED | HAS_COUNTER));
    const mayBeFlushed = (head & MAY_BE_FLUSHED) !== 0;
    return { timestamp, operation: { kind, cells }, schema, stores, mayBeFlushed, autoIncrement };
  }

  private chunkWithRoom(): ByteBuilder {
    const last = this.chunks.at(-1);
    if (last !== undefined && last.length < CHUNK) {
      return last;
    }
    const chunk = new ByteBuilder(CHUNK + CHUNK / 8);
    this.chunks.push(chunk);
    return chunk;
  }
}

function appendU64(target: ByteBuilder, value: bigint): void {
  target.u32le(Number(BigInt.asUintN(32, value)));
  target.u32le(Number(BigInt.asUintN(32, value >> 32n)));
}
