import { describe, expect, test } from "vitest";
import { CFileError, corrupt, invalidArgument, isCFileError, withErrorContext } from "../src/index.js";

describe("CFileError", () => {
  test("says code, reason and place", () => {
    const error = corrupt("bad count", { offset: 7, field: "count", expected: 1, actual: 2 });
    expect(error.code).toBe("E_CORRUPT");
    expect(error.reason).toBe("bad count");
    expect(error.message).toBe("bad count [offset 7, count]");
    expect(invalidArgument("no").message).toBe("no");
  });

  test("gains context on its way up and keeps what it knew", () => {
    const thrown = (): never => {
      throw new CFileError("E_CHECKSUM", "wrong", { offset: 3 });
    };
    const block = { offset: 100, size: 20 };
    const act = () =>
      withErrorContext({ path: "f.cfile", offset: 99 }, () => withErrorContext({ block }, thrown));
    expect(act).toThrow(expect.objectContaining({ code: "E_CHECKSUM", offset: 3, block, path: "f.cfile" }));
    expect(act).toThrow("wrong [f.cfile, block at 100 (20 bytes), offset 3]");
  });

  test("leaves other errors alone", () => {
    const other = new TypeError("other");
    const act = () =>
      withErrorContext({ path: "x" }, () => {
        throw other;
      });
    expect(act).toThrow(other);
  });

  test("is recognized by its code after a structured clone; other values are not", () => {
    const error = new CFileError("E_LIMIT", "too big");
    const plain = JSON.parse(JSON.stringify(error)) as unknown;
    expect(isCFileError(error)).toBe(true);
    expect(isCFileError(plain)).toBe(true);
    expect(isCFileError(plain, "E_LIMIT")).toBe(true);
    expect(isCFileError(plain, "E_IO")).toBe(false);
    for (const other of [new Error("x"), null, undefined, 3, { name: "CFileError", code: "E_NONE" }]) {
      expect(isCFileError(other)).toBe(false);
    }
  });
});
