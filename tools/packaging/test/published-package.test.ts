import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { describe, expect, it, vi } from "vitest";
import { publishedPackages } from "../src/published-packages.mjs";
import { packedPackage } from "./packed-packages.js";

// The first test packs all packages.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

/**
 * Problems of a tarball's types for projects that use ES modules, as `attw --profile esm-only` reports them.
 */
async function typeProblems(tarball: string): Promise<unknown[]> {
  const result = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
  if (!result.types) {
    return ["no types"];
  }
  return result.problems.filter(
    (problem) => !("resolutionKind" in problem) || !["node10", "node16-cjs"].includes(problem.resolutionKind),
  );
}

async function publintMessages(tarball: string): Promise<unknown[]> {
  const { messages } = await publint({
    pack: { tarball: Uint8Array.from(readFileSync(tarball)).buffer },
    strict: true,
    level: "warning",
  });
  return messages;
}

describe.each(publishedPackages)("the tarball of $name", ({ name }) => {
  it("contains code, types, sources, license, notice, changelog and README, but no tests, reports or build settings", () => {
    const packed = packedPackage(name);
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

  it("satisfies publint", async () => {
    expect(await publintMessages(packedPackage(name).tarball)).toEqual([]);
  });

  it("has correct types for ES modules", async () => {
    expect(await typeProblems(packedPackage(name).tarball)).toEqual([]);
  });
});
