import { fromHex } from "@cfile/bytes";
import { describe, expect, it } from "vitest";
import {
  DATA_TYPES,
  type DataType,
  ENCODING_TYPES,
  type EncodingType,
  encodingsOf,
  loadBlockOpener,
} from "../src/index.js";
import { goldenBlockNames, loadGoldenBlocks, vectorFromGolden, wordsFromGolden } from "./golden.js";
import { cellsOf } from "./vectors.js";

describe.each(goldenBlockNames())("%s", (name) => {
  it("is opened by the decoder loaded for it", async () => {
    const { cases, encoding, type } = loadGoldenBlocks(name);
    const open = await loadBlockOpener(type, encoding);
    for (const { hex, values } of cases) {
      const context = encoding === "DICT_ENCODING" ? { dictionary: wordsFromGolden(values) } : {};
      const block = open(fromHex(hex), context);
      expect(cellsOf(block.decode(0, block.count))).toEqual(cellsOf(vectorFromGolden(type, values)));
    }
  });
});

describe("types and encodings", () => {
  const types = Object.keys(DATA_TYPES) as DataType[];
  const encodings = Object.keys(ENCODING_TYPES) as EncodingType[];

  it.each(types)("%s has decoders for exactly its encodings", async (type) => {
    for (const encoding of encodings) {
      const loading = loadBlockOpener(type, encoding);
      if (encoding === "AUTO_ENCODING" || encodingsOf(DATA_TYPES[type].physical).includes(encoding)) {
        expect(await loading).toBeTypeOf("function");
      } else {
        await expect(loading).rejects.toMatchObject({ code: "E_UNSUPPORTED", field: "encoding" });
      }
    }
  });
});
