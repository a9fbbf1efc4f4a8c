import { describe, expect, it } from "vitest";
import { checkKuduDir, openKuduDir } from "../src/index.js";
import { serverFiles, treeOf } from "./servers.js";

describe("data directories in the root of the write-ahead log", () => {
  it("are found", async () => {
    const files = new Map(
      [...serverFiles("log")].map(([path, bytes]) => [
        path.replace(/^ts\/wal\//, "root/").replace(/^ts\/(data\d)\//, "root/$1/"),
        bytes,
      ]),
    );
    expect([...files.keys()].some((path) => path.startsWith("root/data2/data/"))).toBe(true);
    const { ok, missing, blocks } = await checkKuduDir(await openKuduDir(treeOf(files)));
    expect({ ok, missing, blocks }).toEqual({ ok: true, missing: [], blocks: 694 });
  });
});
