/** Reuse of memory: the owner of each buffer, and for how long. */
import { describe, expect, test } from "vitest";
import { MemoryArena } from "../src/index.js";

describe("an arena", () => {
  test("gives a buffer again once all is recycled", () => {
    const arena = new MemoryArena();
    const first = arena.take(5000);
    const second = arena.take(5000);
    expect(first.byteLength).toBeGreaterThanOrEqual(5000);
    expect(second).not.toBe(first);
    arena.recycle();
    expect([first, second]).toContain(arena.take(4000));
  });

  test("gives zeros when requested", () => {
    const arena = new MemoryArena();
    new Uint8Array(arena.take(100)).fill(7);
    arena.recycle();
    expect(new Uint8Array(arena.take(100, true), 0, 100)).toEqual(new Uint8Array(100));
  });

  test("takes no buffer that is four times too large", () => {
    const arena = new MemoryArena();
    const large = arena.take(1 << 20);
    arena.recycle();
    expect(arena.take((1 << 18) - 1)).not.toBe(large);
    expect(arena.take(1 << 18)).toBe(large);
  });

  test("leaves detached buffers to their owners, also those of its parts", () => {
    const arena = new MemoryArena();
    const part = arena.part("column");
    const [one, other, ofPart] = [arena.take(9), arena.take(9), part.take(9)];
    expect(arena.detach(one)).toBe(true);
    expect(arena.detach(one)).toBe(false);
    arena.detachAll();
    arena.recycle();
    part.recycle();
    part.giveBack(ofPart);
    expect([one, other]).not.toContain(arena.take(9));
    expect(part.take(9)).not.toBe(ofPart);
  });

  test("has parts of its own, which keep their memory when it is recycled", () => {
    const arena = new MemoryArena();
    const part = arena.part(1);
    expect(arena.part(1)).toBe(part);
    expect(arena.part(2)).not.toBe(part);
    const buffer = part.take(9);
    arena.recycle();
    expect(part.take(9)).not.toBe(buffer);
    part.giveBack(buffer);
    expect(part.take(9)).toBe(buffer);
  });

  test("shares free buffers with scans at the same time, not those in use", () => {
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

  test("forgets the oldest beyond its budget, and buffers that were transferred", () => {
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

  test("uses buffers that it adopts", () => {
    const arena = new MemoryArena();
    const buffer = new ArrayBuffer(64);
    arena.adopt([buffer]);
    expect(arena.take(64)).toBe(buffer);
  });
});
