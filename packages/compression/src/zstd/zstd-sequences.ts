/**
 * The sequences of a Zstandard block (RFC 8878, 3.1.1.3.2): so many literals, then a match. Lengths and distances are
 * codes of three FSE tables, with further bits from the same stream.
 */
import { ByteReader, corrupt } from "@cfile/bytes";
import { BackwardBits } from "./zstd-bits.js";
import {
  buildFseTable,
  type FseTable,
  nextState,
  type ReadFseTable,
  readFseTable,
  singleSymbolTable,
} from "./zstd-fse.js";

/** What blocks of a frame leave for those after them. */
export interface SequenceState {
  readonly tables: [FseTable | undefined, FseTable | undefined, FseTable | undefined];
  /** The distances used last. */
  readonly distances: [number, number, number];
}

/** Where the literals are, and where the output goes. */
export interface SequenceOutput {
  readonly literals: Uint8Array;
  readonly output: Uint8Array;
  /** Where the frame's content begins in `output`: no match reaches before. */
  readonly start: number;
  /** Where this block's content begins. */
  readonly position: number;
}

const FIELD = "Zstandard sequences";

interface Codes {
  readonly counts: readonly number[];
  readonly log: number;
  readonly mostLog: number;
  readonly mostSymbol: number;
}

const LITERAL_LENGTHS: Codes = /* @__PURE__ */ Object.freeze({
  counts: [
    4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1,
    -1, -1,
  ],
  log: 6,
  mostLog: 9,
  mostSymbol: 35,
});
const DISTANCES: Codes = /* @__PURE__ */ Object.freeze({
  counts: [1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1],
  log: 5,
  mostLog: 8,
  mostSymbol: 31,
});
const MATCH_LENGTHS: Codes = /* @__PURE__ */ Object.freeze({
  counts: [
    1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
  ],
  log: 6,
  mostLog: 9,
  mostSymbol: 52,
});
/** In the order of their modes, highest bits first. */
const CODES = [LITERAL_LENGTHS, DISTANCES, MATCH_LENGTHS] as const;

const LITERAL_BASES = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24, 28, 32, 40, 48, 64, 128, 256, 512,
  1024, 2048, 4096, 8192, 16384, 32768, 65536,
];
const LITERAL_BITS = [
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14,
  15, 16,
];
const MATCH_BASES = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
  32, 33, 34, 35, 37, 39, 41, 43, 47, 51, 59, 67, 83, 99, 131, 259, 515, 1027, 2051, 4099, 8195, 16387, 32771,
  65539,
];
const MATCH_BITS = [
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1,
  2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
];

/**
 * Carries out the sequences at `bytes[start..end)`.
 *
 * @returns where the block's content ends in the output
 * @throws CFileError `E_CORRUPT`, `E_TRUNCATED`
 */
export function executeSequences(
  bytes: Uint8Array,
  start: number,
  end: number,
  state: SequenceState,
  into: SequenceOutput,
): number {
  const reader = new ByteReader(bytes, start, end);
  let count = reader.u8(FIELD);
  if (count === 255) {
    count = reader.u16le(FIELD) + 0x7f00;
  } else if (count >= 128) {
    count = ((count - 128) << 8) + reader.u8(FIELD);
  }
  let literalsUsed = 0;
  let position = into.position;
  if (count > 0) {
    const modes = reader.u8(FIELD);
    const [literalTable, distanceTable, matchTable] = readTables(reader, modes, state);
    const stream = new BackwardBits(bytes, reader.position, end);
    let literalState = stream.read(literalTable.accuracyLog);
    let distanceState = stream.read(distanceTable.accuracyLog);
    let matchState = stream.read(matchTable.accuracyLog);
    for (let i = 0; i < count; i++) {
      const distanceCode = distanceTable.symbols[distanceState] as number;
      const matchCode = matchTable.symbols[matchState] as number;
      const literalCode = literalTable.symbols[literalState] as number;
      const distanceValue = 2 ** distanceCode + stream.readLong(distanceCode);
      const match = (MATCH_BASES[matchCode] as number) + stream.read(MATCH_BITS[matchCode] as number);
      const literals =
        (LITERAL_BASES[literalCode] as number) + stream.read(LITERAL_BITS[literalCode] as number);
      const distance = takeDistance(state.distances, distanceValue, literals);
      if (
        literals > into.literals.length - literalsUsed ||
        literals + match > into.output.length - position ||
        distance <= 0 ||
        distance > position + literals - into.start
      ) {
        throw malformed(start);
      }
      position = copySequence(into, position, literalsUsed, literals, distance, match);
      literalsUsed += literals;
      if (i + 1 < count) {
        literalState = nextState(literalTable, literalState, stream);
        matchState = nextState(matchTable, matchState, stream);
        distanceState = nextState(distanceTable, distanceState, stream);
      }
    }
    if (stream.left !== 0) {
      throw malformed(start);
    }
  } else if (reader.remaining > 0) {
    throw malformed(start);
  }
  const rest = into.literals.subarray(literalsUsed);
  if (rest.length > into.output.length - position) {
    throw malformed(start);
  }
  into.output.set(rest, position);
  return position + rest.length;
}

function copySequence(
  { literals, output }: SequenceOutput,
  position: number,
  literalsUsed: number,
  literalLength: number,
  distance: number,
  match: number,
): number {
  let to = position;
  for (let from = literalsUsed; from < literalsUsed + literalLength; from++) {
    output[to++] = literals[from] as number;
  }
  for (let from = to - distance, end = from + match; from < end; from++) {
    output[to++] = output[from] as number;
  }
  return to;
}

/** Values up to 3 stand for one of the last three distances, shifted by one where there are no literals. */
function takeDistance(last: [number, number, number], value: number, literals: number): number {
  const recent = value - 1 + (literals === 0 ? 1 : 0);
  if (value <= 3 && recent === 0) {
    return last[0];
  }
  const distance = value > 3 ? value - 3 : recent === 3 ? last[0] - 1 : (last[recent] as number);
  if (value > 3 || recent > 1) {
    last[2] = last[1];
  }
  last[1] = last[0];
  last[0] = distance;
  return distance;
}

function readTables(reader: ByteReader, modes: number, state: SequenceState): [FseTable, FseTable, FseTable] {
  if ((modes & 3) !== 0) {
    throw malformed(reader.position);
  }
  const read = (index: 0 | 1 | 2): FseTable => {
    const codes = CODES[index];
    const table = readTable(reader, (modes >>> (6 - 2 * index)) & 3, codes, state.tables[index]);
    state.tables[index] = table;
    return table;
  };
  return [read(0), read(1), read(2)];
}

function readTable(reader: ByteReader, mode: number, codes: Codes, last: FseTable | undefined): FseTable {
  switch (mode) {
    case 0:
      return buildFseTable(codes.counts, codes.log);
    case 1: {
      const symbol = reader.u8(FIELD);
      if (symbol > codes.mostSymbol) {
        throw malformed(reader.position);
      }
      return singleSymbolTable(symbol);
    }
    case 2: {
      const { position, end, bytes } = reader;
      const read: ReadFseTable = readFseTable(bytes, position, end, codes.mostLog, codes.mostSymbol);
      reader.skip(read.end - position, FIELD);
      return read.table;
    }
    default:
      if (last === undefined) {
        throw malformed(reader.position);
      }
      return last;
  }
}

function malformed(offset: number) {
  return corrupt("the sequences of a block are malformed", { offset, field: FIELD });
}
