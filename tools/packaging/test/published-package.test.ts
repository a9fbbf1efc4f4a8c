import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PackedPackage, packAll, publishedPackages } from "../src/published-packages.mjs";

const bin = fileURLToPath(new URL("../node_modules/.bin", import.meta.url));

/** Runs a checker; its output, which says what is wrong, or an empty string when it found nothing. */
function complaints(command: string, args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(join(bin, command), args, {
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" },
  });
  return status === 0 ? "" : `${stdout}${stderr}${error?.message ?? ""}` || `exit code ${status}`;
}

describe.each(publishedPackages)("the tarball of $name", ({ name }) => {
  let packed: PackedPackage;

  it("holds code, types, sources, licence, notice, changelog and README, and nothing of the workspace", () => {
    packed = tarballOf(name);
    const tops = new Set(packed.files.map((path) => path.split("/")[0]));
    for (const path of ["dist", "src", "CHANGELOG.md", "LICENSE", "NOTICE", "README.md", "package.json"]) {
      expect(tops).toContain(path);
    }
    expect(packed.files).not.toContainEqual(
      expect.stringMatching(/tsbuildinfo|^test\/|^reports\/|tsconfig|\.test\./),
    );
    const manifest = execFileSync("tar", ["xzOf", packed.tarball, "package/package.json"], {
      encoding: "utf8",
    });
    expect(manifest).not.toContain("workspace:");
  });

  it("satisfies publint", () => {
    expect(complaints("publint", ["run", tarballOf(name).tarball, "--strict"])).toBe("");
  });

  it("has right types for ES modules", () => {
    expect(complaints("attw", [tarballOf(name).tarball, "--profile", "esm-only", "--format", "ascii"])).toBe(
      "",
    );
  });
});

let folder: string;
let tarballs: PackedPackage[];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "cfile-packed-"));
  tarballs = packAll(folder);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function tarballOf(name: string): PackedPackage {
  const found = tarballs.find((packed) => packed.name === name);
  if (found === undefined) {
    throw new Error(`${name} was not packed`);
  }
  return found;
}
