/**
 * The sequences of a Zstandard block (RFC 8878, 3.1.1.3.2): a number of literals, then a match. Codes of three FSE tables
 * stand for lengths and distances, with extra bits from the same stream.
 */
import type { ByteReader } from "@cfile/bytes";
import { BackwardBits, malformed } from "./zstd-bits.js";
import { buildFseTable, type FseTable, nextState, readFseTable, singleSymbolTable } from "./zstd-fse.js";

/** State that each block of a frame passes on to the next. */
export interface SequenceState {
  readonly tables: (FseTable | undefined)[];
  /** The last three distances. */
  readonly distances: [number, number, number];
}

/** The literals and the output. */
export interface SequenceOutput {
  readonly literals: Uint8Array;
  readonly output: Uint8Array;
  /** Start of the frame's content in `output`: no match reaches before it. */
  readonly start: number;
  /** Start of this block's content. */
  readonly position: number;
}

const FIELD = "Zstandard sequences";

interface Codes {
  readonly counts: readonly number[];
  readonly log: number;
}

/** Default distributions of literal lengths, distances and match lengths, in the order of their mode bits, highest first. */
const CODES: readonly [Codes, Codes, Codes] = [
  {
    log: 6,
    counts: [
      4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1,
      -1, -1,
    ],
  },
  {
    log: 5,
    counts: [
      1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, 0, 0, 0,
    ],
  },
  {
    log: 6,
    counts: [
      1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
      1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
    ],
  },
];

/** Extra bits of each code. */
const LITERAL_BITS = [
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14,
  15, 16,
];
const MATCH_BITS = [
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1,
  2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
];
/** The minimum length of each code. */
const LITERAL_BASES = /* @__PURE__ */ basesOf(0, LITERAL_BITS);
const MATCH_BASES = /* @__PURE__ */ basesOf(3, MATCH_BITS);

/** Each code covers the lengths that follow those of the previous code. */
function basesOf(first: number, bits: readonly number[]): Uint32Array {
  const bases = new Uint32Array(bits.length).fill(first);
  for (let i = 1; i < bits.length; i++) {
    bases[i] = (bases[i - 1] as number) + 2 ** (bits[i - 1] as number);
  }
  return bases;
}

/**
 * Executes the sequences in the rest of a block.
 *
 * @returns the end of the block's content in the output
 * @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED`
 */
export function executeSequences(reader: ByteReader, state: SequenceState, into: SequenceOutput): number {
  const { output, literals: input } = into;
  const { position: start } = reader;
  let count = reader.u8(FIELD);
  if (count === 255) {
    count = reader.u16le(FIELD) + 0x7f00;
  } else if (count >= 128) {
    count = ((count - 128) << 8) + reader.u8(FIELD);
  }
  let literalsUsed = 0;
  let position = into.position;
  if (count > 0) {
    const [literalTable, distanceTable, matchTable] = readTables(reader, state);
    const stream = new BackwardBits(reader);
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
        literals > input.length - literalsUsed ||
        literals + match > output.length - position ||
        distance <= 0 ||
        distance > position + literals - into.start
      ) {
        throw malformed(FIELD, start);
      }
      for (const last = literalsUsed + literals; literalsUsed < last; ) {
        output[position++] = input[literalsUsed++] as number;
      }
      for (const last = position + match; position < last; position++) {
        output[position] = output[position - distance] as number;
      }
      if (i + 1 < count) {
        literalState = nextState(literalTable, literalState, stream);
        matchState = nextState(matchTable, matchState, stream);
        distanceState = nextState(distanceTable, distanceState, stream);
      }
    }
    if (stream.left !== 0) {
      throw malformed(FIELD, start);
    }
  } else if (reader.remaining > 0) {
    throw malformed(FIELD, start);
  }
  const rest = input.subarray(literalsUsed);
  if (rest.length > output.length - position) {
    throw malformed(FIELD, start);
  }
  output.set(rest, position);
  return position + rest.length;
}

/** Values up to 3 stand for one of the last three distances, shifted by one when there are no literals. */
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

function readTables(reader: ByteReader, state: SequenceState): [FseTable, FseTable, FseTable] {
  const modes = reader.u8(FIELD);
  if ((modes & 3) !== 0) {
    throw malformed(FIELD, reader.position);
  }
  const read = (index: 0 | 1 | 2): FseTable => {
    const table = readTable(reader, (modes >>> (6 - 2 * index)) & 3, CODES[index], state.tables[index]);
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
      if (symbol >= codes.counts.length) {
        throw malformed(FIELD, reader.position);
      }
      return singleSymbolTable(symbol);
    }
    case 2:
      return readFseTable(reader, codes.log + 3, codes.counts.length - 1);
    default:
      if (last === undefined) {
        throw malformed(FIELD, reader.position);
      }
      return last;
  }
}
