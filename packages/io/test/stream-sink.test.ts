import { createWriteStream, existsSync } from "node:fs";
import { Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { streamSink } from "../src/sink/stream-sink.js";

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

function recorded(sink: UnderlyingSink<Uint8Array> = {}): {
  stream: WritableStream<Uint8Array>;
  events: unknown[];
} {
  const events: unknown[] = [];
  const stream = new WritableStream<Uint8Array>({
    write: (chunk, controller) => {
      events.push([...chunk]);
      return sink.write?.(chunk, controller);
    },
    close: () => {
      events.push("closed");
      return sink.close?.();
    },
    abort: (reason) => {
      events.push(["aborted", reason]);
      return sink.abort?.(reason);
    },
  });
  return { stream, events };
}

describe("a stream", () => {
  test("receives the bytes in order and is closed", async () => {
    const { stream, events } = recorded();
    const sink = streamSink(stream, "mine");
    expect(sink.name).toBe("mine");
    await sink.write(bytes(1, 2));
    await sink.write(bytes());
    await sink.write(bytes(3));
    await sink.close();
    await sink.abort("too late");
    expect(events).toEqual([[1, 2], [], [3], "closed"]);
  });

  test("receives copies, so that the caller can reuse its buffer", async () => {
    const kept: Uint8Array[] = [];
    const sink = streamSink(new WritableStream<Uint8Array>({ write: (chunk) => void kept.push(chunk) }));
    const buffer = bytes(1, 2);
    await sink.write(buffer);
    buffer.fill(9);
    await sink.write(buffer);
    expect(kept).toEqual([bytes(1, 2), bytes(9, 9)]);
  });

  test("applies backpressure", async () => {
    const written: number[] = [];
    const slow = new WritableStream<Uint8Array>({
      write: async (chunk) => {
        await new Promise((resolve) => setTimeout(resolve, 10));
        written.push(chunk.length);
      },
    });
    const sink = streamSink(slow);
    await sink.write(bytes(1));
    expect(written).toEqual([1]);
    await sink.close();
  });

  test("is aborted once, with the reason", async () => {
    const { stream, events } = recorded();
    const sink = streamSink(stream);
    await sink.write(bytes(1));
    const reason = new Error("enough");
    await sink.abort(reason);
    await sink.abort("again");
    expect(events).toEqual([[1], ["aborted", reason]]);
    await expect(sink.write(bytes(2))).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT", path: "stream" });
    await expect(sink.close()).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
  });

  test("is closed once", async () => {
    const { stream, events } = recorded();
    const sink = streamSink(stream);
    await sink.close();
    await expect(sink.close()).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
    await expect(sink.write(bytes(1))).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
    expect(events).toEqual(["closed"]);
  });

  test("that fails to write is E_IO with the cause, also in later calls", async () => {
    const cause = new Error("no room");
    const { stream } = recorded({ write: () => Promise.reject(cause) });
    const sink = streamSink(stream);
    await expect(sink.write(bytes(1))).rejects.toMatchObject({ code: "E_IO", path: "stream", cause });
    await expect(sink.write(bytes(1))).rejects.toMatchObject({ code: "E_IO", cause });
    await expect(sink.close()).rejects.toMatchObject({ code: "E_IO" });
    await sink.abort();
  });

  test("that fails to close or to abort", async () => {
    const cause = new Error("no end");
    const closing = streamSink(recorded({ close: () => Promise.reject(cause) }).stream);
    await expect(closing.close()).rejects.toMatchObject({ code: "E_IO", cause });
    await closing.abort();
    await streamSink(recorded({ abort: () => Promise.reject(cause) }).stream).abort();
  });

  test("with another writer is E_INVALID_ARGUMENT", () => {
    const { stream } = recorded();
    stream.getWriter();
    expect(() => streamSink(stream)).toThrow(expect.objectContaining({ code: "E_INVALID_ARGUMENT" }));
  });

  test.runIf(existsSync("/dev/full"))("into a full disk is E_IO", async () => {
    const sink = streamSink(Writable.toWeb(createWriteStream("/dev/full")));
    await expect(sink.write(new Uint8Array(100_000))).rejects.toMatchObject({
      code: "E_IO",
      cause: { code: "ENOSPC" },
    });
    await sink.abort();
  });
});
