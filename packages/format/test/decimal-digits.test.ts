import { describe, expect, it } from "vitest";
import { digitsMetadata, digitsOf } from "../src/index.js";

const pairs = (texts: Readonly<Record<string, string>>) =>
  Object.entries(texts).map(([key, text]) => ({ key, value: new TextEncoder().encode(text) }));

describe("digits of decimals", () => {
  it("round-trip through metadata pairs", () => {
    const footerMetadata = digitsMetadata({ precision: 12, scale: 2 });
    expect(footerMetadata.map(({ key }) => key)).toEqual(["cfile.precision", "cfile.scale"]);
    expect(digitsOf({ type: "DECIMAL64", footerMetadata })).toEqual({ precision: 12, scale: 2 });
    expect(digitsMetadata({})).toEqual([]);
    const whole = digitsMetadata({ precision: 38 });
    expect(digitsOf({ type: "DECIMAL128", footerMetadata: whole })).toEqual({ precision: 38, scale: 0 });
  });

  it.each([
    ["INT64", { "cfile.precision": "12" }],
    ["DECIMAL32", { "cfile.precision": "10" }],
    ["DECIMAL32", { "cfile.precision": "0" }],
    ["DECIMAL32", { "cfile.precision": "" }],
    ["DECIMAL32", { "cfile.precision": "5", "cfile.scale": "6" }],
    ["DECIMAL128", { "cfile.precision": "1e1" }],
    ["DECIMAL128", { "cfile.precision": "-1" }],
    ["DECIMAL128", { "cfile.scale": "3" }],
    ["DECIMAL128", {}],
  ] as const)("are ignored for %s with %j", (type, texts) => {
    expect(digitsOf({ type, footerMetadata: pairs(texts) })).toEqual({});
  });
});
