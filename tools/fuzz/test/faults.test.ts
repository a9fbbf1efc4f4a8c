import { fileSink } from "@cfile/io/file";
import { describe, expect, test } from "vitest";
import { cutPower } from "../src/disk/cut-power.js";
import { afterPowerCut, SimulatedDisk } from "../src/disk/simulated-disk.js";
import { TARGET, WRITING_TASKS } from "../src/disk/writing-tasks.js";
import { injectReadFaults } from "../src/faults/inject-read-faults.js";

describe("a source that fails", () => {
  test("ends with the right data or a typed error, and does not affect the next read", async () => {
    const report = await injectReadFaults(false, 25);
    expect(report.faults).toEqual([]);
    expect(report.injected).toBeGreaterThan(140);
    expect(report.right).toBeGreaterThan(0);
    expect(report.errors).toBeGreaterThan(0);
  });
});

describe("a power cut, and a disk that fails", () => {
  test.each(WRITING_TASKS.map((task) => [task.name, task] as const))(
    "%s: leave the whole file or the previous one",
    async (_name, task) => {
      const [report] = await cutPower(10, 2, [task]);
      expect(report?.faults).toEqual([]);
      expect(report?.points).toBeGreaterThanOrEqual(6);
      expect(report?.failures).toBeGreaterThanOrEqual(8);
    },
  );

  test("without syncing would leave half a file, which this test detects", async () => {
    const disk = new SimulatedDisk({ exists: false });
    await disk.use(async () => {
      const sink = await fileSink(TARGET, { sync: false });
      await sink.write(Uint8Array.of(1, 2, 3));
      await sink.write(Uint8Array.of(4, 5, 6));
      await sink.close();
    });
    const left = afterPowerCut(disk.operations, new Map(), "keeps names and half of the bytes").get(TARGET);
    expect(left?.length).toBe(3);
  });

  test("a disk that accepts no more bytes is an error, not a hang", async () => {
    const disk = new SimulatedDisk({ exists: false, fault: { at: 1, kind: "writes nothing" } });
    await disk.use(async () => {
      const sink = await fileSink(TARGET);
      await expect(sink.write(Uint8Array.of(1))).rejects.toMatchObject({ code: "E_IO", path: TARGET });
      await sink.abort();
    });
    expect(disk.operations.map(({ kind }) => kind)).toEqual(["create", "remove"]);
  });
});
