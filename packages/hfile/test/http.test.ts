/** HFiles on a web server: opening them reads their end only, and a look-up the blocks on its way. */
import { createServer } from "node:http";
import { openSource } from "@cfile/io";
import { expect, it, onTestFinished } from "vitest";
import { openHFile } from "../src/index.js";
import { goldenFile } from "./golden.js";

interface Range {
  readonly start: number;
  readonly end: number;
}

async function serve(bytes: Uint8Array): Promise<{ url: string; ranges: Range[] }> {
  const ranges: Range[] = [];
  const server = createServer(({ headers, method }, response) => {
    const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? "") ?? [];
    const start = from === "" ? Math.max(0, bytes.length - Number(to)) : Number(from ?? 0);
    const end =
      from !== "" && to !== undefined && to !== "" ? Math.min(bytes.length, Number(to) + 1) : bytes.length;
    response.writeHead(headers.range === undefined ? 200 : 206, {
      "accept-ranges": "bytes",
      "content-length": end - start,
      "content-range": `bytes ${start}-${end - 1}/${bytes.length}`,
      etag: '"1"',
    });
    if (method !== "HEAD") {
      ranges.push({ start, end });
    }
    response.end(method === "HEAD" ? undefined : bytes.subarray(start, end));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/keys.hfile`, ranges };
}

it.each([
  "hudi_1_0_hbase_2_4_13_1KB_GZ_10000_large_keys_deep_index",
  "hudi_1_0_hbase_2_4_9_16KB_NONE_5000",
  "hbase_2_6_1_64KB_LZ4_big",
])("%s is read by ranges, and only as far as it must be", async (name) => {
  const { bytes, facts } = goldenFile(name);
  const { url, ranges } = await serve(bytes);
  const source = await openSource(url, { http: { maxWholeBytes: 0, tailBytes: 4096 } });
  const reader = await openHFile(source);
  const { loadOnOpenOffset } = reader.trailer;
  expect(reader.entryCount).toBe(facts.entry_count);
  // Trailer, and load-on-open section where it does not come with it.
  expect(ranges.length).toBeLessThanOrEqual(2);
  for (const { start } of ranges) {
    expect(start).toBeGreaterThanOrEqual(Math.min(loadOnOpenOffset, bytes.length - 4096));
  }
  const opened = ranges.length;
  const first = await reader.first();
  expect(await reader.get(first?.row ?? "")).toEqual(first?.value);
  // At most a request for each level below the root, and one for the data block.
  expect(ranges.length - opened).toBeLessThanOrEqual(reader.trailer.indexLevels);
  await reader.close();
});
