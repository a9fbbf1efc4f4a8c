/**
 * Hashes for one Bloom filter at a time: an instance of the module in `assembly/pages.ts` with its own memory. The hashes are not copied
 * between the calls that make them and the one that sets their bits.
 *
 * | memory | content |
 * | --- | --- |
 * | 0 .. heap base | tables of the module |
 * | heap base .. | hashes, 8 bytes each |
 * | .. end | values to hash; at the end the filter, and hashes of the store |
 */
import type { BloomHashes, FixedValues, HashedValues, HashStore } from "../bloom-hashes.js";
import { unlessForbidden } from "../kernel-choice.js";
import type { WordStrings } from "../word-table.js";
import { aligned, bytesUnder, growMemory, instanceOf, isRange, MARGIN } from "./kernels-memory.js";
import type { PagesModule } from "./kernels-module.js";

const HASH = 8;
/** For fewer hashes, an instance costs more than it gains. */
const MIN_HASHES = 1024;
/** Number of hashes of the store copied at a time. */
const HASHES = 1 << 16;
/** Maximum number of instances kept for other filters, and bytes of each. */
const MAX_SPARE = 4;
const MAX_KEPT_BYTES = 16 << 20;

/** The instances of the module that are not in use. */
export class HashInstances {
  private readonly compiled: WebAssembly.Module;
  private readonly spare: HashInstance[] = [];

  constructor(compiled: WebAssembly.Module) {
    this.compiled = compiled;
  }

  take(): HashInstance | undefined {
    return this.spare.pop() ?? unlessForbidden(() => new HashInstance(this.compiled));
  }

  put(instance: HashInstance): void {
    if (this.spare.length < MAX_SPARE && instance.size <= MAX_KEPT_BYTES) {
      this.spare.push(instance);
    }
  }
}

export class SimdBloomHashes implements BloomHashes {
  private readonly store: HashStore;
  private readonly instances: HashInstances;
  private instance: HashInstance | undefined;

  /** @param store takes the hashes for which an instance has no room */
  constructor(store: HashStore, instances: HashInstances) {
    this.store = store;
    this.instances = instances;
  }

  get count(): number {
    return this.store.count + (this.instance?.count ?? 0);
  }

  add(values: HashedValues, count: number): void {
    if (this.count + count >= MIN_HASHES) {
      this.instance ??= this.instances.take();
    }
    const { instance, store } = this;
    if (instance?.add(values, count)) {
      return;
    }
    instance?.moveTo(store);
    if (!instance?.add(values, count)) {
      store.add(values, count);
    }
  }

  finish(bytes: number, limit: number, use: (filter: Uint8Array) => void): void {
    const { instance, store } = this;
    let filter = instance?.filter(store.held(), bytes, limit);
    if (filter === undefined) {
      instance?.moveTo(store);
      filter = instance?.filter(store.held(), bytes, limit);
    }
    if (filter === undefined) {
      store.finish(bytes, limit, use);
    } else {
      store.clear();
      use(filter);
    }
    if (instance !== undefined) {
      instance.count = 0;
      this.instances.put(instance);
      this.instance = undefined;
    }
  }
}

class HashInstance {
  /** Number of hashes. */
  count = 0;
  private readonly module: PagesModule;
  private readonly memory: WebAssembly.Memory;
  private readonly base: number;
  private bytes: Uint8Array;

  /** @throws {RangeError} where there is no memory for it */
  constructor(compiled: WebAssembly.Module) {
    this.memory = new WebAssembly.Memory({ initial: 2 });
    this.module = instanceOf<PagesModule>(compiled, this.memory);
    this.base = aligned(this.module.heapBase());
    this.bytes = new Uint8Array(this.memory.buffer);
  }

  get size(): number {
    return this.bytes.length;
  }

  /** Adds the hashes of values; `false` for values that are too large or not inside their data. */
  add(values: HashedValues, count: number): boolean {
    const isAdded = "width" in values ? this.addFixed(values, count) : this.addStrings(values, count);
    this.count += isAdded ? count : 0;
    return isAdded;
  }

  moveTo(store: HashStore): void {
    store.hold(new Uint32Array(this.bytes.buffer, this.base, 2 * this.count));
    this.count = 0;
  }

  /**
   * The filter of all hashes and of others; `undefined` if there is no room for it.
   *
   * @returns a part of the memory, which is valid until the next call
   */
  filter(others: readonly Uint32Array[], bytes: number, limit: number): Uint8Array | undefined {
    const { module } = this;
    const bits = this.endOf(this.count);
    const othersAt = bits + bytes;
    const blocks = bytes >>> 5;
    if (!this.grow(othersAt + (others.length > 0 ? HASH * HASHES : 0))) {
      return undefined;
    }
    this.bytes.fill(0, bits, othersAt);
    module.fillBloom(this.base, this.count, bits, blocks);
    for (const hashes of others) {
      for (let from = 0; from < hashes.length; from += 2 * HASHES) {
        const some = hashes.subarray(from, from + 2 * HASHES);
        this.bytes.set(bytesUnder(some), othersAt);
        module.fillBloom(othersAt, some.length >>> 1, bits, blocks);
      }
    }
    return this.bytes.subarray(bits, bits + 32 * module.foldBloom(bits, blocks, limit));
  }

  private addFixed({ data, width }: FixedValues, count: number): boolean {
    const input = this.endOf(this.count + count);
    const length = width * count;
    if (length > data.length || !this.grow(input + length)) {
      return false;
    }
    this.bytes.set(data.subarray(0, length), input);
    this.module.xxhashValues(input, width, count, this.endOf(this.count));
    return true;
  }

  private addStrings({ offsets, data }: WordStrings, count: number): boolean {
    const offsetsAt = this.endOf(this.count + count);
    const dataAt = aligned(offsetsAt + 4 * (count + 1));
    const start = offsets[0] ?? -1;
    const end = offsets[count] ?? -1;
    if (!isRange(data, start, end) || !this.grow(dataAt + end - start)) {
      return false;
    }
    this.bytes.set(bytesUnder(offsets.subarray(0, count + 1)), offsetsAt);
    this.bytes.set(data.subarray(start, end), dataAt);
    const hashes = this.endOf(this.count);
    return this.module.xxhashStrings(dataAt - start, offsetsAt, end, count, hashes) === 0;
  }

  /** The address after a number of hashes. */
  private endOf(count: number): number {
    return this.base + HASH * count;
  }

  private grow(end: number): boolean {
    const grown = growMemory(this.memory, this.bytes, end + MARGIN);
    this.bytes = grown ?? this.bytes;
    return grown !== undefined;
  }
}
