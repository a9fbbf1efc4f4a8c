import { memorySource } from "@cfile/io";
import { readGolden } from "@cfile-tools/testkit";
import { expect, test } from "vitest";
import { openCFile } from "../src/index.js";
import { scanDamagedCFile } from "../src/recover.js";

const golden = (name: string): Uint8Array => readGolden(`${name}.cfile`);

// Plain integers look like RLE runs followed by many other values.
test.each([
  "large_int32_plain_validx",
  "enc_int32_plain_n1000",
  "enc_int64_plain_n1000",
  "enc_int16_rle_n1000",
])("the encoding of %s is guessed without a footer", async (name) => {
  const whole = golden(name);
  const file = await openCFile(memorySource(whole));
  const cut = whole.subarray(0, file.structure.footerRange.offset);
  const { ledger } = await scanDamagedCFile(memorySource(cut), { type: file.type });
  expect(ledger.column.encoding).toBe(file.encoding);
  expect(ledger.rowsKept).toBe(file.rowCount);
});
