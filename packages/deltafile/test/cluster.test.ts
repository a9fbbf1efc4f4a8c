import { toHex } from "@cfile/bytes";
import { memorySink, memorySource } from "@cfile/io";
import { readGolden, readGoldenJson } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import type { DeltaColumn, DeltaKind } from "../src/index.js";
import { guessDeltaKind, openDeltaFile } from "../src/read.js";
import { DeltaFileWriter } from "../src/write.js";

interface ServerFile {
  readonly name: string;
  readonly kind: DeltaKind;
  readonly entries: number;
  readonly base_rows: number;
  readonly delta_stats: string;
  readonly columns: readonly DeltaColumn[];
}

const files: readonly ServerFile[] = readGoldenJson("cluster-deltas/facts.json");

describe.each(files)("$name, of a running server", (file) => {
  const bytes = readGolden(`cluster-deltas/${file.name}.cfile`);
  const open = () => openDeltaFile(memorySource(bytes, file.name));

  it("is valid: order, chains, values, statistics", async () => {
    const { kind, base_rows: rowCount, columns } = file;
    const report = await (await open()).verify({ kind, rowCount, columns });
    expect(report).toMatchObject({ ok: true, problems: [], entries: file.entries });
  });

  it("has the statistics that Kudu's tool prints", async () => {
    const { statistics } = await open();
    const { minTimestamp, maxTimestamp, deleteCount, reinsertCount, updateCounts } = statistics;
    const updates = [...updateCounts].map(([id, count]) => `${id}:${count}`);
    const printed = file.delta_stats.match(/update_counts_by_col_id=\[(.*)\]/)?.[1]?.split(",") ?? [];
    expect(file.delta_stats).toContain(
      `ts range=[${minTimestamp}, ${maxTimestamp}], delete_count=[${deleteCount}], reinsert_count=[${reinsertCount}]`,
    );
    expect(updates.sort()).toEqual(printed.sort());
  });

  it("is rewritten byte for byte, including the order of the counts by column", async () => {
    const sink = memorySink();
    const writer = new DeltaFileWriter(sink, { kind: file.kind });
    for await (const batch of (await open()).entries()) {
      await writer.appendBatch(batch);
    }
    await writer.finish();
    expect(toHex(sink.bytes())).toBe(toHex(bytes));
  });

  it("is not valid as the other kind", async () => {
    const guessed = await guessDeltaKind(await open());
    expect(guessed?.kind ?? file.kind).toBe(file.kind);
  });
});
