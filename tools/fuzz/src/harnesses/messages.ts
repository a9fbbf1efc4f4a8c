/**
 * Messages and small blocks that are parsed as a whole: headers, footers, index nodes, deltas, manifests,
 * filters.
 */
import { parseBloomBlock } from "@cfile/bloomfile";
import { fromHex } from "@cfile/bytes";
import {
  decodeArrayCell,
  decodeCell,
  decodeDeltaKey,
  decodeRowChangeList,
  encodeArrayCell,
  MutationCursor,
} from "@cfile/deltafile";
import { parseDeltaStats } from "@cfile/deltafile/write";
import { DATA_TYPES, type DataType } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import { parseFooter, parseHeader } from "@cfile/format";
import { encodeFooter, encodeHeader } from "@cfile/format/write";
import { parseHudiBloomFilter } from "@cfile/hfile";
import { IndexBlock } from "@cfile/index-btree";
import { parseManifest } from "@cfile/rowset/store";
import { defineHarness } from "../define-harness.js";
import { goldenJson, goldenNames, hexSubjects } from "../files/golden-data.js";
import { goldenFiles } from "../files/golden-file.js";
import { smallRowSet } from "../files/small-row-set.js";
import type { Harness, Subject } from "../harness.js";
import { mutateFields } from "../mutate-fields.js";

const LARGEST_FILE = 20_000;
const PAIRS = [{ key: "key", value: Uint8Array.of(1, 2, 3) }];

const indexBlocks = defineHarness({
  name: "index blocks",
  share: 700,
  load: async () => {
    const found: Subject[] = [];
    for (const { name, bytes, indexBlocks: blocks, footer, checksums } of await goldenFiles(LARGEST_FILE)) {
      if ((footer.compression ?? "NO_COMPRESSION") === "NO_COMPRESSION") {
        for (const { offset, size } of blocks) {
          const block = bytes.slice(offset, offset + size - (checksums ? 4 : 0));
          found.push({ name: `${name}, index block at ${offset}`, bytes: block });
        }
      }
    }
    return found.filter(({ bytes }) => bytes.length <= 2000);
  },
  mutate: (subject, random) => mutateFields(subject.bytes, random),
  act: (bytes, _subject, random) => {
    const block = IndexBlock.parse(bytes);
    for (let entry = 0; entry < block.count; entry++) {
      block.pointer(entry);
      block.key(entry);
    }
    return block.search(bytes.subarray(0, random.below(9)));
  },
});

const footers = defineHarness({
  name: "headers and footers",
  share: 500,
  load: async () => {
    const files = await goldenFiles(LARGEST_FILE);
    return files.flatMap(({ name, footer }) => [
      { name: `${name}, footer`, bytes: encodeFooter(footer), part: "footer" },
      {
        name: `${name}, header`,
        bytes: encodeHeader([...footer.metadata, ...PAIRS], true).slice(12, -4),
        part: "header",
      },
    ]);
  },
  mutate: (subject, random) => mutateFields(subject.bytes, random),
  act: (bytes, { part }) => (part === "footer" ? parseFooter(bytes) : parseHeader(bytes, 2)),
});

interface DeltaJson {
  readonly schema: readonly {
    readonly id: number;
    readonly type: DataType;
    readonly nullable: boolean;
  }[];
  readonly delta_stats_raw: string;
  readonly deltas: readonly { readonly key_hex: string; readonly changelist_hex: string }[];
}

const deltaParts = defineHarness({
  name: "delta keys, change lists and statistics",
  share: 600,
  load: () =>
    goldenNames("deltafile/", ".json").flatMap((name) => {
      const { schema, deltas, delta_stats_raw } = goldenJson<DeltaJson>(name);
      const some = deltas.slice(0, 200);
      const columns = new Map(schema.map((column) => [column.id, column]));
      return [
        ...hexSubjects(
          `${name} key`,
          some.map(({ key_hex }) => key_hex),
        ).map((key) => ({ ...key, part: "key" })),
        ...hexSubjects(
          `${name} list`,
          some.map(({ changelist_hex }) => changelist_hex),
        ).map((list) => ({
          ...list,
          part: "list",
        })),
        { name: `${name} statistics`, bytes: fromHex(delta_stats_raw), part: "statistics" },
      ].map((subject) => ({ ...subject, columns }));
    }),
  mutate: (subject, random) => mutateFields(subject.bytes, random),
  act: (bytes, { part, columns }) => {
    if (part === "key") {
      return decodeDeltaKey(bytes);
    }
    if (part === "statistics") {
      return parseDeltaStats(bytes);
    }
    const { mutations } = decodeRowChangeList(bytes);
    const cursor = new MutationCursor().resetTo(mutations, 0, mutations.length);
    while (cursor.next()) {
      const column = columns.get(cursor.columnId);
      if (column !== undefined) {
        decodeCell(column, cursor);
      }
    }
    return mutations.length;
  },
});

const ELEMENTS: Partial<Record<DataType, readonly (number | bigint | string | boolean | null)[]>> = {
  INT8: [1, null, -3],
  INT64: [1n, 2n ** 40n, null],
  DOUBLE: [0.5, null],
  BOOL: [true, false, null],
  STRING: ["", "abc", null, "a longer one"],
  BINARY: [],
};

const arrayCells = defineHarness({
  name: "array cells of deltas",
  share: 200,
  load: () =>
    Object.entries(ELEMENTS).map(([name, elements]) => {
      const type = name as DataType;
      const cells = batchFromValues({ type, nullable: true }, elements);
      return { name, type, bytes: cells.kind === "array" ? new Uint8Array(0) : encodeArrayCell(cells) };
    }),
  mutate: (subject, random) => mutateFields(subject.bytes, random),
  act: (bytes, { type }, random) => {
    const read = random.below(4) === 0 ? random.pick(Object.keys(DATA_TYPES) as DataType[]) : type;
    return decodeArrayCell(bytes, read).toArray();
  },
});

interface FilterJson {
  readonly bloom_filters: readonly { readonly n_hashes: number; readonly bitmap: string }[];
}

const bloomBlocks = defineHarness({
  name: "Bloom blocks",
  share: 200,
  load: () =>
    goldenJson<FilterJson>("blocks/primitives.json").bloom_filters.map(({ n_hashes, bitmap }, i) => ({
      name: `filter ${i}`,
      bytes: Uint8Array.from([2, 0, 0, 0, 8, n_hashes, ...fromHex(bitmap)]),
    })),
  mutate: (subject, random) => mutateFields(subject.bytes, random),
  act: (bytes) => parseBloomBlock(bytes).mayContain(bytes.subarray(0, 5)),
});

const hudiFilters = defineHarness({
  name: "Bloom filters of Hudi",
  share: 100,
  load: () => {
    const simple = new Uint8Array(13 + 16);
    const view = new DataView(simple.buffer);
    view.setInt32(0, 128);
    view.setInt32(4, 3);
    view.setInt8(8, 1);
    view.setInt32(9, 128);
    return [{ name: "simple", bytes: simple }];
  },
  mutate: (subject, random) => mutateFields(subject.bytes, random),
  act: (bytes, _subject, random) => {
    const text = new TextEncoder().encode(Buffer.from(bytes).toString("base64"));
    return parseHudiBloomFilter(
      random.below(3) === 0 ? bytes : text,
      random.below(5) === 0 ? "OTHER" : undefined,
    );
  },
});

const manifests = defineHarness({
  name: "row set manifests",
  share: 200,
  load: async () => {
    const { manifest } = await smallRowSet();
    return [{ name: "a small row set", bytes: manifest }];
  },
  mutate: (subject, random) => mutateFields(subject.bytes, random),
  act: (bytes) => parseManifest(bytes, "rowset.json"),
});

export const MESSAGES: readonly Harness[] = [
  indexBlocks,
  footers,
  deltaParts,
  arrayCells,
  bloomBlocks,
  hudiFilters,
  manifests,
];
