import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { temporaryFolder } from "@cfile-tools/testkit";
import { expect, test } from "vitest";
import { memorySink, openSink, type SinkInput } from "../src/index.js";

const bytes = Uint8Array.of(1, 2, 3);

test.each<[string, (path: string) => SinkInput]>([
  ["a path", (path) => path],
  ["a file: URL", (path) => pathToFileURL(path)],
  ["a file: URL as text", (path) => pathToFileURL(path).href],
  ["a file: URL as text in capitals", (path) => pathToFileURL(path).href.replace("file:", "FILE:")],
])("%s is a file", async (_name, target) => {
  const path = join(temporaryFolder(), "f");
  const sink = await openSink(target(path));
  await sink.write(bytes);
  await sink.close();
  expect(Uint8Array.from(await readFile(path))).toEqual(bytes);
});

test("a stream is written to", async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const received = new Response(readable).arrayBuffer();
  const sink = await openSink(writable);
  await sink.write(bytes);
  await sink.close();
  expect(new Uint8Array(await received)).toEqual(bytes);
});

test("a stream in use is E_INVALID_ARGUMENT", async () => {
  const stream = new WritableStream<Uint8Array>();
  await openSink(stream);
  await expect(openSink(stream)).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
});

test("a sink is returned unchanged", async () => {
  const sink = memorySink();
  expect(await openSink(sink)).toBe(sink);
});

test.each<[string, unknown]>([
  ["nothing", undefined],
  ["null", null],
  ["a number", 1],
  ["an object", {}],
  ["bytes", new Uint8Array(1)],
  ["half a sink", { write: () => undefined, close: () => undefined }],
  ["an http: URL", new URL("http://example.invalid/x")],
  ["an http: URL as text", "https://example.invalid/x"],
  ["an s3: URL", "s3://bucket/x"],
  ["a data: URL", new URL("data:,x")],
  ["a data: URL as text", "data:,x"],
  ["a blob: URL as text", "blob:nodedata:1"],
])("%s is E_INVALID_ARGUMENT", async (_name, target) => {
  const before = await readdir(".");
  await expect(openSink(target as SinkInput)).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
  expect(await readdir(".")).toEqual(before);
});
