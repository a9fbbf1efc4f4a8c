/** HFiles on a web server: opening reads only the end of a file, and a lookup only the blocks on its path. */
import { openSource } from "@cfile/io";
import { parseRange, serveFiles } from "@cfile-tools/testkit";
import { expect, it } from "vitest";
import { openHFile } from "../src/index.js";
import { goldenFile } from "./golden.js";

it.each([
  "hudi_1_0_hbase_2_4_13_1KB_GZ_10000_large_keys_deep_index",
  "hudi_1_0_hbase_2_4_9_16KB_NONE_5000",
  "hbase_2_6_1_64KB_LZ4_big",
])("%s: opening and lookups request only the necessary ranges", async (name) => {
  const { bytes, facts } = goldenFile(name);
  const { url, served } = await serveFiles({ "keys.hfile": { body: bytes } });
  const source = await openSource(`${url}keys.hfile`, { http: { maxWholeBytes: 0, tailBytes: 4096 } });
  const reader = await openHFile(source);
  const { loadOnOpenOffset } = reader.trailer;
  expect(reader.entryCount).toBe(facts.entry_count);
  // One request for the trailer, and one for the load-on-open section unless it comes with the trailer.
  expect(served.length).toBeLessThanOrEqual(2);
  for (const { range } of served) {
    const { start = 0 } = parseRange(range, bytes.length) ?? {};
    expect(start).toBeGreaterThanOrEqual(Math.min(loadOnOpenOffset, bytes.length - 4096));
  }
  const opened = served.length;
  const first = await reader.first();
  expect(await reader.get(first?.row ?? "")).toEqual(first?.value);
  // At most one request per level below the root, and one for the data block.
  expect(served.length - opened).toBeLessThanOrEqual(reader.trailer.indexLevels);
  await reader.close();
});
