import { ArrayBatch, BinaryBatch, BoolBatch, DictionaryBatch, FixedBatch } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import type { ColumnBatch } from "cfile";
import { describe, expect, test } from "vitest";
import { BatchPacker, unpackBatch } from "../src/messages/batch-message.js";

const rows = (length: number) =>
  ({ type: "INT32", length, firstRow: 5, validity: undefined, nullCount: 0 }) as const;

/** Sends batches as messages, and unpacks them. */
function send(...batches: ColumnBatch[]): { received: ColumnBatch[]; moved: number } {
  const packer = new BatchPacker();
  for (const batch of batches) {
    packer.add(batch);
  }
  const { transfer } = packer;
  const messages = structuredClone(packer.batches, { transfer });
  return { received: messages.map((message) => unpackBatch(message, undefined)), moved: transfer.length };
}

describe("an array", () => {
  test("that fills its buffer is transferred", () => {
    const values = Int32Array.of(1, 2, 3);
    const { received } = send(new FixedBatch(rows(3), "INT32", values));
    expect(received[0]?.toArray()).toEqual([1, 2, 3]);
    expect(values.length).toBe(0);
  });

  test("in a larger buffer is copied, and the buffer is kept", () => {
    const block = Int32Array.of(9, 1, 2, 3, 9);
    const { received } = send(new FixedBatch(rows(3), "INT32", block.subarray(1, 4)));
    expect(received[0]?.toArray()).toEqual([1, 2, 3]);
    expect([...block]).toEqual([9, 1, 2, 3, 9]);
    expect(received[0]?.kind === "fixed" && received[0].values.buffer.byteLength).toBe(12);
  });

  test("in shared memory is copied", () => {
    const values = new Int32Array(new SharedArrayBuffer(8)).fill(7);
    const { received } = send(new FixedBatch(rows(2), "INT32", values));
    expect(received[0]?.kind === "fixed" && received[0].values.buffer).toBeInstanceOf(ArrayBuffer);
    expect(received[0]?.toArray()).toEqual([7, 7]);
  });

  test("shared by two batches is transferred once", () => {
    const values = Int32Array.of(4, 5);
    const batch = new FixedBatch(rows(2), "INT32", values);
    expect(send(batch, batch).received.map((each) => each.toArray())).toEqual([
      [4, 5],
      [4, 5],
    ]);
  });

  test("without elements is never transferred: it may be a shared constant", () => {
    const empty = new Int32Array(0);
    const { moved } = send(new FixedBatch(rows(0), "INT32", empty));
    expect(moved).toBe(0);
    expect(() => empty.subarray(0)).not.toThrow();
  });
});

describe("a batch", () => {
  test("of strings sends only its own part of the block", () => {
    const data = new TextEncoder().encode("skipped words one two and many more words that nobody asked for");
    const batch = new BinaryBatch({ ...rows(2), type: "STRING" }, Int32Array.of(14, 18, 21), data);
    const [received] = send(batch).received;
    expect(received?.toArray()).toEqual(["one ", "two"]);
    expect(received?.kind === "binary" && received.data.length).toBe(7);
    expect(batch.toArray()).toEqual(["one ", "two"]);
  });

  test.each<[string, () => ColumnBatch]>([
    ["bool with nulls", () => batchFromValues({ type: "BOOL", nullable: true }, [true, null, false])],
    ["int64", () => batchFromValues({ type: "INT64" }, [1n, -(2n ** 63n)])],
    ["int128", () => batchFromValues({ type: "INT128" }, [-(2n ** 127n), 5n])],
    ["strings with nulls", () => batchFromValues({ type: "STRING", nullable: true }, ["a", null, "", "b"])],
    [
      "arrays",
      () => batchFromValues({ type: "INT32", array: true, nullable: true }, [[1, null], null, [], [2]]),
    ],
    ["arrays of strings", () => batchFromValues({ type: "STRING", array: true }, [["x", "y"], [], ["z"]])],
  ])("of %s arrives unchanged", (_, make) => {
    const { received } = send(make());
    const batch = make();
    expect(received[0]?.toArray()).toEqual(batch.toArray());
    expect(received[0]).toMatchObject({ kind: batch.kind, type: batch.type, nullCount: batch.nullCount });
    expect(received[0]).toBeInstanceOf(batch.constructor);
  });

  test("with a dictionary gets the dictionary of the receiving file", () => {
    const dictionary = {
      kind: "binary",
      length: 1,
      offsets: Int32Array.of(0, 1),
      data: Uint8Array.of(65),
    } as const;
    const packer = new BatchPacker();
    const string = { ...rows(2), type: "STRING" } as const;
    packer.add(new DictionaryBatch(string, Int32Array.of(0, 0), dictionary));
    packer.add(
      new ArrayBatch(
        { ...string, length: 1 },
        Int32Array.of(0, 2),
        new DictionaryBatch(string, Int32Array.of(0, 0), dictionary),
      ),
    );
    packer.add(new BoolBatch({ ...rows(1), type: "BOOL" }, Uint8Array.of(1)));
    const [scalar, array, bool] = structuredClone(packer.batches, { transfer: packer.transfer }).map(
      (message) => unpackBatch(message, dictionary),
    );
    expect(scalar?.kind === "dictionary" && scalar.dictionary).toBe(dictionary);
    expect(array?.toArray()).toEqual([["A", "A"]]);
    expect(bool?.toArray()).toEqual([true]);
    expect(dictionary.data[0]).toBe(65);
  });
});
