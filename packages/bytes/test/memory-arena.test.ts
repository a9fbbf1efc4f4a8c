import { describe, expect, test } from "vitest";
import { ArenaBuilder, MemoryArena } from "../src/index.js";

describe("MemoryArena", () => {
  test("reuses buffers after recycle()", () => {
    const arena = new MemoryArena();
    const first = arena.take(5000);
    const second = arena.take(5000);
    expect(first.byteLength).toBeGreaterThanOrEqual(5000);
    expect(second).not.toBe(first);
    arena.recycle();
    expect([first, second]).toContain(arena.take(4000));
  });

  test("zeroes a reused buffer on request", () => {
    const arena = new MemoryArena();
    new Uint8Array(arena.take(100)).fill(7);
    arena.recycle();
    expect(new Uint8Array(arena.take(100, true), 0, 100)).toEqual(new Uint8Array(100));
  });

  test("does not use a buffer more than four times as large as requested", () => {
    const arena = new MemoryArena();
    const large = arena.take(1 << 20);
    arena.recycle();
    expect(arena.take((1 << 18) - 1)).not.toBe(large);
    expect(arena.take(1 << 18)).toBe(large);
  });

  test("does not reuse detached buffers, including those of its parts", () => {
    const arena = new MemoryArena();
    const part = arena.part("column");
    const [one, other, ofPart] = [arena.take(9), arena.take(9), part.take(9)];
    expect(arena.detach(one)).toBe(true);
    expect(arena.detach(one)).toBe(false);
    arena.detachAll();
    arena.recycle();
    part.recycle();
    part.release(ofPart);
    expect([one, other]).not.toContain(arena.take(9));
    expect(part.take(9)).not.toBe(ofPart);
  });

  test("has parts whose buffers stay in use when it is recycled", () => {
    const arena = new MemoryArena();
    const part = arena.part(1);
    expect(arena.part(1)).toBe(part);
    expect(arena.part(2)).not.toBe(part);
    const buffer = part.take(9);
    arena.recycle();
    expect(part.take(9)).not.toBe(buffer);
    part.release(buffer);
    expect(part.take(9)).toBe(buffer);
  });

  test("shares free buffers with concurrent scans, but not buffers in use", () => {
    const arena = new MemoryArena();
    const [left, right] = [arena.share(), arena.share()];
    const buffer = left.take(9);
    const read = left.part("reads").take(9);
    right.recycle();
    right.part("reads").recycle();
    expect(right.take(9)).not.toBe(buffer);
    left.recycle();
    left.part("reads").recycle();
    expect(right.take(9)).toBe(buffer);
    expect(right.part("reads").take(9)).toBe(read);
  });

  test("drops the oldest free buffers beyond its budget, and transferred ones", () => {
    const arena = new MemoryArena({ maxBuffers: 1 });
    const [oldest, youngest] = [arena.take(9), arena.take(9)];
    arena.recycle();
    expect(arena.take(9)).toBe(youngest);
    expect(arena.take(9)).not.toBe(oldest);
    structuredClone(youngest, { transfer: [youngest] });
    arena.recycle();
    expect(arena.take(9)).not.toBe(youngest);
    expect(new MemoryArena({ maxBytes: 0 }).take(9).byteLength).toBeGreaterThanOrEqual(9);
  });

  test("reuses adopted buffers", () => {
    const arena = new MemoryArena();
    const buffer = new ArrayBuffer(64);
    arena.adopt([buffer]);
    expect(arena.take(64)).toBe(buffer);
  });

  test("holds the bytes of a builder, which releases what it has outgrown", () => {
    const arena = new MemoryArena();
    const builder = new ArenaBuilder(4096, arena);
    builder.append(new Uint8Array(4096).fill(7));
    const before = builder.view8().buffer;
    builder.u8(8);
    expect(builder.finish()).toEqual(Uint8Array.of(...new Uint8Array(4096).fill(7), 8));
    expect(arena.take(4096)).toBe(before);
    const grown = builder.view8().buffer;
    arena.recycle();
    expect(arena.take(8192)).toBe(grown);
  });
});
