import { describe, expect, it } from "vitest";
import { openKuduDir } from "../src/index.js";
import { serverFiles, treeOf } from "./servers.js";

/** A server with a copy of one block's file, under a name that `nameOf` derives from the original. */
function serverWithCopy(nameOf: (name: string) => string): { files: Map<string, Uint8Array>; copy: string } {
  const files = serverFiles("file");
  const [path = "", bytes = new Uint8Array(0)] = [...files].find(([name]) => /\/\d{16}$/.test(name)) ?? [];
  const copy = path.slice(0, -16) + nameOf(path.slice(-16));
  files.set(copy, bytes);
  return { files, copy };
}

describe("a block's file that is not where its ID belongs", () => {
  it.each([
    ["in the folder of another ID", (name: string) => String(BigInt(name) + (1n << 24n)).padStart(16, "0")],
    ["with more zeros before its ID", (name: string) => `000${name}`],
  ])("is a problem, once, and is not listed: %s", async (_, nameOf) => {
    const { files, copy } = serverWithCopy(nameOf);
    await using whole = await openKuduDir(treeOf(serverFiles("file")));
    await using dir = await openKuduDir(treeOf(files));
    const expected = [expect.objectContaining({ code: "E_CORRUPT", path: expect.stringContaining(copy) })];
    // The problems are the same before, between and after listings.
    expect(await dir.problems()).toEqual(expected);
    const ids = (await dir.blocks.list()).map(({ id }) => id);
    await dir.blocks.list();
    expect(ids).toEqual((await whole.blocks.list()).map(({ id }) => id));
    expect(await dir.problems()).toEqual(expected);
  });
});
