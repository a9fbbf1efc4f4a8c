import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SCRIPT = fileURLToPath(new URL("patched-run.mjs", import.meta.url));

function run(...patch: readonly string[]): { written: number; read: number } {
  return JSON.parse(
    execFileSync(process.execPath, [SCRIPT, ...patch], { encoding: "utf8", timeout: 29_000 }),
  );
}

describe("the comparisons of the rounds", () => {
  it("pass without a mistake", () => {
    expect(run()).toEqual({ written: 0, read: 0 });
  });

  it("detects one wrong bit in the hash of Bloom files", () => {
    // The number 0xc6a4a7935bd1e995, in the portable code and in the compiled code.
    const { written, read } = run(
      ...["bloomfile/dist/hash/city-hash.js", "0x5bd1e995", "0x5bd1e994"],
      ...["kernels/dist/generated/rows-wasm.js", "95d3c7deb5f2a9d246", "94d3c7deb5f2a9d246"],
    );
    expect(written).toBeGreaterThan(0);
    expect(read).toBeGreaterThan(0);
  });

  it("detects one wrong bit in written null bitmaps", () => {
    const { written } = run(
      "encodings/dist/codecs/headers/null-header.js",
      "writeLengthPrefixed(block, bitmap);",
      "writeLengthPrefixed(block, bitmap.map((byte, i) => (i === bitmap.length - 1 ? byte ^ 1 : byte)));",
    );
    expect(written).toBeGreaterThan(0);
  });

  it("detects one wrong row in null bitmaps on reading", () => {
    const { read } = run(
      "encodings/dist/codecs/headers/null-header.js",
      "return { rows, validity, nonNull",
      "const first = validity[0] & 1, second = (validity[0] >> 1) & 1; validity[0] = (validity[0] & 252) | (first << 1) | second; return { rows, validity, nonNull",
    );
    expect(read).toBeGreaterThan(0);
  });

  it("detects a snapshot that starts one timestamp too early", () => {
    const { read } = run("deltafile/dist/changes/snapshot.js", "{ to: snapshot }", "{ to: snapshot - 1n }");
    expect(read).toBeGreaterThan(0);
  });

  it("detects key ranges that start one row late", () => {
    const { read } = run(
      "rowset/dist/read/row-set-scan.js",
      "range.from, search)).row",
      "range.from, search)).row + 1",
    );
    expect(read).toBeGreaterThan(0);
  });
});
