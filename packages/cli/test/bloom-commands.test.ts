import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BloomFileWriter } from "@cfile/bloomfile/write";
import { encodeCompositeKey } from "@cfile/encodings/keys";
import { fileSink } from "@cfile/io/file";
import { temporaryFolder } from "@cfile-tools/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import { damagedCopy } from "./damage.js";
import { goldenFacts, goldenPath } from "./golden.js";
import { output, run } from "./run.js";

interface Probe {
  readonly key: string;
  readonly maybe_present: boolean;
}

const small = goldenPath("bloomfile/bloom_small");
const { probes } = goldenFacts("bloomfile/bloom_small") as { probes: readonly Probe[] };
let folder: string;
let composite: string;

beforeAll(async () => {
  folder = temporaryFolder();
  composite = join(folder, "composite.cfile");
  const writer = new BloomFileWriter(await fileSink(composite));
  for (const [id, name] of [
    [-7, "apple"],
    [7, "a,b"],
  ] as const) {
    await writer.append(encodeCompositeKey(["INT32", "STRING"], [id, new TextEncoder().encode(name)]));
  }
  await writer.finish();
});

describe("bloom check", () => {
  test("--hex gives Kudu's answers", async () => {
    const keys = probes.map(({ key }) => key);
    const text = await output(["bloom", "check", small, "--hex", ...keys]);
    expect(text).toBe(
      probes.map(({ key, maybe_present }) => `${maybe_present ? "maybe " : "absent"}  ${key}\n`).join(""),
    );
  });

  test("keys are text by default; keys that start with a dash follow --", async () => {
    expect(await output(["bloom", "check", small, "bloomkey0000002", "--", "-x"])).toBe(
      "maybe   bloomkey0000002\nabsent  -x\n",
    );
  });

  test("--schema encodes keys of several columns", async () => {
    const schema = ["--schema", "id:int32,name:string"];
    expect(
      await output(["bloom", "check", composite, ...schema, '7,"a,b"', "--", "-7,apple", "8,apple"]),
    ).toBe('maybe   7,"a,b"\nmaybe   -7,apple\nabsent  8,apple\n');
    const file = join(folder, "schema.json");
    await writeFile(file, '{"id": "int32", "name": "string"}');
    expect(await output(["bloom", "check", composite, "--schema", file, "--", "-7,apple"])).toContain(
      "maybe",
    );
  });

  test("--json prints the encoded keys", async () => {
    const args = ["bloom", "check", composite, "--json", "--schema", "id:int32,name:string", "7,b"];
    expect(JSON.parse(await output(args))).toEqual([{ key: "7,b", encoded: "8000000762", answer: "absent" }]);
  });
});

describe("bloom stats", () => {
  test("prints readable statistics", async () => {
    const text = await output(["bloom", "stats", small, "--blocks", "2"]);
    expect(text).toMatch(/^ {2}filters +12\n +hash functions +6\n/);
    expect(text).toContain("10 more filters (use --blocks all)");
    expect(await output(["bloom", "stats", small, "--blocks", "all"])).not.toContain("more");
  });

  test("--json matches inspect --json", async () => {
    const stats = JSON.parse(await output(["bloom", "stats", small, "--json"]));
    expect(stats.blocks).toBe(12);
    expect(JSON.parse(await output(["inspect", small, "--json"])).bloom).toEqual(stats);
  });
});

describe.each([["check"], ["stats"]])("bloom %s fails", (command) => {
  const keys = command === "check" ? ["apple"] : [];

  test.each([
    ["a damaged file", 3, () => damagedCopy(small, join(folder, `${command}.cfile`), 910)],
    ["an invalid file of Bloom filters", 4, async () => goldenPath("enc_int32_plain_n9")],
    ["a missing file", 5, async () => join(folder, "missing.cfile")],
  ])("with %s: exit code %i", async (_name, code, path) => {
    const result = await run(["bloom", command, await path(), ...keys]);
    expect(result).toMatchObject({ code, stdout: "", stderr: expect.stringMatching(/^cfile: .+\n$/) });
  });
});

test.each([
  ["no command", ["bloom"]],
  ["an unknown command", ["bloom", "fill", small]],
  ["no keys", ["bloom", "check", small]],
  ["keys that are not hex digits", ["bloom", "check", small, "--hex", "abc"]],
  ["a key with too few cells", ["bloom", "check", small, "--schema", "a:int8,b:int8", "1"]],
  ["a key out of range", ["bloom", "check", small, "--schema", "a:int8", "300"]],
  ["a key that is not a number", ["bloom", "check", small, "--schema", "a:int8", "x"]],
  ["a key of a type without order", ["bloom", "check", small, "--schema", "a:double", "1"]],
  ["a nullable key", ["bloom", "check", small, "--schema", "a:int8?", "1"]],
  ["two kinds of keys", ["bloom", "check", small, "--hex", "--schema", "a:int8", "01"]],
  ["a misplaced quote", ["bloom", "check", small, "--schema", "a:string,b:string", '"x']],
  ["an invalid number of blocks", ["bloom", "stats", small, "--blocks", "few"]],
])("%s is a usage error", async (_name, args) => {
  const { code, stdout, stderr } = await run(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^cfile: .+\n$/);
});
