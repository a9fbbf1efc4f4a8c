import { gunzipSync } from "node:zlib";
import { isCFileError } from "@cfile/bytes";
import { openHBaseRoot } from "@cfile/hbase";
import { openHudiTable } from "@cfile/hudi";
import { memorySink, memoryTree } from "@cfile/io";
import { openKuduDir } from "@cfile/kudu-dir";
import { pathToGolden, readGolden, unpackTar } from "@cfile-tools/testkit";
import { datasetFiles } from "cfile/dataset";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSplit, type Split, splitLine } from "../src/index.js";
import { splitId } from "../src/lines/split-line.js";
import { planFiles, planHudi, planKudu, planRegions } from "../src/plan.js";
import { runSplit } from "../src/run.js";
import { open } from "./run-all.js";

const server = pathToGolden("servers/log");
const root = pathToGolden("hbase-table/root");
const { files } = unpackTar(gunzipSync(readGolden("hudi-table/mor_v8_flat.tar.gz")));
const hudi = await openHudiTable(memoryTree(files, "t"));

const VALUES = [0, 1, -1, 2 ** 31, 2 ** 53, "", "x", null, [], {}, true, "18446744073709551615", "STRING"];

async function someSplits(): Promise<Split[]> {
  await using dir = await openKuduDir(server);
  await using snapshot = await (await openHBaseRoot(root)).openSnapshot("split_before");
  const where = () => [{ column: "id", op: "<", value: 500 } as const];
  return [
    ...(await planKudu(dir, (await dir.table("history")).tablets, { dirs: [server], where })),
    ...(await planRegions(snapshot, { root, cells: "x:q0:binary", withLog: false, now: 1 })),
    ...(await planFiles(await datasetFiles([pathToGolden("enc_int32_bshuf_n1000.cfile")]), { open })),
    ...(await planHudi(hudi, { table: "t", columns: ["id", "qty"], targetBytes: 100_000 })),
  ];
}

/** Every field of an object and of the objects in it. */
function fieldsOf(node: unknown): (readonly [object, string])[] {
  return typeof node === "object" && node !== null
    ? Object.entries(node).flatMap(([key, value]) => [[node, key] as const, ...fieldsOf(value)])
    : [];
}

describe("a forged line with a valid ID", () => {
  it("runs or throws a CFileError", async () => {
    const lines = (await someSplits()).map(splitLine);
    await using dir = await openKuduDir(server);
    await using table = await (await openHBaseRoot(root)).openSnapshot("split_before");
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...lines),
        fc.nat(),
        fc.oneof(fc.constantFrom(...VALUES), fc.constant(undefined)),
        fc.boolean(),
        async (line, place, value, recover) => {
          const { id: _, ...json } = JSON.parse(line) as Record<string, unknown>;
          const fields = fieldsOf(json);
          const [node, key] = fields[place % fields.length] ?? [json, "kind"];
          Reflect.set(node, key, value);
          const forged = JSON.stringify({ ...json, id: await splitId(json) });
          try {
            await runSplit(await parseSplit(forged, "line 1"), memorySink(), {
              open,
              dir,
              table,
              hudi,
              recover,
            });
          } catch (error) {
            expect(isCFileError(error)).toBe(true);
          }
        },
      ),
      { seed: 5, numRuns: 400 },
    );
  });
});
