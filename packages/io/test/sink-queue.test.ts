import { isCFileError } from "@cfile/bytes";
import { describe, expect, it } from "vitest";
import { type ByteSink, memorySink, SinkQueue } from "../src/index.js";

const isRefused = (error: unknown): boolean => isCFileError(error, "E_INVALID_ARGUMENT");

function failingSink(): ByteSink & { readonly calls: string[] } {
  const calls: string[] = [];
  return {
    name: "full",
    calls,
    write: async () => {
      calls.push("write");
      throw new RangeError("no space");
    },
    close: async () => {
      calls.push("close");
    },
    abort: async () => {
      calls.push("abort");
    },
  };
}

describe("a sink queue", () => {
  it("passes bytes to the sink in order and counts them", async () => {
    const sink = memorySink();
    const queue = new SinkQueue(sink);
    for (let i = 0; i < 5; i++) {
      await queue.run(() => queue.emit(new Uint8Array(400_000).fill(i)));
    }
    expect(await queue.finish(() => queue.emit(Uint8Array.of(9)) ?? "end")).toBe("end");
    const bytes = sink.bytes();
    expect([queue.position, bytes.length]).toEqual([2_000_001, 2_000_001]);
    expect([bytes[400_000], bytes[1_999_999], bytes[2_000_000]]).toEqual([1, 4, 9]);
    await queue.abort();
    await expect(queue.run(() => undefined)).rejects.toSatisfy(isRefused);
  });

  it("aborts the write after an error in a step", async () => {
    const sink = failingSink();
    const queue = new SinkQueue(sink);
    const step = () => {
      throw new RangeError("bad step");
    };
    await expect(queue.run(step)).rejects.toThrow("bad step");
    await expect(queue.finish(() => undefined)).rejects.toSatisfy(isRefused);
    await queue.abort();
    expect(sink.calls).toEqual(["abort"]);
  });

  it("aborts the write after an error of the sink", async () => {
    const sink = failingSink();
    const queue = new SinkQueue(sink);
    await expect(queue.finish(() => queue.emit(Uint8Array.of(1)))).rejects.toThrow("no space");
    expect(sink.calls).toEqual(["write", "abort"]);
    expect(() => queue.requireOpen()).toThrow("aborted");
  });
});
