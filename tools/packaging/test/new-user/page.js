import { createCFile, openCFile } from "cfile";

async function main() {
  const parts = [];
  const target = new WritableStream({ write: (chunk) => void parts.push(chunk.slice()) });
  const writer = await createCFile(target, { type: "STRING", encoding: "DICT_ENCODING", compression: "LZ4" });
  await writer.append(["one", "two", "one"]);
  await writer.finish();

  const file = await openCFile(new Blob(parts));
  const rows = [];
  for await (const batch of file.scan()) {
    rows.push(...batch.toArray());
  }
  console.log(
    JSON.stringify({ rows, node: typeof process !== "undefined" || typeof Buffer !== "undefined" }),
  );
}

main();
