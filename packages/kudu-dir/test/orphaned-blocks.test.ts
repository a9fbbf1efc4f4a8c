import { describe, expect, it } from "vitest";
import { checkKuduDir, openKuduDir } from "../src/index.js";
import { serverFiles, treeOf } from "./servers.js";

/** Block files, each with a name that no tablet refers to. */
function orphanPlaces(): readonly {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly orphan: string;
}[] {
  const files = serverFiles("file");
  const blocks = [...files].filter(([path]) => /\/\d{16}$/.test(path)).slice(0, 12);
  return blocks.map(([path, bytes], i) => {
    // Block IDs that differ only in their last 24 bits are in one folder.
    const id = BigInt(path.slice(-16)) + 5000n + BigInt(i);
    return { path, bytes, orphan: path.slice(0, -16) + String(id).padStart(16, "0") };
  });
}

async function checkedWith(changed: (place: ReturnType<typeof orphanPlaces>[number]) => Uint8Array) {
  const files = serverFiles("file");
  const places = orphanPlaces();
  for (const place of places) {
    files.set(place.orphan, changed(place));
  }
  await using dir = await openKuduDir(treeOf(files));
  return { places, result: await checkKuduDir(dir) };
}

describe("orphaned blocks", () => {
  it("are verified; undamaged ones pass", async () => {
    const { places, result } = await checkedWith(({ bytes }) => bytes);
    expect(places.length).toBeGreaterThan(5);
    expect(result.orphaned.length).toBe(places.length);
    expect(result).toMatchObject({ ok: true, orphanProblems: [] });
  });

  it.each([
    ["cut off", (bytes: Uint8Array) => bytes.subarray(0, bytes.length >> 1)],
    [
      "with a flipped bit",
      (bytes: Uint8Array) => {
        const copy = bytes.slice();
        copy[copy.length >> 1] = (copy[copy.length >> 1] ?? 0) ^ 4;
        return copy;
      },
    ],
    ["with nothing in them", () => new Uint8Array(0)],
  ])("are named when they are %s, though no row is lost with them", async (_, damage) => {
    const { places, result } = await checkedWith(({ bytes }) => damage(bytes));
    expect(result).toMatchObject({ ok: true, problemCount: 0 });
    expect(new Set(result.orphanProblems.map(({ path }) => path))).toEqual(
      new Set(result.orphaned.map((id) => `block ${id}`)),
    );
    expect(result.orphanProblems.length).toBeGreaterThanOrEqual(places.length);
    expect(result.orphanProblems.every(({ role, code }) => role === "orphan" && code.startsWith("E_"))).toBe(
      true,
    );
  });
});
