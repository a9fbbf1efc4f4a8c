#!/usr/bin/env node
// Makes src/generated of the package in whose folder it is run: `pnpm proto`.
import { mkdirSync, writeFileSync } from "node:fs";
import { generateMessages } from "@cfile-tools/protobuf";

mkdirSync("src/generated", { recursive: true });
for (const [file, text] of await generateMessages(".")) {
  writeFileSync(file, text);
}
