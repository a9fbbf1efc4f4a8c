// Makes src/generated/{decode,encode}-cfile-proto.{js,d.ts} from cfile.proto: `pnpm --filter @cfile/format proto`.
// Static code only: the browser bundle carries no reflection and no schema text. What reads files needs no encoders, so these
// are a module of their own.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const options = [
  "--no-create",
  "--no-verify",
  "--no-convert",
  "--no-delimited",
  "--no-typeurl",
  "--no-service",
];

for (const [half, other] of [
  ["decode", "encode"],
  ["encode", "decode"],
]) {
  const script = `src/generated/${half}-cfile-proto.js`;
  const types = `src/generated/${half}-cfile-proto.d.ts`;
  const target = ["-t", "static-module", "-w", "es6", "--es6", "--root", `cfile.format.${half}`];
  const pbjs = (...extra) =>
    execFileSync(
      "pbjs",
      [
        ...target,
        "--dependency",
        half === "decode" ? "./protobuf-reader.js" : "protobufjs/minimal.js",
        ...options,
        `--no-${other}`,
        ...extra,
        "-o",
        script,
        "proto/cfile.proto",
      ],
      { stdio: "inherit" },
    );
  // The types are made from the comments, which the script itself then does without.
  pbjs();
  execFileSync("pbts", ["-o", types, script], { stdio: "inherit" });
  pbjs("--no-comments");
  for (const file of [script, types]) {
    const note = "// Generated from proto/cfile.proto by `pnpm --filter @cfile/format proto`. Do not edit.\n";
    writeFileSync(file, note + readFileSync(file, "utf8"));
  }
}
