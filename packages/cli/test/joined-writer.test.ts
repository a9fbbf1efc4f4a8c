import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { MemoryArena } from "@cfile/bytes";
import { memorySource, readExactly } from "@cfile/io";
import { temporaryFolder } from "@cfile-tools/testkit";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  createJoinedFile,
  endPart,
  expectPart,
  type JoinedFile,
  joinedFile,
  joinedPartSource,
  PartStarts,
} from "../src/export/joined-file.js";
import { JoinedWriter } from "../src/export/joined-writer.js";

/** The frame of a Parquet file, with arbitrary bytes. */
function parquetOf(body: Uint8Array, footer: Uint8Array): Uint8Array {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([Buffer.from("PAR1"), body, footer, length, Buffer.from("PAR1")]);
}

async function expectedFile(parts: number): Promise<JoinedFile> {
  const joined = joinedFile(join(temporaryFolder(), "joined.parquet"), parts);
  await createJoinedFile(joined);
  for (let index = 0; index < parts; index++) {
    expectPart(joined, index);
  }
  return joined;
}

const THREADS = 3;
const someParts = fc.array(
  fc.record({
    body: fc.uint8Array({ maxLength: 300 }),
    footer: fc.uint8Array({ maxLength: 40 }),
    thread: fc.nat(THREADS - 1),
    pieceBytes: fc.integer({ min: 1, max: 200 }),
    isFailing: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
);

describe("a file that several threads write together", () => {
  it("has the parts in order, in whatever order the threads write their pieces", async () => {
    await fc.assert(
      fc.asyncProperty(someParts, fc.infiniteStream(fc.nat(THREADS - 1)), async (parts, turns) => {
        const joined = await expectedFile(parts.length);
        const writers = Array.from({ length: THREADS }, () => new JoinedWriter(joined, new MemoryArena()));
        const sinks = parts.map(({ thread }, index) => writers[thread]?.sink(index));
        async function* steps(thread: number) {
          for (const [index, { body, footer, pieceBytes, isFailing, ...part }] of parts.entries()) {
            const sink = sinks[index];
            const bytes = parquetOf(body, footer);
            for (let at = 0; part.thread === thread && at < bytes.length; at += pieceBytes) {
              await sink?.write(bytes.subarray(at, at + pieceBytes));
              yield;
            }
            if (part.thread === thread && isFailing) {
              await sink?.abort();
              endPart(joined, index, 0);
            } else if (part.thread === thread) {
              await sink?.close();
            }
          }
        }
        const running = Array.from({ length: THREADS }, (_, thread) => steps(thread));
        const ended = new Set<number>();
        for (const turn of turns) {
          if ((await running[turn]?.next())?.done === true) {
            ended.add(turn);
          }
          if (ended.size === THREADS) {
            break;
          }
        }
        await Promise.all(writers.map((writer) => writer.finish()));
        await Promise.all(writers.map((writer) => writer.close()));

        const starts = new PartStarts(joined);
        const file = (await readFile(joined.path)).subarray(0, starts.of(parts.length));
        const bodies = parts.filter(({ isFailing }) => !isFailing).map(({ body }) => body);
        expect(file).toEqual(Buffer.concat([Buffer.from("PAR1"), ...bodies]));
        for (const [index, { body, footer, isFailing }] of parts.entries()) {
          const bytes = parquetOf(body, footer);
          const sink = sinks[index];
          const [start, place] = [starts.of(index), sink?.joined];
          expect(place === undefined).toBe(isFailing);
          if (start !== undefined && place !== undefined) {
            expect(sink?.checksum).toBe(crc32(bytes));
            const part = joinedPartSource(memorySource(file, "file"), start, place);
            expect(Buffer.from(await readExactly(part, 0, bytes.length))).toEqual(bytes);
            for (const offset of [0, 3, 4, Math.floor(bytes.length / 2), bytes.length - 8]) {
              const length = Math.min(bytes.length - offset, body.length);
              expect(Buffer.from(await part.read(offset, length))).toEqual(
                bytes.subarray(offset, offset + length),
              );
            }
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it("waits for earlier parts when much is in memory", async () => {
    const joined = await expectedFile(2);
    const writer = new JoinedWriter(joined, new MemoryArena());
    const sink = writer.sink(1);
    const piece = new Uint8Array(1 << 20).fill(7);
    let pieces = 0;
    const written = (async () => {
      await sink.write(Buffer.from("PAR1"));
      for (; pieces < 70; pieces++) {
        await sink.write(piece);
      }
      await sink.write(Buffer.from("\0\0\0\0PAR1", "latin1"));
      await sink.close();
    })();
    await vi.waitFor(() => expect(pieces).toBe(64), { timeout: 10_000 });
    await setTimeout(50);
    expect(pieces).toBe(64);
    endPart(joined, 0, 0);
    await written;
    await writer.finish();
    await writer.close();
    const file = await readFile(joined.path);
    expect(new PartStarts(joined).of(2)).toBe(4 + 70 * piece.length);
    expect(file.subarray(4, 4 + 70 * piece.length).every((byte) => byte === 7)).toBe(true);
  });

  it("reports that it cannot be written", async () => {
    const path = join(temporaryFolder(), "none", "joined.parquet");
    const joined = joinedFile(path, 1);
    const writer = new JoinedWriter(joined, new MemoryArena());
    await expect(writer.sink(0).write(new Uint8Array(10))).rejects.toMatchObject({ code: "E_IO", path });
    await writer.finish();
  });
});
