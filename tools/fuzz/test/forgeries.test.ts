import { equalBytes } from "@cfile/bytes";
import { describe, expect, test } from "vitest";
import { forgedFiles, MAX_BYTES, measureForgeries } from "../src/forgeries/measure-forgeries.js";
import { allForgeries, fileNameOf } from "../src/forgeries/write-forgeries.js";

const forged = forgedFiles();
const REFUSED = /^E_(?:CORRUPT|CHECKSUM|TRUNCATED|LIMIT|UNSUPPORTED)$/;
/** A last entry that cannot be read was not completely written. */
const TORN = ["Kudu: write-ahead logs"];
/** The full run measures on a quiet machine; here, many other tests run. */
const MILLISECONDS = 1000;

describe("bombs and forgeries", () => {
  test("include at least sixty files, which match the generated ones", async () => {
    expect(forged.length).toBeGreaterThanOrEqual(60);
    const all = allForgeries();
    expect(forged.map(({ file }) => file).sort()).toEqual(Object.keys(all).map(fileNameOf).sort());
    for (const [what, { make }] of Object.entries(all)) {
      const kept = forged.find(({ file }) => file === fileNameOf(what));
      expect(kept !== undefined && equalBytes(kept.bytes, await make()), what).toBe(true);
    }
  });

  test.each(forged.map((bad) => [bad.file, bad] as const))(
    "%s: rejected quickly, in little memory",
    async (_file, bad) => {
      for (const { what, code, milliseconds, bytes } of await measureForgeries([bad])) {
        if (what === "read" && !TORN.includes(bad.harness)) {
          expect(code).toMatch(REFUSED);
        }
        expect(code).toMatch(/^E_|^result$/);
        expect(milliseconds, what).toBeLessThan(MILLISECONDS);
        if (what === "read") {
          expect(bytes).toBeLessThan(MAX_BYTES);
        }
      }
    },
  );
});
