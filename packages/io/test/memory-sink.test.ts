import { expect, test } from "vitest";
import { memorySink } from "../src/index.js";

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

test("returns the written bytes once it is closed", async () => {
  const sink = memorySink();
  expect(sink.name).toBe("memory");
  const buffer = bytes(1, 2);
  await sink.write(buffer);
  buffer.fill(9);
  await sink.write(bytes());
  await sink.write(bytes(3));
  expect(() => sink.bytes()).toThrow(expect.objectContaining({ code: "E_INVALID_ARGUMENT", path: "memory" }));
  await sink.close();
  expect(sink.bytes()).toEqual(bytes(1, 2, 3));
  await sink.abort();
  expect(sink.bytes()).toEqual(bytes(1, 2, 3));
  await expect(sink.close()).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
  await expect(sink.write(bytes(4))).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
});

test("does not copy owned bytes", async () => {
  const sink = memorySink();
  await sink.write(bytes(1));
  const given = bytes(2, 3);
  await sink.write(given, true);
  await sink.close();
  expect(sink.bytes()).toEqual(bytes(1, 2, 3));
  expect(sink.bytes()).toBe(sink.bytes());
});

test("joins many small and large pieces", async () => {
  const sink = memorySink("m");
  const all: number[] = [];
  for (let length = 0; length < 500; length += 7) {
    const piece = Uint8Array.from({ length }, (_, i) => (length + i) & 255);
    await sink.write(piece);
    all.push(...piece);
  }
  await sink.close();
  expect(sink.bytes()).toEqual(Uint8Array.from(all));
});

test("has no content after abort", async () => {
  const sink = memorySink();
  await sink.write(bytes(1));
  await sink.abort();
  await sink.abort();
  await expect(sink.close()).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
  await expect(sink.write(bytes(1))).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
  expect(() => sink.bytes()).toThrow(expect.objectContaining({ code: "E_INVALID_ARGUMENT" }));
});

test("can be truncated, within a piece and at its end", async () => {
  const sink = memorySink();
  await sink.write(bytes(1, 2));
  await sink.write(bytes(3, 4));
  await sink.truncate?.(3);
  await sink.write(bytes(5));
  await sink.truncate?.(4);
  await sink.close();
  expect(sink.bytes()).toEqual(bytes(1, 2, 3, 5));
  await expect(sink.truncate?.(0)).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
});
