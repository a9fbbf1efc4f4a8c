import { isCFileError } from "@cfile/bytes";
import { describe, expect, it } from "vitest";
import { openHFile } from "../src/index.js";
import { type RecoveredHFile, recoverHFile } from "../src/recover.js";
import { EntriesDigest } from "./entries-digest.js";
import { goldenFile, goldenFiles } from "./golden.js";

const flipped = (bytes: Uint8Array, offset: number, xor: number): Uint8Array => {
  const copy = bytes.slice();
  copy[offset] = (copy[offset] as number) ^ xor;
  return copy;
};

async function recovered(bytes: Uint8Array): Promise<{ digest: EntriesDigest; file: RecoveredHFile }> {
  const file = await recoverHFile(bytes);
  const digest = new EntriesDigest();
  for await (const batch of file.batches()) {
    digest.add(batch);
  }
  return { digest, file };
}

describe.each(goldenFiles)("$name", ({ bytes, facts }) => {
  it("passes verification and is recovered completely", async () => {
    const reader = await openHFile(bytes);
    const report = await reader.verify();
    expect(report.problems).toEqual([]);
    expect(report.entries).toBe(facts.entry_count);
    if (facts.checksum !== undefined && report.chunks > 0) {
      expect(report.chunks).toBe(facts.checksum.chunks_verified);
    }
    const { digest, file } = await recovered(bytes);
    expect([digest.hex(), file.lost]).toEqual([facts.entries_sha256, []]);
  });

  it("yields all cells even without its trailer", async () => {
    const { digest, file } = await recovered(bytes.subarray(0, bytes.length - 4000));
    expect(digest.hex()).toBe(facts.entries_sha256);
    expect(file.lost).toMatchObject([{ offset: bytes.length - 4096, size: 96 }]);
  });
});

const damagedFiles = goldenFiles.filter(({ facts }) => (facts.corruption_cases ?? []).length > 0);

describe.each(damagedFiles)("damaged $name", ({ bytes, facts }) => {
  it("loses only the damaged block", async () => {
    for (const damage of facts.corruption_cases ?? []) {
      const bad = flipped(bytes, damage.edit.offset, damage.edit.xor);
      const { digest, file } = await recovered(bad);
      expect(digest.count).toBeLessThanOrEqual(facts.entry_count);
      const sum = damage.remaining_entries_sha256 ?? facts.entries_sha256;
      const hasChecksums =
        facts.checksum !== undefined && (await (await openHFile(bytes)).verify()).chunks > 0;
      if (damage.bad_block_type === "TRAILER") {
        await expect(openHFile(bad)).rejects.toSatisfy((error) => isCFileError(error, "E_CORRUPT"));
      } else if (hasChecksums) {
        const report = await (await openHFile(bad)).verify();
        expect(report.ok).toBe(false);
        expect(report.problems[0]).toMatchObject({
          code: "E_CHECKSUM",
          block: { offset: damage.bad_block_offset },
          field: `checksum ${damage.bad_chunk_index}`,
        });
      }
      if (hasChecksums || damage.bad_block_type === "TRAILER") {
        expect(digest.hex()).toBe(sum);
        expect(file.lost.map(({ offset }) => offset)).toEqual([damage.bad_block_offset]);
      }
    }
  });
});

describe("damage", () => {
  const { bytes, facts } = goldenFile("hudi_1_0_hbase_2_4_9_16KB_NONE_5000");
  const second = 16443;

  it.each([
    ["magic", second + 3],
    ["size", second + 8],
    ["size, up to the next block,", second + 10],
    ["checksum type", second + 24],
  ])("to the %s loses one block", async (_, offset) => {
    const { digest, file } = await recovered(flipped(bytes, offset, 0x10));
    expect(digest.count).toBe(facts.entry_count - 278);
    expect(file.lost).toMatchObject([{ offset: second, size: 16443 }]);
  });

  it("that repeats a block reports the second one", async () => {
    const first = bytes.slice(0, second);
    const repeated = new Uint8Array(bytes.length + second);
    repeated.set(first);
    repeated.set(bytes, second);
    const { digest, file } = await recovered(repeated);
    expect(digest.hex()).toBe(facts.entries_sha256);
    expect(file.lost).toMatchObject([{ offset: second, size: second, kind: "data", code: "E_CORRUPT" }]);
  });

  it("is ignored if checksums are not verified", async () => {
    const bad = flipped(bytes, 76, 1);
    const reader = await openHFile(bad, { checksums: false });
    const digest = new EntriesDigest();
    for await (const batch of reader.scan()) {
      digest.add(batch);
    }
    expect(digest.count).toBe(facts.entry_count);
  });
});
