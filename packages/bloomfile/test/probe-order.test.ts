import { MemoryArena } from "@cfile/bytes";
import { describe, expect, it } from "vitest";
import { ascii, batchOf, numberedKeys, openBloom, writeBloom } from "./files.js";

describe("ascending keys", () => {
  it.each([
    ["all keys", () => true],
    ["every third key", (i: number) => i % 3 === 0],
    ["blocks with few and many keys", (i: number) => (i * i) % 11 < 1 + i / 60],
    ["keys of distant blocks", (i: number) => i < 4 || i > 290],
  ])("give the answers of the same keys in another order: %s", async (_, isProbed) => {
    const stored = numberedKeys(300);
    const bytes = await writeBloom(stored, { filterBytes: 128 });
    const probes = [Uint8Array.of(1), ...stored.filter((_, i) => isProbed(i)), Uint8Array.of(255)];
    const file = await openBloom(bytes);
    const sorted = await file.mayContainMany({ ...batchOf(probes), isAscending: true });
    const reversed = await file.mayContainMany(batchOf(probes.toReversed()));
    expect([...sorted]).toEqual([...reversed].reverse());
    expect([...sorted.subarray(1, -1)]).toEqual(new Array(probes.length - 2).fill(1));
    expect(sorted[0]).toBe(0);
    const target = new Uint8Array(400).fill(9);
    const reused = await file.mayContainMany({ ...batchOf(probes), isAscending: true }, { target });
    expect(reused.buffer).toBe(target.buffer);
    expect([...reused]).toEqual([...sorted]);
  });

  it("are all maybe in a damaged block, if damage is tolerated", async () => {
    const bytes = await writeBloom(numberedKeys(300), { filterBytes: 128 });
    bytes.fill(0xff, 40, 60);
    const absent = Array.from({ length: 50 }, (_, i) => ascii(`key000 ${String(i).padStart(2, "0")}`));
    const batch = { ...batchOf(absent), isAscending: true };
    const file = await openBloom(bytes);
    await expect(file.mayContainMany(batch)).rejects.toMatchObject({ code: "E_CHECKSUM" });
    const errors: unknown[] = [];
    const answers = await file.mayContainMany(batch, { onDamage: (error) => errors.push(error) });
    expect([...answers]).toEqual(new Array(50).fill(1));
    expect(errors.length).toBe(1);
  });
});

describe("verification", () => {
  it("finds the same with memory that it reuses", async () => {
    const bytes = await writeBloom(numberedKeys(300), { filterBytes: 128 });
    bytes.fill(0xff, 40, 60);
    const file = await openBloom(bytes);
    const report = await file.verify();
    expect(report.ok).toBe(false);
    expect(await file.verify({ arena: new MemoryArena() })).toEqual(report);
  });
});
