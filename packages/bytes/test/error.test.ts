import { describe, expect, test } from "vitest";
import {
  attempt,
  CFileError,
  corrupt,
  invalidArgument,
  isCFileError,
  withErrorContext,
} from "../src/index.js";

describe("CFileError", () => {
  test("has a code, a reason and a location", () => {
    const error = corrupt("bad count", { offset: 7, field: "count", expected: 1, actual: 2 });
    expect(error.code).toBe("E_CORRUPT");
    expect(error.reason).toBe("bad count");
    expect(error.message).toBe("bad count [offset 7, count]");
    expect(invalidArgument("no").message).toBe("no");
  });

  test("collects context as it propagates, without overwriting details", () => {
    const thrown = (): never => {
      throw new CFileError("E_CHECKSUM", "wrong", { offset: 3 });
    };
    const block = { offset: 100, size: 20 };
    const act = () =>
      withErrorContext({ path: "f.cfile", offset: 99 }, () => withErrorContext({ block }, thrown));
    expect(act).toThrow(expect.objectContaining({ code: "E_CHECKSUM", offset: 3, block, path: "f.cfile" }));
    expect(act).toThrow("wrong [f.cfile, block at 100 (20 bytes), offset 3]");
  });

  test("context is not added to other errors", () => {
    const other = new TypeError("other");
    const act = () =>
      withErrorContext({ path: "x" }, () => {
        throw other;
      });
    expect(act).toThrow(other);
  });

  test("is recognized after serialization to JSON; other values are not", () => {
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

  test("becomes undefined with attempt(), which throws other errors", () => {
    const failure = (error: Error) => () => {
      throw error;
    };
    expect(attempt(() => 3)).toBe(3);
    expect(attempt(failure(corrupt("bad")))).toBeUndefined();
    expect(() => attempt(failure(new TypeError("other")))).toThrow("other");
  });
});
