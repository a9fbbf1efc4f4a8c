import { CFileError } from "@cfile/bytes";
import { describe, expect, test } from "vitest";
import { type ByteSource, memorySource, readExactly, sizeOf } from "../src/index.js";

/** A third-party source whose results do not match the types. */
function foreign(answer: () => unknown): ByteSource {
  return { name: "theirs", size: answer as ByteSource["size"], read: answer as ByteSource["read"] };
}

const bytes = Uint8Array.of(0, 1, 2, 3, 4);

describe("readExactly", () => {
  test("returns the requested bytes", async () => {
    const source = memorySource(bytes);
    expect(await readExactly(source, 1, 3)).toEqual(Uint8Array.of(1, 2, 3));
    expect(await readExactly(source, 5, 0)).toEqual(new Uint8Array(0));
  });

  test("converts a Buffer to a Uint8Array, whose slice copies", async () => {
    const buffer = Buffer.from(bytes);
    const read = await readExactly(
      foreign(() => Promise.resolve(buffer)),
      0,
      5,
    );
    const own = read.slice(1, 3);
    own[0] = 99;
    expect(read).toEqual(bytes);
    expect((await memorySource(buffer).read(0, 5)).constructor).toBe(Uint8Array);
  });

  test("a short result is E_TRUNCATED with field, offset and lengths", async () => {
    await expect(readExactly(memorySource(bytes, "five"), 3, 4, { field: "footer" })).rejects.toMatchObject({
      code: "E_TRUNCATED",
      path: "five",
      field: "footer",
      offset: 3,
      expected: 4,
      actual: 2,
    });
  });

  test("a long result is E_IO", async () => {
    const source = foreign(async () => bytes);
    await expect(readExactly(source, 0, 4)).rejects.toMatchObject({ code: "E_IO", expected: 4, actual: 5 });
  });

  test.each([
    undefined,
    null,
    5,
    "12345",
    [1, 2, 3, 4, 5],
    new ArrayBuffer(5),
    new Int8Array(5),
    { length: 5 },
  ])("a result that is not bytes is E_IO: %o", async (answer) => {
    await expect(
      readExactly(
        foreign(async () => answer),
        0,
        5,
      ),
    ).rejects.toMatchObject({
      code: "E_IO",
      path: "theirs",
    });
  });

  test.each([new RangeError("theirs"), "a text", null, undefined])(
    "an error of the source becomes E_IO with its cause: %o",
    async (thrown) => {
      const fails = (): never => {
        throw thrown;
      };
      for (const source of [foreign(fails), foreign(async () => fails())]) {
        const error = await readExactly(source, 0, 5).catch((caught: unknown) => caught);
        expect(error).toMatchObject({ code: "E_IO", path: "theirs" });
        expect(error instanceof CFileError && error.cause).toBe(thrown);
        await expect(sizeOf(source)).rejects.toMatchObject({ code: "E_IO", path: "theirs" });
      }
    },
  );

  test("a CFileError of the source is passed on unchanged", async () => {
    const error = new CFileError("E_SOURCE_CHANGED", "other");
    const source = foreign(() => Promise.reject(error));
    await expect(readExactly(source, 0, 5)).rejects.toBe(error);
    await expect(sizeOf(source)).rejects.toBe(error);
  });

  test.each([
    [-1, 1],
    [0, -1],
    [0.5, 1],
    [0, 1.5],
    [Number.NaN, 1],
    [0, Number.POSITIVE_INFINITY],
    [2 ** 53, 1],
  ])("offset %d and length %d are an invalid range", async (offset, length) => {
    await expect(readExactly(memorySource(bytes), offset, length)).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      field: "range",
    });
  });

  test("an aborted read fails with the reason, whatever the source does", async () => {
    const reason = { why: "enough" };
    const before = AbortSignal.abort(reason);
    let asked = 0;
    const counting = foreign(async () => asked++);
    await expect(readExactly(counting, 0, 1, { signal: before })).rejects.toBe(reason);
    await expect(sizeOf(counting, { signal: before })).rejects.toBe(reason);
    expect(asked).toBe(0);

    for (const [action, thrown] of [
      [(source: ByteSource, signal: AbortSignal) => readExactly(source, 0, 1, { signal }), reason],
      [
        (source: ByteSource, signal: AbortSignal) => readExactly(source, 0, 1, { signal }),
        new Error("cut off"),
      ],
      [(source: ByteSource, signal: AbortSignal) => sizeOf(source, { signal }), new Error("cut off")],
    ] as const) {
      const controller = new AbortController();
      const source = foreign(async () => {
        controller.abort(reason);
        throw thrown;
      });
      await expect(action(source, controller.signal)).rejects.toBe(reason);
    }
  });
});

describe("sizeOf", () => {
  test("returns the size", async () => {
    expect(await sizeOf(memorySource(bytes))).toBe(5);
  });

  test.each([undefined, null, -1, 1.5, Number.NaN, 2 ** 53, "5", 5n])(
    "%o is an invalid size",
    async (answer) => {
      await expect(sizeOf(foreign(async () => answer))).rejects.toMatchObject({
        code: "E_IO",
        path: "theirs",
        field: "size",
      });
    },
  );
});
