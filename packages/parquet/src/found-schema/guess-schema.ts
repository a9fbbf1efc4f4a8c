/**
 * Guesses the columns of a file when no schema is known: from types and levels of its pages, and the period at which they recur. A chunk
 * starts at a dictionary, where the type changes, and when the previous chunk has all rows of the row group.
 */
import type { SchemaElement } from "hyparquet";
import { isCoded } from "../layout/page-fit.js";
import type { PageStore } from "../layout/page-store.js";
import type { FoundPages } from "../layout/page-tokens.js";
import type { LeafValues } from "../pages/leaf-values.js";
import {
  closerType,
  guessDictionary,
  guessedElements,
  guessPage,
  type PageGuess,
  type WordsGuess,
} from "./guess-pages.js";

/** Consecutive pages of the same type, from one or several chunks. */
interface Stretch {
  readonly key: string;
  readonly guess: PageGuess;
  /** Rows of each page. */
  readonly rows: number[];
  readonly samples: LeafValues[];
  /** Whether it is known to be exactly one chunk. */
  readonly isSingle: boolean;
}

interface GuessedChunk {
  readonly stretch: Stretch;
  readonly rows: number;
}

const MAX_SAMPLES = 4;
const MAX_TRIES = 200;

/** A guessed column. */
export interface GuessedColumn {
  readonly elements: readonly SchemaElement[];
}

/** The columns; empty if there are no readable pages. */
export async function guessColumns(found: FoundPages, store: PageStore): Promise<readonly GuessedColumn[]> {
  const stretches = await stretchesOf(found, store);
  const [first] = stretches;
  if (first === undefined) {
    return [];
  }
  let best: readonly GuessedChunk[] = [];
  for (const rows of groupSizes(first)) {
    const period = periodOf(chunksOf(stretches, rows));
    if (period.length > best.length) {
      best = period;
    }
  }
  return best.map(({ stretch }, i) => columnOf(stretch, `c${i}`));
}

/** Possible row counts of the first row group: the sums after each page of its first chunk. */
function groupSizes({ rows, isSingle }: Stretch): number[] {
  const sums: number[] = [];
  rows.reduce((sum, own) => {
    sums.push(sum + own);
    return sum + own;
  }, 0);
  return isSingle ? sums.slice(-1) : sums.slice(-MAX_TRIES).reverse();
}

async function stretchesOf(
  { pages, gapBefore, startsChunk }: FoundPages,
  store: PageStore,
): Promise<Stretch[]> {
  const stretches: Stretch[] = [];
  let words: WordsGuess | undefined;
  let isOpen = false;
  let isAfterWords = false;
  for (const [i, part] of pages.entries()) {
    if (part.crc === "wrong" || gapBefore[i] === true) {
      isOpen = false;
      words = undefined;
    }
    if (part.crc === "wrong") {
      continue;
    }
    if (part.header.kind === "dictionary") {
      words = await guessDictionary(part, store);
      isAfterWords = true;
      isOpen = false;
      continue;
    }
    isOpen &&= startsChunk[i] !== true;
    const guess = await guessPage(part, words, store);
    if (guess === undefined) {
      isOpen = false;
      continue;
    }
    const key = `${guess.form} ${guess.type} ${guess.length ?? ""}`;
    const last = stretches.at(-1);
    const values = isCoded(part.header) ? (words?.values ?? guess.values) : guess.values;
    const samples = values === undefined ? [] : [values];
    if (isOpen && last?.key === key) {
      last.rows.push(guess.rows);
      if (last.samples.length < MAX_SAMPLES) {
        last.samples.push(...samples);
      }
    } else {
      const isSingle = isAfterWords || startsChunk[i] === true;
      stretches.push({ key, guess, rows: [guess.rows], samples, isSingle });
    }
    isOpen = true;
    isAfterWords = false;
  }
  return stretches;
}

/** Chunks of `rows` rows each; a stretch that is known to be one chunk has its own number of rows. */
function chunksOf(stretches: readonly Stretch[], rows: number): GuessedChunk[] {
  const chunks: GuessedChunk[] = [];
  let size = rows;
  for (const stretch of stretches) {
    let sum = 0;
    for (const own of stretch.rows) {
      sum += own;
      if (sum === size && !stretch.isSingle) {
        chunks.push({ stretch, rows: sum });
        sum = 0;
      }
    }
    if (sum > 0) {
      chunks.push({ stretch, rows: sum });
      size = stretch.isSingle || sum < size ? sum : size;
    }
  }
  return chunks;
}

/** The chunks of the first row group: the shortest sequence of types that recurs, with equal rows in each round but the last. */
function periodOf(chunks: readonly GuessedChunk[]): readonly GuessedChunk[] {
  for (let length = 1; length < chunks.length; length++) {
    const isPeriod = chunks.every(({ stretch, rows }, i) => {
      const start = chunks[i - (i % length)];
      const isLastRound = i - (i % length) + length >= chunks.length;
      return stretch.key === chunks[i % length]?.stretch.key && (isLastRound || rows === start?.rows);
    });
    // Two equal small row groups are more likely to be one with more columns.
    const isForced =
      chunks.some(({ rows }) => rows !== chunks[0]?.rows) ||
      (chunks[0]?.rows ?? 0) >= 1024 ||
      chunks.length > 2 * length;
    const isVaried = new Set(chunks.slice(0, length).map(({ stretch }) => stretch.key)).size > 1;
    if (isPeriod && isForced && isVaried && chunks.length > length) {
      return chunks.slice(0, length);
    }
  }
  // One row group: all chunks have the rows of the first; the last may be cut.
  const end = chunks.findIndex(({ rows }) => rows !== chunks[0]?.rows);
  return end < 0 || end === chunks.length - 1 ? chunks : chunks.slice(0, end);
}

function columnOf({ guess, samples }: Stretch, name: string): GuessedColumn {
  const { form, type, length } = guess;
  const leaf = { ...closerType(type, samples), ...(length === undefined ? {} : { type_length: length }) };
  return { elements: guessedElements(name, form, leaf) };
}
