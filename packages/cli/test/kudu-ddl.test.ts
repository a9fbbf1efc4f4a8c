/** `cfile kudu describe --ddl`: statements that create the tables of a killed cluster in another system. */
import { pathToGolden, readGoldenJson } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { type DdlTarget, tableStatement } from "../src/kudu/cluster/ddl/statement.js";
import { type DescribedTable, describeText } from "../src/kudu/cluster/describe-text.js";
import { run } from "./run.js";

const four = pathToGolden("kudu-cluster/four");

async function statementOf(table: string, target: DdlTarget): Promise<string> {
  const { code, stdout } = await run(["kudu", "describe", four, "--table", table, "--ddl", target]);
  expect(code).toBe(0);
  return stdout.trimEnd();
}

describe("the request for kudu table create", () => {
  it.each(["sales", "events", "one_copy", "renamed", "types", "empty"])(
    "of %s is the one with which Kudu 1.18.1 made an equal table",
    async (table) => {
      expect(JSON.parse(await statementOf(table, "kudu"))).toEqual(
        readGoldenJson(`kudu-cluster/create/${table}.json`),
      );
    },
  );
});

describe("SQL statements", () => {
  it("state columns, key, partitions and properties for Impala", async () => {
    expect(await statementOf("sales", "impala")).toBe(
      [
        '-- owner: "etl"',
        "CREATE TABLE sales (",
        "  region STRING NOT NULL ENCODING AUTO_ENCODING COMPRESSION DEFAULT_COMPRESSION,",
        "  id BIGINT NOT NULL ENCODING AUTO_ENCODING COMPRESSION DEFAULT_COMPRESSION,",
        "  amount DECIMAL(18, 2) NULL ENCODING AUTO_ENCODING COMPRESSION DEFAULT_COMPRESSION,",
        "  state VARCHAR(8) NULL ENCODING DICT_ENCODING COMPRESSION DEFAULT_COMPRESSION,",
        "  day DATE NOT NULL ENCODING AUTO_ENCODING COMPRESSION DEFAULT_COMPRESSION,",
        "  at TIMESTAMP NULL ENCODING AUTO_ENCODING COMPRESSION DEFAULT_COMPRESSION,",
        "  paid BOOLEAN NOT NULL ENCODING AUTO_ENCODING COMPRESSION DEFAULT_COMPRESSION,",
        "  note BINARY NULL ENCODING AUTO_ENCODING COMPRESSION LZ4 COMMENT 'free text',",
        "  rate DOUBLE NULL ENCODING AUTO_ENCODING COMPRESSION DEFAULT_COMPRESSION,",
        "  PRIMARY KEY (region, id)",
        ")",
        "PARTITION BY HASH (id) PARTITIONS 2, RANGE (region) (",
        "  PARTITION VALUES < 'row/c',",
        "  PARTITION 'row/c' <= VALUES < 'row/m',",
        "  PARTITION 'row/m' <= VALUES",
        ")",
        "COMMENT 'orders by region'",
        "STORED AS KUDU",
        "TBLPROPERTIES ('kudu.num_tablet_replicas'='3');",
      ].join("\n"),
    );
  });

  it("say what Impala cannot state", async () => {
    expect(await statementOf("events", "impala")).toContain(
      "-- Impala cannot state the hash partitioning of range 0 <= VALUES < 20000: HASH (id) PARTITIONS 3\n",
    );
  });

  it("state defaults for Spark", async () => {
    expect(await statementOf("renamed", "spark")).toBe(
      [
        "-- Parquet tables have no primary key, and no partitions by hash or range of a key",
        "CREATE TABLE renamed (",
        "  id INT NOT NULL,",
        "  keep INT,",
        "  new_name DOUBLE,",
        "  added INT NOT NULL DEFAULT 5",
        ")",
        "USING parquet",
        "COMMENT 'renamed'",
        "TBLPROPERTIES ('kudu.table'='renamed', 'kudu.primary_key'='id', 'kudu.owner'='etl');",
      ].join("\n"),
    );
  });

  it("turn hash partitions into buckets of Iceberg, and name what it has no transform for", async () => {
    expect(await statementOf("events", "iceberg")).toBe(
      [
        "-- Iceberg's bucket function is not Kudu's hash",
        "-- no partition transform for the 3 ranges of (day)",
        "CREATE TABLE events (",
        "  day INT NOT NULL,",
        "  id BIGINT NOT NULL,",
        "  kind STRING,",
        "  v INT",
        ")",
        "USING iceberg",
        "PARTITIONED BY (bucket(2, id))",
        "TBLPROPERTIES ('kudu.table'='events', 'kudu.primary_key'='day,id', 'kudu.owner'='etl');",
      ].join("\n"),
    );
  });

  it("name what is unknown without a master", async () => {
    const { stdout } = await run(["kudu", "describe", `${four}/ts0`, "--table", "sales", "--ddl", "impala"]);
    expect(stdout).toMatch(
      /^-- unknown without the directories of a master: owner, comment, number of replicas/,
    );
  });
});

const column = {
  id: 0,
  name: "it's a `name`",
  type: "STRING",
  nullable: false,
  array: false,
  isKey: true,
  readDefault: undefined,
  writeDefault: new TextEncoder().encode("a'b\\c\n"),
  comment: "it's",
  immutable: false,
  autoIncrementing: false,
} as const;
const table: DescribedTable = {
  name: "impala::default.t",
  columns: [column],
  partitionSchema: undefined,
  partitions: [],
  owner: undefined,
  comment: undefined,
  replicas: undefined,
  extraConfig: new Map([["kudu.table.history_max_age_sec", "3600"]]),
};

describe("names and values", () => {
  it("are quoted", () => {
    const text = tableStatement(table, "impala");
    expect(text).toContain("CREATE TABLE `impala::default`.t (");
    expect(text).toContain("`it's a ``name``` STRING NOT NULL");
    expect(text).toContain("DEFAULT 'a\\'b\\\\c\\n' COMMENT 'it\\'s'");
    expect(text).toContain("TBLPROPERTIES ('kudu.table.history_max_age_sec'='3600');");
  });

  it.each<[string, Partial<DescribedTable["columns"][number]>, string]>([
    ["dates", { type: "DATE", writeDefault: Uint8Array.of(70, 77, 0, 0) }, "DEFAULT DATE '2024-02-29'"],
    [
      "timestamps",
      { type: "UNIXTIME_MICROS", writeDefault: Uint8Array.of(96, 227, 22, 0, 0, 0, 0, 0) },
      "DEFAULT CAST('1970-01-01 00:00:01.500000' AS TIMESTAMP)",
    ],
    [
      "decimals",
      { type: "DECIMAL32", precision: 5, scale: 2, writeDefault: Uint8Array.of(151, 255, 255, 255) },
      "DEFAULT -1.05",
    ],
    ["bytes", { type: "BINARY", writeDefault: Uint8Array.of(0, 255) }, "DEFAULT X'00ff'"],
    ["booleans", { type: "BOOL", writeDefault: Uint8Array.of(1) }, "DEFAULT true"],
    [
      "doubles",
      { type: "DOUBLE", writeDefault: Uint8Array.of(0, 0, 0, 0, 0, 0, 240, 127) },
      "CAST('Infinity' AS DOUBLE)",
    ],
  ])("of %s are literals of Spark", (_, changed, expected) => {
    const columns = [{ ...column, ...changed, isKey: false }];
    expect(tableStatement({ ...table, columns }, "spark")).toContain(expected);
  });

  it("are escaped twice in the request for kudu table create, which puts them into JSON again", () => {
    const request = JSON.parse(tableStatement(table, "kudu"));
    expect(request.schema.columns[0].default_value).toBe("a'b\\\\c\\n");
  });

  it.each<[string, Partial<DescribedTable["columns"][number]>]>([
    ["decimals", { type: "DECIMAL32", precision: 5, scale: 2, writeDefault: Uint8Array.of(1, 0, 0, 0) }],
    ["bytes that are not UTF-8", { type: "BINARY", writeDefault: Uint8Array.of(255) }],
  ])("of %s are reported where kudu table create does not take them", (_, changed) => {
    const columns = [{ ...column, ...changed, isKey: false }];
    expect(() => tableStatement({ ...table, columns }, "kudu")).toThrow(
      expect.objectContaining({ code: "E_UNSUPPORTED", field: "value" }),
    );
  });

  it("of arrays are reported where the target has no arrays", () => {
    const arrays = { ...table, columns: [{ ...column, array: true, writeDefault: undefined }] };
    expect(tableStatement(arrays, "spark")).toContain("ARRAY<STRING> NOT NULL");
    for (const target of ["kudu", "impala"] as const) {
      expect(() => tableStatement(arrays, target)).toThrow(
        expect.objectContaining({ code: "E_UNSUPPORTED", field: "type" }),
      );
    }
  });
});

describe("what only newer servers have", () => {
  it("includes immutable columns: described, remarked on, and refused for kudu table create", () => {
    const changed = {
      ...table,
      columns: [column, { ...column, name: "fixed", immutable: true, isKey: false }],
    };
    expect(describeText(changed)).toContain("\n    fixed STRING NOT NULL IMMUTABLE AUTO_ENCODING");
    for (const target of ["impala", "spark", "iceberg"] as const) {
      expect(tableStatement(changed, target)).toContain('-- column "fixed" is immutable in Kudu\n');
    }
    expect(() => tableStatement(changed, "kudu")).toThrow(
      expect.objectContaining({ code: "E_UNSUPPORTED", field: "type" }),
    );
  });

  it("includes keys that are not unique: the column with numbers is part of the key", () => {
    const counter = { ...column, id: 1, name: "auto_incrementing_id", writeDefault: undefined };
    const text = describeText({
      ...table,
      columns: [column, { ...counter, type: "INT64", autoIncrementing: true }],
    });
    expect(text).toContain(`\n    PRIMARY KEY (${column.name}, auto_incrementing_id)\n`);
  });
});
