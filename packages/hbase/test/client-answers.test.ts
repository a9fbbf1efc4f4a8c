/** Every scan and get that HBase's client recorded. */
import { fromHex, toHex } from "@cfile/bytes";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HBaseTable } from "../src/index.js";
import { cellFacts, collectCells, expectedCells, FACTS, openFacts, openRoot, scanOptions } from "./golden.js";

/** HBase's number of seconds for no TTL. */
const FOREVER = 2147483647;

describe.each(FACTS)("%s of %s", (_, folder, facts) => {
  let table: HBaseTable;

  beforeAll(async () => {
    table = await openFacts(await openRoot(folder), facts);
  });

  afterAll(() => table.close());

  if (facts.regions !== undefined) {
    it("has the regions that the client sees", () => {
      const found = table.regions.map(({ encodedName, regionId, startKey, endKey }) => ({
        encodedName,
        regionId,
        startKey: toHex(startKey),
        endKey: toHex(endKey),
      }));
      const expected = (facts.regions ?? []).map(({ encodedName, ...bounds }) =>
        bounds.regionId === undefined
          ? { encodedName }
          : { encodedName, regionId: bounds.regionId, startKey: bounds.startKey, endKey: bounds.endKey },
      );
      expect(found).toMatchObject(expected);
      expect(found).toHaveLength(expected.length);
    });
  }

  if (facts.schema !== undefined) {
    it("has the families and their attributes", () => {
      const { families, attributes } = table.descriptor;
      const { values, families: expected = [] } = facts.schema ?? {};
      expect(Object.fromEntries(attributes)).toMatchObject(values ?? {});
      expect(expected).toMatchObject(
        families.map(
          ({
            name,
            maxVersions,
            minVersions,
            ttlSeconds,
            keepDeletedCells,
            newVersionBehavior,
            mob,
            ...rest
          }) => ({
            name,
            maxVersions,
            minVersions,
            ttlSeconds: ttlSeconds ?? FOREVER,
            keepDeletedCells,
            newVersionBehavior,
            mob,
            values: Object.fromEntries(rest.attributes),
          }),
        ),
      );
    });
  }

  it.each(facts.scans.map((scan) => [JSON.stringify(scan.options), scan] as const))(
    "scan %s",
    async (_, scan) => {
      const found = await collectCells(table.scan(scanOptions(scan)));
      expect(found).toEqual(expectedCells(facts, scan));
    },
  );

  if (facts.gets.length > 0) {
    it("gets", async () => {
      for (const get of facts.gets) {
        const row = fromHex(get.options.row ?? "");
        const found = await table.get(row, scanOptions(get));
        expect({ options: get.options, cells: cellFacts(found) }).toEqual({
          options: get.options,
          cells: expectedCells(facts, get),
        });
      }
    });
  }
});
