/** Raw deflate, with Node's zlib or the streams of the web platform. */
import { ByteBuilder, builtinModule } from "@cfile/bytes";

interface NodeModules {
  "node:zlib": {
    deflateRaw(input: Uint8Array, done: (error: Error | null, output: Uint8Array) => void): void;
  };
}

/** Compresses bytes. Node's zlib gives the same bytes as its streams, whose code takes several milliseconds to load. */
export function deflate(bytes: Uint8Array): Promise<Uint8Array> {
  const zlib = builtinModule<NodeModules, "node:zlib">("node:zlib");
  if (zlib === undefined) {
    return deflateByStream(bytes);
  }
  return new Promise((resolve, reject) => {
    zlib.deflateRaw(bytes, (error, output) => (error === null ? resolve(output) : reject(error)));
  });
}

/** By reader and writer: `new Response(stream)` is shorter, but loads the code of `fetch` in Node, which takes 35 ms. */
export async function deflateByStream(bytes: Uint8Array): Promise<Uint8Array> {
  const { readable, writable } = new CompressionStream("deflate-raw");
  const writer = writable.getWriter();
  const written = writer.write(bytes.slice()).then(() => writer.close());
  const reader = readable.getReader();
  const out = new ByteBuilder();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    out.append(part.value);
  }
  await written;
  return out.finish();
}
