/** Made timelines: states, plans and archives that the golden tables lack, and damage in them. */
import { batchFromValues } from "@cfile/encodings/batches";
import { memorySink, memoryTree } from "@cfile/io";
import { exportParquet } from "@cfile/parquet/write";
import { describe, expect, test } from "vitest";
import { compareLogFiles, type LogFile, parseFileName } from "../src/slices/file-names.js";
import { latestSlices, sliceRules } from "../src/slices/file-slices.js";
import { TableFiles } from "../src/table/table-files.js";
import { parseTableProperties } from "../src/table/table-properties.js";
import { earliestReadable, requireReadable } from "../src/timeline/as-of.js";
import { countOf, entriesOf, itemsOf, recordOf, textOf } from "../src/timeline/content-fields.js";
import { instantName, parseInstantName } from "../src/timeline/instant.js";
import {
  commitContent,
  compactionGroups,
  isClusteringRequest,
  parseContent,
  rolledBackInstants,
} from "../src/timeline/instant-content.js";
import { Timeline, withPath } from "../src/timeline/timeline.js";
import { blockOf, logOf } from "./made-logs.js";

const utf8 = (text: string) => new TextEncoder().encode(text);
const refused = (code: string, field: string) => expect.objectContaining({ code, field });
/** Instants of one day. */
const T = (number: number) => `202611220000000${String(number).padStart(2, "0")}`;

/** The timeline of a table, by the names of its files. @param files contents as text, or as values that are stored as JSON */
function timelineOf(
  version: 6 | 9,
  files: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, Uint8Array>> = {},
) {
  const folder = version === 6 ? ".hoodie" : ".hoodie/timeline";
  const entries = Object.entries(files).map(([name, content]): [string, Uint8Array] => [
    `${folder}/${name}`,
    utf8(typeof content === "string" ? content : JSON.stringify(content)),
  ]);
  const tree = memoryTree(new Map([...entries, ...Object.entries(other)]));
  return Timeline.load(new TableFiles(tree), parseTableProperties(utf8(`hoodie.table.version=${version}`)));
}

describe("instants", () => {
  test.each([
    [`${T(1)}.commit.unknown`, 1],
    [`${T(1)}.strange`, 1],
    [`${T(1)}.commit`, 2],
    [`${T(1)}_${T(2)}.commit.requested`, 2],
    ["1.commit", 1],
  ] as const)("%s is not one in layout %d", (name, layout) => {
    expect(parseInstantName(name, layout)).toBeUndefined();
  });

  test.each([
    ["commit", "INFLIGHT", undefined, `${T(1)}.inflight`],
    ["deltacommit", "INFLIGHT", undefined, `${T(1)}.deltacommit.inflight`],
    ["commit", "COMPLETED", undefined, `${T(1)}.commit`],
    ["commit", "COMPLETED", T(2), `${T(1)}_${T(2)}.commit`],
    ["clean", "REQUESTED", undefined, `${T(1)}.clean.requested`],
  ] as const)("%s, %s, at %s is in %s", (action, state, completionTime, name) => {
    expect(instantName({ time: T(1), action, state, completionTime })).toBe(name);
  });
});

describe("timelines", () => {
  test("begin with the first write if each has a savepoint", async () => {
    const timeline = await timelineOf(6, { [`${T(5)}.commit`]: {}, [`${T(5)}.savepoint`]: {} });
    expect([timeline.start, timeline.isArchived(T(4)), timeline.isCompletedWrite(T(5))]).toEqual([
      T(5),
      true,
      true,
    ]);
    expect((await timelineOf(6, {})).isArchived(T(4))).toBe(false);
  });

  test("take the time of the request where none of the completion is known", async () => {
    const timeline = await timelineOf(6, { [`${T(5)}.commit`]: {}, [`${T(6)}.deltacommit.inflight`]: {} });
    const times = await timeline.completionTimes([T(1), T(5), T(6)]);
    expect([...times]).toEqual([
      [T(1), T(1)],
      [T(5), T(5)],
    ]);
  });

  test("have the first of several replacements of a file group", async () => {
    const replace = { partitionToReplaceFileIds: { p: ["a", null, "b"] } };
    const timeline = await timelineOf(9, {
      [`${T(1)}_${T(2)}.replacecommit`]: { partitionToReplaceFileIds: { p: ["a"] } },
      [`${T(3)}_${T(4)}.replacecommit`]: replace,
      [`${T(5)}_${T(6)}.commit`]: {},
    });
    expect([...(await timeline.replacedGroups())]).toEqual([
      ["p\0a", T(1)],
      ["p\0b", T(3)],
    ]);
    const names = ["a", "b", "c"].map((id) => `${id}_0-1-2_${T(1)}.parquet`);
    const slices = async (asOf?: string) =>
      (await latestSlices("p", names, await sliceRules(timeline), asOf)).map(({ fileId }) => fileId).join("");
    expect([await slices(), await slices(T(3)), await slices(T(2)), await slices(T(0))]).toEqual([
      "c",
      "c",
      "bc",
      "",
    ]);
  });

  test("have pending writes without those that cluster", async () => {
    const timeline = await timelineOf(6, {
      [`${T(1)}.replacecommit.requested`]: { clusteringPlan: {} },
      [`${T(2)}.replacecommit.requested`]: { clusteringPlan: null },
      [`${T(3)}.replacecommit.inflight`]: {},
      [`${T(4)}.replacecommit.requested`]: "",
      [`${T(5)}.compaction.requested`]: { operations: [] },
      [`${T(6)}.inflight`]: "",
    });
    expect((await timeline.pendingWrites()).map(({ time }) => time)).toEqual([T(2), T(3), T(4), T(6)]);
    await expect(requireReadable(timeline, T(2))).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      field: "asOf",
    });
    await expect(requireReadable(timeline, "yesterday")).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
    });
    expect(await requireReadable(timeline, T(1))).toBeUndefined();
  });

  test.each([
    ["an instant", { earliestCommitToRetain: T(2) }, T(2)],
    ["none", { earliestCommitToRetain: "" }, T(1)],
    ["nothing", {}, T(1)],
  ])("cleaned up to %s are readable from there on", async (_, clean, earliest) => {
    const timeline = await timelineOf(9, {
      [`${T(1)}_${T(2)}.commit`]: {},
      [`${T(3)}_${T(4)}.clean`]: clean,
    });
    expect(await earliestReadable(timeline)).toBe(earliest);
    await expect(requireReadable(timeline, T(0))).rejects.toMatchObject({ code: "E_HISTORY_GONE" });
  });

  test.each<[string, Record<string, unknown>]>([
    ["without its request", { [`${T(5)}.compaction.inflight`]: "" }],
    ["with an empty request", { [`${T(5)}.compaction.requested`]: "" }],
    [
      "with a group without an ID",
      { [`${T(5)}.compaction.requested`]: { operations: [{ partitionPath: "p" }] } },
    ],
    ["with a request that is text", { [`${T(5)}.compaction.requested`]: "plan" }],
  ])("with a pending compaction %s are refused", async (_, files) => {
    for (const version of [6, 9] as const) {
      const timeline = await timelineOf(version, files);
      const folder = version === 6 ? ".hoodie" : ".hoodie/timeline";
      await expect(timeline.pendingCompactions()).rejects.toMatchObject({
        code: "E_CORRUPT",
        path: `memory/${folder}/${T(5)}.compaction.requested`,
      });
    }
  });

  test("pass on errors that are not theirs", () => {
    const error = new RangeError("a bug");
    expect(withPath(error, "path")).toBe(error);
  });
});

describe("files of a partition", () => {
  test("of layout 1 count if the write of their slice does, or a pending compaction begins it", async () => {
    const operations = [{ fileId: "a", partitionPath: "p" }];
    const timeline = await timelineOf(6, {
      [`${T(1)}.deltacommit`]: {},
      [`${T(5)}.compaction.requested`]: { operations },
      [`${T(7)}.deltacommit.inflight`]: "",
    });
    const names = [
      `a_0-1-2_${T(1)}.parquet`,
      // From a second attempt; the last name counts.
      `a_0-2-3_${T(1)}.parquet`,
      `a_0-0-1_${T(1)}.parquet`,
      `a_0-1-2_${T(7)}.parquet`,
      `.a_${T(1)}.log.2_0-1-2`,
      `.a_${T(1)}.log.1`,
      `.a_${T(1)}.log.1_0-1-2.cdc`,
      `.a_${T(5)}.log.1_0-1-2`,
      `.a_${T(7)}.log.1_0-1-2`,
      "other",
    ];
    expect(await latestSlices("p", names, await sliceRules(timeline))).toEqual([
      {
        partition: "p",
        fileId: "a",
        baseInstant: T(1),
        baseFile: `a_0-2-3_${T(1)}.parquet`,
        logFiles: [`.a_${T(1)}.log.1`, `.a_${T(1)}.log.2_0-1-2`, `.a_${T(5)}.log.1_0-1-2`],
      },
    ]);
  });

  test("are ordered by time, version, token and suffix", () => {
    const names = [
      `.a_${T(1)}.log.1`,
      `.a_${T(1)}.log.1_0`,
      `.a_${T(1)}.log.1_0-1`,
      `.a_${T(1)}.log.1_0-1.cdc`,
      `.a_${T(1)}.log.1_0-2`,
      `.a_${T(1)}.log.2`,
      `.a_${T(1)}.log.10`,
      `.a_${T(2)}.log.1`,
    ];
    const files = names.map((name) => parseFileName(name) as LogFile);
    expect(
      [...files]
        .reverse()
        .sort(compareLogFiles)
        .map(({ name }) => name),
    ).toEqual(names);
    expect(compareLogFiles(files[2] as LogFile, files[1] as LogFile)).toBeGreaterThan(0);
  });
});

describe("contents", () => {
  test.each([
    ["nothing", "", undefined],
    ["JSON", '{"a":1}', { a: 1 }],
  ])("of %s", async (_, text, content) => {
    expect(await parseContent(utf8(text))).toEqual(content);
  });

  test.each(["[]", "7", "x", '"text"', "null"])("%s are refused", async (text) => {
    await expect(parseContent(utf8(text))).rejects.toMatchObject({ code: "E_CORRUPT" });
  });

  test.each<[string, () => unknown]>([
    ["record", () => recordOf([], "field")],
    ["map", () => entriesOf(7, "field")],
    ["array", () => itemsOf({}, "field")],
    ["text", () => textOf(7, "field")],
    ["count that is text", () => countOf("7", "field")],
    ["count that is a fraction", () => countOf(1.5, "field")],
  ])("with a wrong %s are refused", (_, read) => {
    expect(read).toThrow(refused("E_CORRUPT", "field"));
  });

  test("may lack fields", () => {
    expect([
      entriesOf(null, ""),
      itemsOf(undefined, ""),
      textOf(null, ""),
      countOf(null, ""),
      countOf(undefined, ""),
    ]).toEqual([[], [], undefined, 0, 0]);
    const stats = [{ path: "p/a" }, { fileId: "a" }, { path: "p/a", fileId: "a" }];
    expect(
      commitContent({ partitionToWriteStats: { p: stats }, extraMetadata: { schema: "" } } as never),
    ).toEqual({
      stats: [{ partition: "p", fileId: "a", path: "p/a", size: 0 }],
      replaced: new Map(),
      schema: undefined,
      operation: undefined,
    });
    expect(compactionGroups({ operations: [{ fileId: "a" }] } as never)).toEqual([
      { partition: "", fileId: "a" },
    ]);
    expect([isClusteringRequest(undefined), isClusteringRequest({ clusteringPlan: {} })]).toEqual([
      false,
      true,
    ]);
  });

  test("name the writes that were rolled back", () => {
    expect(rolledBackInstants({ commitsRollback: [T(1), null, T(2)] } as never)).toEqual([T(1), T(2)]);
  });
});

describe("archives of layout 2", () => {
  const FOLDER = ".hoodie/timeline/history";

  async function history(rows: readonly (readonly (string | null)[])[]): Promise<Uint8Array> {
    const columns = ["instantTime", "completionTime", "action"].map(
      (name) => ({ name, type: "STRING", nullable: true, array: false }) as const,
    );
    const sink = memorySink();
    async function* batches() {
      const cells = columns.map((column, i) =>
        batchFromValues(
          column,
          rows.map((row) => row[i] ?? null),
        ),
      );
      yield { length: rows.length, firstRow: 0, names: columns.map(({ name }) => name), columns: cells };
    }
    await exportParquet(sink, { columns, rows: batches() });
    return sink.bytes();
  }

  const archived = async (files: Readonly<Record<string, Uint8Array | string>>) => {
    const entries = Object.entries(files).map(([name, content]) => [
      `${FOLDER}/${name}`,
      typeof content === "string" ? utf8(content) : content,
    ]);
    return (await timelineOf(9, {}, Object.fromEntries(entries))).archived();
  };
  const manifest = '{"files":[{"fileName":"a.parquet"}]}';

  test.each<[string, Record<string, string>]>([
    ["its version", { _version_: "2\n", manifest_2: manifest, manifest_10: "{}" }],
    [
      "the last manifest if no version is stated",
      { manifest_2: "{}", manifest_10: manifest, manifest_x: "" },
    ],
  ])("are of %s", async (_, files) => {
    const rows = [
      [T(1), T(2), "commit"],
      [T(3), null, "clean"],
    ];
    const { instants, completed } = await archived({ ...files, "a.parquet": await history(rows) });
    expect(instants.map(({ file }) => file)).toEqual([`${T(1)}_${T(2)}.commit`, `${T(3)}.clean`]);
    expect([...completed.keys()]).toEqual([T(1)]);
  });

  test("may be empty", async () => {
    expect((await archived({ other: "" })).instants).toEqual([]);
  });

  test.each<[string, Record<string, string>, string]>([
    ["a version that is a path", { _version_: "../1" }, "E_CORRUPT"],
    ["a version without a manifest", { _version_: "1" }, "E_NOT_FOUND"],
    ["a manifest that is not JSON", { manifest_1: "{" }, "E_CORRUPT"],
    ["a manifest that is a list", { manifest_1: "[]" }, "E_CORRUPT"],
    ["a manifest without files", { manifest_1: "{}" }, "E_CORRUPT"],
    ["a file without a name", { manifest_1: '{"files":[{}]}' }, "E_CORRUPT"],
    ["a file that is text", { manifest_1: '{"files":["a"]}' }, "E_CORRUPT"],
    ["a file that is a path", { manifest_1: '{"files":[{"fileName":"../a"}]}' }, "E_CORRUPT"],
    ["a file that is missing", { manifest_1: manifest }, "E_NOT_FOUND"],
    ["a file that is not Parquet", { manifest_1: manifest, "a.parquet": "x" }, "E_TRUNCATED"],
  ])("with %s are refused", async (_, files, code) => {
    await expect(archived(files)).rejects.toMatchObject({ code });
  });

  test.each([
    ["no time", null, "commit"],
    ["another time", "now", "commit"],
    ["no action", T(1), null],
  ])("with a row of %s are refused", async (_, time, action) => {
    const files = { manifest_1: manifest, "a.parquet": await history([[time, null, action]]) };
    await expect(archived(files)).rejects.toMatchObject({
      code: "E_CORRUPT",
      path: `memory/${FOLDER}/a.parquet`,
    });
  });
});

describe("archives of layout 1", () => {
  const NAME = ".commits_.archive.1_1-0-1";
  const SCHEMA = {
    type: "record",
    name: "r",
    fields: ["commitTime", "actionType", "actionState", "stateTransitionTime"].map((name) => ({
      name,
      type: ["null", "string"],
      default: null,
    })),
  };

  const archived = async (bytes: Uint8Array) =>
    (
      await timelineOf(6, {}, { [`.hoodie/archived/${NAME}`]: bytes, ".hoodie/archived/other": bytes })
    ).archived();

  test("have the instants of their rows; later rows of a state replace earlier ones", async () => {
    const rows = [
      [T(1), "commit", "COMPLETED", T(3)],
      [T(1), "commit", "INFLIGHT", null],
      [T(2), null, null, null],
      [T(2), null, null, T(4)],
    ];
    const { instants } = await archived(logOf(SCHEMA, rows));
    expect(instants.map(({ file, completionTime }) => [file, completionTime])).toEqual([
      [`${T(1)}.commit`, T(3)],
      [`${T(1)}.inflight`, undefined],
      [`${T(2)}.`, T(4)],
    ]);
  });

  test.each([
    ["no time", [null, "commit", "COMPLETED", null]],
    ["another state", [T(1), "commit", "DONE", null]],
  ])("with a row of %s are refused", async (_, row) => {
    await expect(archived(logOf(SCHEMA, [row]))).rejects.toMatchObject({
      code: "E_CORRUPT",
      field: "commitTime",
    });
  });

  test("that are cut are refused, and other blocks are passed over", async () => {
    const bytes = logOf(SCHEMA, [[T(1), "commit", "COMPLETED", null]]);
    await expect(archived(bytes.slice(0, -3))).rejects.toMatchObject({ name: "CFileError" });
    // A command has no rows.
    const command = blockOf(
      0,
      new Map([
        [0, T(1)],
        [3, "0"],
      ]),
      new Uint8Array(0),
    );
    const both = new Uint8Array([...bytes, ...command]);
    expect((await archived(both)).instants).toHaveLength(1);
  });
});
