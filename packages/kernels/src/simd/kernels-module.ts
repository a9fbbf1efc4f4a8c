/** The exports of the WebAssembly modules. */

/** `assembly/decoders.ts` */
export interface DecodersModule {
  heapBase(): number;
  crc32c(start: number, length: number, previous: number): number;
  lz4Decode(src: number, srcEnd: number, dst: number, dstEnd: number): number;
  bitUntranspose(rows: number, count: number, size: number, elements: number): void;
  bitshuffleDecode(src: number, srcEnd: number, dst: number, count: number, size: number): number;
  snappyDecode(src: number, srcEnd: number, dst: number, dstEnd: number): number;
  readOffsets(src: number, srcEnd: number, count: number, first: number, last: number, out: number): number;
  widenCodes(src: number, count: number, size: number, dst: number): number;
  rleLastRun(at: number, end: number, width: number, skipped: number, count: number): number;
  rleReached(): number;
  rleValues(at: number, end: number, width: number, skipped: number, count: number, dst: number): void;
  scatter(src: number, srcEnd: number, validity: number, rows: number, width: number, dst: number): number;
  dictionaryOffsets(
    codes: number,
    count: number,
    starts: number,
    words: number,
    length: number,
    maxBytes: number,
    offsets: number,
  ): number;
  dictionaryValues(codes: number, count: number, starts: number, data: number, dst: number): void;
  prefixValues(
    block: number,
    entries: number,
    end: number,
    count: number,
    interval: number,
    maxBytes: number,
    offsets: number,
    data: number,
    room: number,
  ): number;
}

/** `assembly/encoders.ts` */
export interface EncodersModule {
  heapBase(): number;
  lz4Encode(src: number, length: number, dst: number): number;
  bitTranspose(elements: number, count: number, size: number, rows: number): void;
  bitshuffleEncode(src: number, count: number, size: number, dst: number): number;
  snappyEncode(src: number, length: number, dst: number): number;
  snappyEncodeFast(src: number, length: number, dst: number): number;
  gather(src: number, validity: number, rows: number, width: number, dst: number): number;
  writeOffsets(src: number, count: number, dst: number): number;
  narrowWords(src: number, count: number, dst: number): number;
  prefixEncode(
    offsets: number,
    count: number,
    data: number,
    length: number,
    last: number,
    lastLength: number,
    untilRestart: number,
    interval: number,
    isFirst: number,
    entries: number,
    room: number,
    out: number,
    restarts: number,
  ): number;
  prefixTaken(): number;
  prefixRestarts(): number;
}

/** `assembly/words.ts` */
export interface WordsModule {
  heapBase(): number;
  clear(slots: number, slotCount: number, entries: number, bytes: number, room: number): void;
  learn(offsets: number, count: number, data: number): number;
  findCodes(
    offsets: number,
    count: number,
    data: number,
    dataEnd: number,
    room: number,
    nextOffset: number,
    valueBytes: number,
    blockSize: number,
    codes: number,
    fresh: number,
  ): number;
  codesTaken(): number;
  wordsAdded(): number;
  isOutOfRoom(): number;
}

/** `assembly/rows.ts` */
export interface RowsModule {
  heapBase(): number;
  bloomProbe(
    keys: number,
    offsets: number,
    width: number,
    dataEnd: number,
    count: number,
    bits: number,
    bitCount: number,
    hashCount: number,
    answers: number,
  ): number;
  integerKeys(src: number, length: number, power: number, flip: number, dst: number): void;
  firstDescent(data: number, offsets: number, dataEnd: number, count: number): number;
  integerDescent(data: number, power: number, flip: number, repeat: boolean, count: number): number;
  countOnes(at: number, length: number): number;
  deltaEntries(
    data: number,
    offsets: number,
    dataEnd: number,
    count: number,
    rows: number,
    timestamps: number,
    types: number,
    mutationOffsets: number,
    mutations: number,
  ): number;
  deltaSummary(): number;
}

/** `assembly/pages.ts` */
export interface PagesModule {
  heapBase(): number;
  crc32(start: number, length: number, previous: number): number;
  lengthPrefixed(data: number, offsets: number, dataEnd: number, count: number, dst: number): number;
  integerBounds(at: number, power: number, isUnsigned: boolean, count: number): number;
  isAscii(at: number, length: number): number;
  stringMaximum(data: number, offsets: number, dataEnd: number, count: number): number;
  stringMinimum(): number;
  xxhashStrings(data: number, offsets: number, dataEnd: number, count: number, hashes: number): number;
  xxhashValues(data: number, width: number, count: number, hashes: number): void;
  fillBloom(hashes: number, count: number, bits: number, blocks: number): void;
  foldBloom(bits: number, blocks: number, limit: number): number;
}

/** `assembly/digest.ts` */
export interface DigestModule {
  heapBase(): number;
  clearKeys(keys: number, count: number): void;
  foldCells(
    words: number,
    form: number,
    count: number,
    validity: number,
    seedLow: number,
    seedHigh: number,
    keys: number,
    from: number,
    to: number,
  ): number;
  sumRows(rows: number, count: number): number;
  hashStrings(data: number, offsets: number, dataEnd: number, count: number, hashes: number): number;
}
