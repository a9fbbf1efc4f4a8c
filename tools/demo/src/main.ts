/** `npm start`: a tour on real data, as a short report. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { flippedBit } from "./flipped-bit.js";
import { kuduFile } from "./kudu-file.js";
import { chapter, command, print, title } from "./report.js";
import { tableToColumns } from "./table-to-columns.js";

const folder = await mkdtemp(join(tmpdir(), "cfile-demo-"));
try {
  title("cfile: Apache Kudu's columnar files, read and written without a cluster");
  await tableToColumns(folder);
  await kuduFile();
  await flippedBit(folder);
  chapter(4, "Where to go next");
  command("packages/cfile/README.md", "the library on one page");
  command("packages/cli/README.md", "the command line: inspect, cat, find, verify, write, rewrite");
  command("npx cfile --help", "try the command line");
  command("npm test", "all tests, checked against files that Kudu wrote");
  command("npm run bench", "benchmarks against hyparquet and parquet-wasm");
  print();
} finally {
  await rm(folder, { recursive: true, force: true });
}
