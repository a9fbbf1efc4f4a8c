/** DiskRowSets of a Kudu server whose files a `.json` file lists: `fixtures/golden/README.md`. */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToGolden, temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, test } from "vitest";
import { output, run } from "./run.js";

const server = pathToGolden("cluster-file/");
const TYPES = ["INT32", "INT64", "STRING", "BOOL"];

interface BlockOf {
  readonly block: { readonly id: string };
}

interface Superblock {
  readonly tableName: string;
  readonly schema: {
    readonly columns: readonly {
      readonly id: number;
      readonly name: string;
      readonly type: string;
      readonly isKey?: boolean;
      readonly isNullable?: boolean;
      readonly readDefaultValue?: string;
    }[];
  };
  readonly rowsets?: readonly {
    readonly columns: readonly (BlockOf & { readonly columnId: number })[];
    readonly bloomBlock: BlockOf["block"];
    readonly adhocIndexBlock?: BlockOf["block"];
    readonly redoDeltas?: readonly BlockOf[];
    readonly undoDeltas?: readonly BlockOf[];
  }[];
}

type ServerRow = readonly unknown[];

interface ClientRows {
  readonly columns: readonly { readonly name: string }[];
  readonly snapshots: readonly {
    readonly timestamp: string;
    readonly tablets: Readonly<Record<string, readonly ServerRow[]>>;
  }[];
  readonly diffs: readonly {
    readonly from: string;
    readonly to: string;
    readonly tablets: Readonly<Record<string, readonly ServerRow[]>>;
  }[];
}

const superblocks: Record<string, Superblock> = JSON.parse(
  await readFile(join(server, "superblocks.json"), "utf8"),
);
const tablets = Object.entries(superblocks).filter(([, { rowsets = [] }]) => rowsets.length > 0);

const folder = temporaryFolder();

function file({ id }: BlockOf["block"]): string {
  return join(server, "blocks", id);
}

/** A default as text; `undefined` for types that are not compared. */
function defaultText(type: string, base64: string | undefined): string | undefined {
  const bytes = Buffer.from(base64 ?? "", "base64");
  if (base64 === undefined || !TYPES.includes(type)) {
    return undefined;
  }
  switch (type) {
    case "STRING":
      return bytes.toString("utf8");
    case "BOOL":
      return String(bytes[0] === 1);
    default:
      return String(type === "INT32" ? bytes.readInt32LE() : bytes.readBigInt64LE());
  }
}

/** The roles file, without columns whose default cannot be written as text. */
function rolesOf({ schema, rowsets = [] }: Superblock) {
  const columns = schema.columns.filter(
    ({ type, readDefaultValue }) => readDefaultValue === undefined || TYPES.includes(type),
  );
  return {
    schema: columns.map(({ id, name, type, isKey, isNullable, readDefaultValue }) => ({
      id,
      name,
      type: `${type.toLowerCase()}${isNullable ? "?" : ""}`,
      key: isKey ?? false,
      default: defaultText(type, readDefaultValue),
    })),
    row_sets: rowsets.map(({ columns, bloomBlock, adhocIndexBlock, redoDeltas = [], undoDeltas = [] }) => ({
      columns: Object.fromEntries(columns.map(({ columnId, block }) => [columnId, file(block)])),
      bloom: file(bloomBlock),
      adhoc_index: adhocIndexBlock && file(adhocIndexBlock),
      redo: redoDeltas.map(({ block }) => file(block)),
      undo: undoDeltas.map(({ block }) => file(block)),
    })),
  };
}

async function rolesFile(name: string, roles: unknown): Promise<string> {
  const path = join(folder, `${name}.json`);
  await writeFile(path, JSON.stringify(roles));
  return path;
}

describe.each(tablets)("the row sets of tablet %s, by role", (id, superblock) => {
  const { tableName, schema } = superblock;
  const compared = schema.columns.filter(({ type }) => TYPES.includes(type));
  const names = compared.map(({ name }) => name);
  const columns = ["--columns", names.join(","), "--ndjson"];

  /** A row that the client read, in the format of the command. */
  const rowText = (client: ClientRows) => (row: ServerRow) =>
    JSON.stringify(
      Object.fromEntries(
        compared.map(({ name, type }) => {
          const cell = row[client.columns.findIndex((column) => column.name === name)];
          const isText = type === "STRING" && typeof cell === "string";
          return [name, isText ? Buffer.from(cell, "hex").toString("utf8") : cell];
        }),
      ),
    );

  test("have the rows and the changes that Kudu's client read", async () => {
    const client: ClientRows = JSON.parse(await readFile(join(server, "rows", `${tableName}.json`), "utf8"));
    const path = await rolesFile(id, rolesOf(superblock));
    const text = rowText(client);
    for (const { timestamp, tablets } of client.snapshots) {
      const lines = (await output(["table", "scan", path, "--as-of", timestamp, ...columns])).split("\n");
      expect(lines.slice(0, -1)).toEqual((tablets[id] ?? []).map(text));
    }
    for (const { from, to, tablets } of client.diffs) {
      const lines = (await output(["table", "diff", path, "--from", from, "--to", to, ...columns])).split(
        "\n",
      );
      expect(lines.length - 1).toBe((tablets[id] ?? []).length);
    }
    expect(await output(["table", "verify", path])).toContain("ok, table");
  });
});

describe("a file of roles", () => {
  const small = Object.values(superblocks).find(({ tableName }) => tableName === "small");
  const roles = small && rolesOf(small);

  test("supports get and history, and is never written", async () => {
    const path = await rolesFile("small", roles);
    const [first] = (await output(["table", "scan", path, "--ndjson", "--limit", "1"])).split("\n");
    const { id } = JSON.parse(first ?? "");
    expect((await output(["table", "get", path, "--ndjson", "--", String(id)])).trim()).toBe(first);
    expect(await output(["table", "history", path, "--format", "csv", "--", String(id)])).toContain(
      "timestamp,utc,deleted,id",
    );
    const { code, stderr } = await run(["table", "compact", path]);
    expect({ code, stderr }).toMatchObject({ code: 5, stderr: expect.stringContaining(path) });
  });

  const [rowSet] = roles?.row_sets ?? [];
  const schema = roles?.schema ?? [];
  test.each([
    ["no schema", { row_sets: [] }, /"schema" must be a list/],
    ["no row sets", { schema }, /"row_sets" must be a list/],
    [
      "a column without type",
      { schema: [{ id: 1, name: "a" }], row_sets: [] },
      /must have id, name and type/,
    ],
    ["a column with more", { schema: [{ ...schema[0], kind: 1 }], row_sets: [] }, /unknown field "kind"/],
    [
      "an invalid id",
      { schema: [{ ...schema[0], id: -1 }], row_sets: [] },
      /invalid id of column "id": "-1"/,
    ],
    [
      "an invalid type",
      { schema: [{ ...schema[0], type: "int33" }], row_sets: [] },
      /invalid type of column "id": "int33"/,
    ],
    ["an invalid default", { schema: [{ ...schema[0], default: "x" }], row_sets: [] }, /"default"/],
    ["a row set without columns", { schema, row_sets: [{}] }, /missing "columns"/],
    ["an invalid role", { schema, row_sets: [{ ...rowSet, index: "x" }] }, /unknown field "index"/],
    ["an invalid file", { schema, row_sets: [{ ...rowSet, bloom: 7 }] }, /"bloom" must be a path or URL/],
    ["files that are not a list", { schema, row_sets: [{ ...rowSet, redo: "x" }] }, /"redo" must be a list/],
  ])("with %s is a usage error", async (name, json, message) => {
    const path = await rolesFile(name.replaceAll(" ", "-"), json);
    const { code, stdout, stderr } = await run(["table", "scan", path]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(message);
  });

  test("with a file in the wrong role is an error that names the file", async () => {
    const path = await rolesFile("swapped", { schema, row_sets: [{ ...rowSet, redo: [rowSet?.bloom] }] });
    const { code, stderr } = await run(["table", "scan", path]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(rowSet?.bloom);
    const missing = await rolesFile("missing", { schema, row_sets: [{ ...rowSet, redo: ["none.cfile"] }] });
    const absent = await run(["table", "scan", missing]);
    expect(absent).toMatchObject({ code: 5, stderr: expect.stringContaining(join(folder, "none.cfile")) });
  });
});
