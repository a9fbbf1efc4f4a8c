/** Second chapter: inspects a file that Kudu wrote, scans it, and searches by row and by value. */
import { runCli } from "@cfile/cli";
import { openCFile } from "cfile";
import { captured } from "./captured.js";
import { KUDU_FILE } from "./inputs.js";
import { bytes, chapter, milliseconds, say } from "./report.js";

const ROW = 1234;
const VALUE = "user_00005000";

export async function kuduFile(): Promise<void> {
  chapter(2, "A file that Kudu wrote");
  const { output } = await captured((io) => runCli(["inspect", KUDU_FILE, "--blocks", "2"], io));
  const [, ...inspected] = output.split("\n");
  const parts = inspected.slice(0, inspected.indexOf("Data blocks"));
  say("cfile inspect shows its contents:");
  say("");
  for (const line of parts) {
    say(line);
  }

  const file = await openCFile(KUDU_FILE);
  const start = performance.now();
  let length = 0;
  for await (const batch of file.scan()) {
    for (const text of batch.toArray()) {
      length += String(text).length;
    }
  }
  say(
    `scanned   ${bytes(file.rowCount)} strings, ${bytes(length)} characters, in ${milliseconds(performance.now() - start)}`,
  );
  say(`first     ${String(await file.first())}`);
  say(`row ${ROW}  ${String(await file.get(ROW))}`);
  const found = await file.find(VALUE);
  if (found !== undefined) {
    const match = found.exact ? "exactly" : "not found; the next value";
    say(`find      ${VALUE} is ${match}: row ${found.row}, ${String(await file.get(found.row))}`);
  }
  await file.close();
}
