/** Rows of Parquet files as text, from their pages alone: values and levels of every leaf, with any nesting. */
import { memorySink, memorySource } from "@cfile/io";
import { openParquet } from "../src/index.js";
import { expandCodes, type LeafValues } from "../src/pages/leaf-values.js";
import {
  type FilePart,
  type RebuildOptions,
  type RebuiltParquet,
  rebuildParquet,
  walkFile,
} from "../src/recover.js";

/** Texts of the values that are not null. */
function valueTexts(values: LeafValues): string[] {
  const plain = expandCodes(values);
  const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
  const text = (i: number): string =>
    plain.kind === "bool"
      ? String(((plain.bits[i >> 3] as number) >> (i & 7)) & 1)
      : plain.kind === "fixed"
        ? hex(plain.bytes.subarray(i * plain.width, (i + 1) * plain.width))
        : hex(plain.data.subarray(plain.offsets[i], plain.offsets[i + 1]));
  return Array.from({ length: plain.length }, (_, i) => text(i));
}

/** A short summary, because a list of all rows would be unreadable. */
function summary(rows: readonly string[], expected: readonly string[]): string {
  const differing = rows.findIndex((row, i) => row !== expected[i]);
  const first = differing < 0 ? "" : `, row ${differing} is ${rows[differing]}`;
  return `${rows.length} of ${expected.length} rows${first}`;
}

/** Each row as one text. */
export async function rowTexts(bytes: Uint8Array): Promise<string[]> {
  await using file = await openParquet(bytes);
  const rows: string[] = [];
  for (const leaf of file.leaves) {
    const own: string[] = [];
    for (let group = 0; group < file.metadata.row_groups.length; group++) {
      for await (const { data, error } of file.pages(leaf, group)) {
        if (error !== undefined) {
          throw error;
        }
        if (data === undefined) {
          continue;
        }
        const values = valueTexts(data.values);
        let next = 0;
        for (let i = 0; i < data.length; i++) {
          const definition = data.definitions?.[i] ?? leaf.maxDefinition;
          const cell = definition === leaf.maxDefinition ? values[next++] : `-${definition}`;
          const repetition = data.repetitions?.[i] ?? 0;
          if (repetition === 0) {
            own.push(`${cell}`);
          } else {
            own[own.length - 1] += `+${repetition}${cell}`;
          }
        }
      }
    }
    for (const [i, cell] of own.entries()) {
      rows[i] = `${rows[i] ?? ""}|${cell}`;
    }
  }
  return rows;
}

export async function partsOf(bytes: Uint8Array): Promise<FilePart[]> {
  const parts: FilePart[] = [];
  for await (const part of walkFile(memorySource(bytes))) {
    parts.push(part);
  }
  return parts;
}

/** A file, and the rows and pages that must survive a cut. */
export interface Subject {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly rows: readonly string[];
  /** End offsets of pages in the file. */
  readonly pageEnds: readonly number[];
  /** Per row group: its rows, and the pages of each leaf. */
  readonly groups: readonly SubjectGroup[];
}

interface SubjectGroup {
  readonly rows: number;
  readonly leaves: readonly {
    readonly dictionary: Range | undefined;
    readonly pages: readonly SubjectPage[];
  }[];
}

interface Range {
  readonly from: number;
  readonly to: number;
}

interface SubjectPage extends Range {
  readonly rows: number;
  readonly isCoded: boolean;
  /** Whether the header states its rows, which then do not continue in the next page. */
  readonly isCounted: boolean;
}

export async function subjectOf(name: string, bytes: Uint8Array): Promise<Subject> {
  const parts = new Map((await partsOf(bytes)).map((part) => [part.offset, part]));
  await using file = await openParquet(bytes);
  const groups: SubjectGroup[] = [];
  const pageEnds: number[] = [];
  for (let group = 0; group < file.metadata.row_groups.length; group++) {
    const leaves = [];
    for (const leaf of file.leaves) {
      const pages: SubjectPage[] = [];
      let dictionary: Range | undefined;
      for await (const { kind, offset, data, rowCount } of file.pages(leaf, group)) {
        const part = parts.get(offset);
        const range = { from: offset, to: offset + (part?.size ?? 0) };
        pageEnds.push(range.to);
        if (kind === "dictionary") {
          dictionary = range;
        } else if (data !== undefined) {
          const rows =
            data.repetitions?.reduce((sum, level) => sum + (level === 0 ? 1 : 0), 0) ?? data.length;
          const isCounted = leaf.maxRepetition === 0 || rowCount !== undefined;
          pages.push({ ...range, rows, isCounted, isCoded: data.values.kind === "codes" });
        }
      }
      leaves.push({ dictionary, pages });
    }
    groups.push({ rows: file.rowsOfGroup(group), leaves });
  }
  return { name, bytes, rows: await rowTexts(bytes), pageEnds, groups };
}

/** The rows whose pages are whole without the bytes of `lost`. */
export function rowsWithout({ groups, rows }: Subject, ...lost: readonly Range[]): string[] {
  const isLost = (page: Range): boolean => lost.some(({ from, to }) => page.from < to && from < page.to);
  const kept: string[] = [];
  let start = 0;
  for (const group of groups) {
    const own = new Array<boolean>(group.rows).fill(true);
    for (const { pages, dictionary } of group.leaves) {
      const isBare = dictionary !== undefined && isLost(dictionary);
      let row = 0;
      for (const [i, page] of pages.entries()) {
        const next = pages[i + 1];
        const unusable = (other: SubjectPage): boolean => isLost(other) || (isBare && other.isCoded);
        // Its last row may continue in a lost page.
        const to = row + page.rows - (!page.isCounted && next !== undefined && unusable(next) ? 1 : 0);
        own.fill(false, unusable(page) ? row : to, row + page.rows);
        row += page.rows;
      }
    }
    kept.push(...rows.slice(start, start + group.rows).filter((_, i) => own[i]));
    start += group.rows;
  }
  return kept;
}

/** Recovers a file and reads the result. */
export async function rebuilt(
  bytes: Uint8Array,
  options: RebuildOptions,
): Promise<{ readonly rows: string[]; readonly ledger: RebuiltParquet; readonly bytes: Uint8Array }> {
  const sink = memorySink();
  const ledger = await rebuildParquet(bytes, sink, options);
  return { rows: await rowTexts(sink.bytes()), ledger, bytes: sink.bytes() };
}

/** Bytes of the metadata, their length, and the magic number. */
export const footerSize = (bytes: Uint8Array): number =>
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.length - 8, true) + 8;

/** Differences between recovered and expected rows; empty if they are equal. */
export function difference(what: string, rows: readonly string[], expected: readonly string[]): string[] {
  const [found, wanted] = [summary(rows, expected), summary(expected, expected)];
  return found === wanted ? [] : [`${what}: ${found}`];
}
