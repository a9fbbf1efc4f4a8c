import { createCFile, openCFile } from "cfile";

const writer = await createCFile("column.cfile", { type: "INT32", encoding: "BIT_SHUFFLE" });
await writer.append([1, 2, 3]);
await writer.append([-4, 5]);
await writer.finish();

const file = await openCFile("column.cfile");
const rows = [];
for await (const batch of file.scan()) {
  rows.push(...batch.toArray());
}
console.log(JSON.stringify(rows));
