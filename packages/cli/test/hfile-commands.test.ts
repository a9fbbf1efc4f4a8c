/** The commands on HFiles: inspect, cat, find, get, verify, recover and write. */
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToGolden, temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, test } from "vitest";
import { output, run } from "./run.js";

const goldenFolder = pathToGolden("hfile/");
const hfile = (name: string): string => join(goldenFolder, `${name}.hfile`);
const facts = (name: string) => JSON.parse(readFileSync(join(goldenFolder, `${name}.json`), "utf8"));

const hudiName = "hudi_1_2_native_1KB_NONE_400";
const tagsName = "hbase_2_6_1_4KB_NONE_tags";
const hudi = hfile(hudiName);
const folder = temporaryFolder();

/** A copy with a byte flipped. */
async function damaged(name: string): Promise<{ path: string; corruption: Record<string, number> }> {
  const [corruption] = facts(name).corruption_cases;
  const bytes = await readFile(hfile(name));
  const { offset, xor } = corruption.edit;
  bytes[offset] = (bytes[offset] ?? 0) ^ xor;
  const path = join(folder, `${name}.damaged`);
  await writeFile(path, bytes);
  return { path, corruption };
}

describe("inspect", () => {
  test("shows the structure of a file", async () => {
    const text = await output(["inspect", hfile("hbase_2_6_1_2KB_NONE_three_levels"), "--blocks", "2"]);
    expect(text).toMatch(/kind +HFile 3\.3, hbase\n/);
    expect(text).toMatch(/cells +3,000\n +codec +none\n/);
    expect(text).toContain("10 more blocks (use --blocks all)");
  });

  test("--json matches the golden file", async () => {
    const name = "hudi_1_0_hbase_2_4_9_16KB_GZ_20000";
    const json = JSON.parse(await output(["inspect", hfile(name), "--json"]));
    const golden = facts(name);
    expect(json).toMatchObject({
      kind: "hfile",
      size: golden.size,
      compression: "GZ",
      entry_count: golden.entry_count,
      last_key: golden.last_key.hex,
      trailer: { index_levels: golden.index_levels },
    });
    expect(json.root_index).toHaveLength(golden.index_entries_per_level[0]);
    expect(json.file_info).toEqual(golden.file_info);
  });
});

describe("cat", () => {
  test("--json of a Hudi file has keys and values only", async () => {
    const cells = JSON.parse(await output(["cat", hudi, "--json"]));
    expect(cells).toEqual(facts(hudiName).entries.map(([row, value]: string[]) => ({ row, value })));
  });

  test("--ndjson of an HBase file has all parts", async () => {
    const expected = facts(tagsName).first_entries.slice(10, 30);
    const lines = (await output(["cat", hfile(tagsName), "--ndjson", "--rows", "10:30"])).trim().split("\n");
    const cells = lines.map((line) => JSON.parse(line));
    expect(cells.map(({ tags, ...cell }) => ({ ...cell, type: cell.type.toUpperCase() }))).toEqual(
      expected.map(({ tags, ...cell }: { tags?: string }) => cell),
    );
    expect(cells.some(({ tags }) => tags !== undefined)).toBe(true);
  });

  test("supports --decode, head and empty files, and rejects --csv", async () => {
    expect(await output(["head", hudi, "-n", "3", "--decode"])).toBe(
      "key-00000048\t\nkey-00000055\t\nkey-00000056\tZZZZZZZZZZZZZZZZZZZZZZZZZZZ\n",
    );
    expect(await output(["cat", hfile("hudi_1_2_native_512B_NONE_empty"), "--json"])).toBe("[]\n");
    expect(await run(["cat", hudi, "--csv"])).toMatchObject({ code: 2 });
  });
});

describe("find and get", () => {
  test("print cells and positions", async () => {
    expect(await output(["get", hudi, "--key", "key-00000056", "--decode"])).toBe(
      "key-00000056\tZZZZZZZZZZZZZZZZZZZZZZZZZZZ\n",
    );
    const hex = Buffer.from("key-00000056").toString("hex");
    expect(JSON.parse(await output(["find", hudi, "--key", hex, "--hex", "--json"]))).toMatchObject({
      result: "found",
      hudi_code: 0,
      cell: { row: hex },
    });
    expect(await output(["find", hudi, "--key", "key-00000050"])).toBe(
      "absent, between key-00000048 and key-00000055\n",
    );
    expect(await output(["find", hudi, "--key", "a"])).toBe("absent, before the first key key-00000048\n");
  });

  test("exit with code 1 for a missing key", async () => {
    expect(await run(["find", hudi, "--key", "z"])).toMatchObject({ code: 1 });
    expect(await run(["get", hudi, "--key", "z"])).toMatchObject({ code: 1, stdout: "" });
    expect(await run(["find", hfile("hudi_1_2_native_512B_NONE_empty"), "--key", "z"])).toMatchObject({
      code: 1,
      stdout: "absent: the file is empty\n",
    });
  });

  test("require a valid key", async () => {
    for (const args of [
      ["find", hudi],
      ["get", hudi],
      ["get", hudi, "--key", "x", "--hex"],
    ]) {
      expect(await run(args)).toMatchObject({ code: 2 });
    }
  });
});

describe("verify and recover", () => {
  const name = "hudi_1_0_hbase_2_4_9_16KB_NONE_5000";

  test("find damage and recover the rest", async () => {
    expect(await output(["verify", hfile(name)])).toContain("ok, HFile, 5,000 cells");
    const { path, corruption } = await damaged(name);
    const { code, stdout } = await run(["verify", path]);
    expect(code).toBe(3);
    expect(stdout).toContain(`E_CHECKSUM block at ${corruption["bad_block_offset"]}`);
    const target = join(folder, "saved.hfile");
    const recovered = await run(["recover", path, target, "--json"]);
    expect(recovered.code).toBe(3);
    expect(JSON.parse(recovered.stdout)).toMatchObject({
      entries: corruption["remaining_entries"],
      lost: [{ offset: corruption["bad_block_offset"], code: "E_CHECKSUM" }],
      lost_parts: [],
    });
    expect(await run(["verify", target])).toMatchObject({ code: 0 });
  });

  test("work without a trailer", async () => {
    const path = join(folder, "cut.hfile");
    await writeFile(path, (await readFile(hudi)).subarray(0, -4096));
    expect(await run(["verify", path])).toMatchObject({ code: 3 });
    const { code, stdout } = await run(["recover", path, join(folder, "uncut.hfile")]);
    expect([code, stdout.includes("400 cells saved")]).toEqual([3, true]);
  });

  test("a valid file loses nothing", async () => {
    expect(await run(["recover", hfile(tagsName), join(folder, "same.hfile")])).toMatchObject({ code: 0 });
    expect(await output(["cat", join(folder, "same.hfile")])).toBe(await output(["cat", hfile(tagsName)]));
  });
});

describe("hfile write", () => {
  test("reproduces Hudi's file, except for the order of its file info", async () => {
    const target = join(folder, "hudi.hfile");
    const { block_size: blockSize, file_creation_time_ms: time } = facts(hudiName);
    const settings = ["--profile", "hudi", "--block-size", `${blockSize}`, "--create-time", time];
    const stdin = await output(["cat", hudi, "--ndjson"]);
    await output(["hfile", "write", "-", "-o", target, ...settings], { stdin });
    const [written, golden] = [await readFile(target), await readFile(hudi)];
    expect(written.length).toBe(golden.length);
    const { file_info_offset: end } = JSON.parse(await output(["inspect", hudi, "--json"])).trailer;
    expect(written.subarray(0, end).equals(golden.subarray(0, end))).toBe(true);
    expect(written.subarray(-4096).equals(golden.subarray(-4096))).toBe(true);
  });

  test("writes all parts of cells, and text", async () => {
    const input = join(folder, "tags.ndjson");
    const text = await output(["cat", hfile(tagsName), "--ndjson"]);
    await writeFile(input, text);
    const target = join(folder, "tags.hfile");
    const settings = ["--tags", "--compression", "gz", "--json"];
    const json = await output(["hfile", "write", input, "-o", target, ...settings]);
    expect(JSON.parse(json)).toMatchObject({ path: target, entries: facts(tagsName).entry_count });
    expect(await output(["cat", target, "--ndjson"])).toBe(text);
    const fruit = '{"row":"apple","value":"1"}\n\n{"row":"pear","value":"ü"}';
    await output(["hfile", "write", "-", "-o", target, "--text", "--profile", "hudi"], { stdin: fruit });
    expect(await output(["cat", target, "--decode"])).toBe("apple\t1\npear\tü\n");
  });

  test("names the invalid line and leaves no file", async () => {
    const target = join(folder, "none.hfile");
    for (const [stdin, message] of [
      ['{"row":"61","value":""}\n{"row":"6","value":""}', `line 2, field "row": must be pairs`],
      ["{", "line 1: not valid JSON"],
      ["[]", "line 1: must be a JSON object"],
      ['{"row":"61"}', 'line 1, field "value": missing'],
      ['{"row":"61","value":"","x":1}', 'line 1, field "x": unknown field'],
      ['{"row":"61","value":null}', 'line 1, field "value": must be a string'],
      [
        '{"row":"61","value":"","timestamp":"x"}',
        'line 1, field "timestamp": found "x" (must be a 64-bit integer)',
      ],
      ['{"row":"61","value":"","type":"Pot"}', 'line 1, field "type": found "Pot"'],
      ['{"row":"62","value":""}\n{"row":"61","value":""}', "it precedes the previous cell"],
    ] as const) {
      const { code, stderr } = await run(["hfile", "write", "-", "-o", target], { stdin });
      expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
      await expect(readFile(target)).rejects.toThrow("ENOENT");
    }
    expect(await run(["hfile", "write", join(folder, "absent.ndjson"), "-o", target])).toMatchObject({
      code: 5,
    });
  });
});
