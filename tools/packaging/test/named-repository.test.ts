import { execFileSync } from "node:child_process";
import { temporaryFolder } from "@cfile-tools/testkit";
import { expect, test } from "vitest";
import { pack } from "../src/published-packages.mjs";

/** The `repository` field of a package packed in a clone whose origin is this address. */
function repositoryOf(origin: string): unknown {
  const env = {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "remote.origin.url",
    GIT_CONFIG_VALUE_0: origin,
  };
  const [packed] = pack(temporaryFolder(), { names: ["@cfile/varint"], env });
  const args = ["xzOf", packed?.tarball ?? "", "package/package.json"];
  return JSON.parse(execFileSync("tar", args, { encoding: "utf8" })).repository;
}

test("packages name the repository that they were built from, without user and password", () => {
  expect(repositoryOf("https://user:secret@git.example/owner/fork.git")).toEqual({
    type: "git",
    url: "git+https://git.example/owner/fork.git",
    directory: "packages/varint",
  });
});

test("packages name no repository in a clone of a folder", () => {
  expect(repositoryOf("/work/main")).toBeUndefined();
});
