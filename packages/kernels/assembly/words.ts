// A hash table of the words of a dictionary under construction: open addressing, linear probing. Each dictionary has an instance
// of this module with its own memory, which the caller lays out; `heapBase` is the first address that the module does not use
// itself. Functions read up to 32 bytes and write up to 15 bytes past the given ranges.
//
// | per word | bytes |
// | --- | --- |
// | head: its first 16 bytes, padded with zeros | 16 |
// | length | 4 |
// | address of its bytes | 4 |
// | unused | 8 |

const ENTRY_SHIFT: usize = 5;
/** Ones, then zeros: the 16 bytes at 16 - n start with n ones. */
const MASKS: usize = memory.data<u64>([-1, -1, 0, 0], 16);

/** Codeword + 1 per slot, 0 for a free slot. The number of slots is a power of two, and at most a quarter of them are used. */
let slots: usize = 0;
let slotMask: u32 = 0;
/** The slot of a word is its hash, shifted right by this. */
let slotShift: u32 = 0;
let entries: usize = 0;
/** Address for the bytes of the next word, and the end of the memory for words. */
let nextByte: usize = 0;
let lastByte: usize = 0;
let words: u32 = 0;

/** Results of `findCodes`: codes written, new words, and whether it ended because there was no room for another word. */
let taken: u32 = 0;
let added: u32 = 0;
let isCramped = false;

export function heapBase(): usize {
  return __heap_base;
}

export function codesTaken(): u32 {
  return taken;
}

export function wordsAdded(): u32 {
  return added;
}

export function isOutOfRoom(): bool {
  return isCramped;
}

/**
 * Creates an empty table: `slotCount` words at `slotsAt`, `slotCount / 4` entries of 32 bytes at `entriesAt`, and `room` bytes for
 * words and 32 more at `bytesAt`.
 */
export function clear(slotsAt: usize, slotCount: u32, entriesAt: usize, bytesAt: usize, room: usize): void {
  slots = slotsAt;
  slotMask = slotCount - 1;
  slotShift = 32 - ctz(slotCount);
  entries = entriesAt;
  nextByte = bytesAt;
  lastByte = bytesAt + room;
  words = 0;
  memory.fill(slots, 0, <usize>slotCount << 2);
}

// @ts-expect-error: decorator
@inline
function headOf(at: usize, length: usize): v128 {
  return v128.and(v128.load(at), v128.load(MASKS + 16 - min<usize>(length, 16)));
}

// The hash of the bytes after the first 16.
function hashOfRest(at: usize, length: usize): u32 {
  let hash: u64 = 0;
  for (let i: usize = 16; i + 8 < length; i += 8) {
    hash = (hash ^ load<u64>(at + i)) * 0x9e3779b97f4a7c15;
    hash ^= hash >>> 32;
  }
  return <u32>(((hash ^ load<u64>(at + length - 8)) * 0xc2b2ae3d27d4eb4f) >>> 32);
}

// Takes the upper halves of products, which depend on all bits of a word.
// @ts-expect-error: decorator
@inline
function hashOf(head: v128, at: usize, length: usize): u32 {
  const low = ((<u64>i64x2.extract_lane(head, 0) ^ <u64>length) * 0x9e3779b97f4a7c15) >>> 32;
  const high = ((<u64>i64x2.extract_lane(head, 1) ^ 0x3c6ef372fe94f82b) * 0xc2b2ae3d27d4eb4f) >>> 32;
  const hash = <u32>low ^ rotl<u32>(<u32>high, 15);
  return length > 16 ? hash ^ hashOfRest(at, length) : hash;
}

// Whether two words of the same length, more than 16 bytes, are equal after the first 16.
function haveSameRest(left: usize, right: usize, length: usize): bool {
  for (let i: usize = 16; i + 16 < length; i += 16) {
    if (v128.any_true(v128.xor(v128.load(left + i), v128.load(right + i)))) {
      return false;
    }
  }
  return !v128.any_true(v128.xor(v128.load(left + length - 16), v128.load(right + length - 16)));
}

// @ts-expect-error: decorator
@inline
function isWord(code: i32, head: v128, at: usize, length: usize): bool {
  const entry = entries + (<usize>code << ENTRY_SHIFT);
  return (
    load<u32>(entry, 16) == <u32>length &&
    !v128.any_true(v128.xor(v128.load(entry), head)) &&
    (length <= 16 || haveSameRest(<usize>load<u32>(entry, 20), at, length))
  );
}

/** The codeword of a word, or `~slot` of a free slot for it; the search starts at `slot`. */
function find(slot: u32, head: v128, at: usize, length: usize): i32 {
  while (true) {
    const code = <i32>load<u32>(slots + (<usize>slot << 2)) - 1;
    if (code < 0) {
      return ~(<i32>slot);
    }
    if (isWord(code, head, at, length)) {
      return code;
    }
    slot = (slot + 1) & slotMask;
  }
}

// @ts-expect-error: decorator
@inline
function hasRoom(length: usize): bool {
  return words <= slotMask >>> 2 && length <= lastByte - nextByte;
}

function add(slot: u32, head: v128, at: usize, length: usize): void {
  const entry = entries + (<usize>words << ENTRY_SHIFT);
  v128.store(entry, head);
  store<u32>(entry, <u32>length, 16);
  store<u32>(entry, <u32>nextByte, 20);
  for (let i: usize = 0; i < length; i += 16) {
    v128.store(nextByte + i, v128.load(at + i));
  }
  nextByte += length;
  words++;
  store<u32>(slots + (<usize>slot << 2), words);
}

/** Adds `count` different words, bytes `offsets[i]` to `offsets[i + 1]` at `data`; returns whether there was room for all. */
export function learn(offsets: usize, count: u32, data: usize): bool {
  for (let i: u32 = 0; i < count; i++) {
    const start = load<u32>(offsets + (<usize>i << 2));
    const length = <usize>(load<u32>(offsets + (<usize>i << 2), 4) - start);
    if (!hasRoom(length)) {
      return false;
    }
    const at = data + start;
    const head = headOf(at, length);
    const code = find(hashOf(head, at, length) >>> slotShift, head, at, length);
    if (code >= 0) {
      return false;
    }
    add(~code, head, at, length);
  }
  return true;
}

// Bytes of an offset in a group varint.
// @ts-expect-error: decorator
@inline
function offsetLength(offset: u32): u32 {
  return ((31 - clz(offset | 1)) >>> 3) + 1;
}

/**
 * Writes the codewords of `count` strings, bytes `offsets[i]` to `offsets[i + 1]` of the `dataEnd` bytes at `data`, to `codes`, at
 * most `room` of them. New words are added to the table, and their positions are written to `fresh`. Ends before a new word if the
 * dictionary is full: a plain binary block whose estimated size `12 + ceil(words / 4) + valueBytes` exceeds `blockSize`, and whose
 * next word starts at `nextOffset`. Returns 0, or -1 if the strings are not consecutive ranges of `data`.
 */
export function findCodes(
  offsets: usize,
  count: u32,
  data: usize,
  dataEnd: u32,
  room: u32,
  nextOffset: u32,
  valueBytes: u32,
  blockSize: u32,
  codes: usize,
  fresh: usize,
): i32 {
  taken = 0;
  added = 0;
  isCramped = false;
  const start = codes;
  const codesEnd = codes + (<usize>min(room, count) << 2);
  let isValid = true;
  let end = load<u32>(offsets);
  for (let i: u32 = 0; i < count; i++) {
    const begin = end;
    end = load<u32>(offsets + (<usize>i << 2), 4);
    if (begin > end || end > dataEnd) {
      isValid = false;
      break;
    }
    const at = data + begin;
    const length = <usize>(end - begin);
    const head = headOf(at, length);
    const slot = hashOf(head, at, length) >>> slotShift;
    let code = <i32>load<u32>(slots + (<usize>slot << 2)) - 1;
    if (code < 0 || !isWord(code, head, at, length)) {
      code = find(slot, head, at, length);
      if (code < 0) {
        if (<u32>12 + ((words + 3) >>> 2) + valueBytes > blockSize) {
          break;
        }
        if (!hasRoom(length)) {
          isCramped = true;
          break;
        }
        const free = ~code;
        code = words;
        add(free, head, at, length);
        store<u32>(fresh + (<usize>added << 2), i);
        added++;
        valueBytes += offsetLength(nextOffset) + <u32>length;
        nextOffset += <u32>length;
      }
    }
    // A new word is added to the dictionary even if there is no room left for its code.
    if (codes == codesEnd) {
      break;
    }
    store<u32>(codes, code);
    codes += 4;
  }
  taken = <u32>(codes - start) >>> 2;
  return isValid ? 0 : -1;
}
