/** Tasks that read while a source fails. Each opens a file and then reads the same data repeatedly. */
import { openBloomFile } from "@cfile/bloomfile";
import { openDeltaFile } from "@cfile/deltafile/read";
import { type HFileReader, openHFile } from "@cfile/hfile";
import type { ByteSource } from "@cfile/io";
import { withCache, withCoalescing } from "@cfile/io/decorators";
import { openParquet } from "@cfile/parquet";
import type { RowSetFiles } from "@cfile/rowset";
import { openRowSet } from "@cfile/rowset";
import { type CFileReader, memorySink, openCFile } from "cfile";
import { recoverCFile, rewriteCFile } from "cfile/recover";
import { goldenBytes } from "../files/golden-data.js";
import { smallHFiles } from "../files/small-hfile.js";
import { SMALL_SCHEMA, smallRowSet } from "../files/small-row-set.js";
import type { FaultPlan } from "./faulty-source.js";

type Use = (signal: AbortSignal) => Promise<string>;

export interface ReadingTask {
  readonly name: string;
  /** Opens the file. The result is used again after a fault. */
  readonly open: (plan: FaultPlan, signal: AbortSignal) => Promise<Use>;
  /** Whether changed bytes are detected, which requires checksums. */
  readonly checksums: boolean;
  /** Whether the source has a byte cache. */
  readonly cached?: boolean;
}

const plain = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) =>
    typeof each === "bigint" ? `${each}n` : each instanceof Uint8Array ? [...each] : each,
  );

type Wrap = (source: ByteSource) => ByteSource;

function columnTasks(name: string, bytes: Uint8Array, wrap?: Wrap): ReadingTask[] {
  const task = (
    what: string,
    use: (file: CFileReader, signal: AbortSignal) => Promise<string>,
  ): ReadingTask => ({
    name: `${name}: ${what}`,
    checksums: true,
    cached: wrap !== undefined,
    open: async (plan, signal) => {
      const source = plan.source(bytes, name);
      const file = await openCFile(wrap?.(source) ?? source, { signal });
      return (own) => use(file, own);
    },
  });
  return [
    task("scan", async (file, signal) => {
      const rows: unknown[] = [];
      for await (const batch of file.scan({ signal, batchRows: 100 })) {
        rows.push(batch.toArray());
      }
      return plain(rows);
    }),
    task("seek", async (file, signal) => {
      const last = file.rowCount - 1;
      const cells = [];
      for (const row of [0, last >> 1, last]) {
        cells.push(await file.get(row, { signal }));
      }
      const found =
        file.structure.footer.validx === undefined
          ? undefined
          : await file.find(cells[1] as number, { signal });
      return plain([cells, found]);
    }),
    task("verify", async (file, signal) => plain(await file.verify({ signal }))),
    task("layout", async (file, signal) => plain(await file.layout({ signal }))),
    task("rewrite", async (file, signal) => {
      const sink = memorySink();
      await rewriteCFile(file, sink, { signal, blockSize: 2000 });
      return plain(sink.bytes());
    }),
  ];
}

function recoverTask(name: string, bytes: Uint8Array): ReadingTask {
  return {
    name: `${name}: recover`,
    checksums: false,
    open: async (plan) => async (signal) => {
      const sink = memorySink();
      const { ledger } = await recoverCFile(plan.source(bytes, name), sink, { signal });
      if (!ledger.complete) {
        // Lost data is reported; recovered data must still come from the file.
        const cells = await (await openCFile(sink.bytes())).toArray();
        const right = new Set(await (await openCFile(bytes)).toArray());
        return cells.every((cell) => right.has(cell)) ? "reported lost rows" : "wrong rows";
      }
      return plain(sink.bytes());
    },
  };
}

const opened = (
  name: string,
  open: (plan: FaultPlan, signal: AbortSignal) => Promise<Use>,
  checksums = true,
): ReadingTask => ({ name, open, checksums });

async function rowSetTask(what: "scan" | "lookups"): Promise<ReadingTask> {
  const { files, manifest } = await smallRowSet();
  interface Named {
    readonly file: string;
  }
  const described = JSON.parse(new TextDecoder().decode(manifest)) as {
    readonly rowSets: readonly [
      {
        readonly columns: readonly (Named & { readonly id: number })[];
        readonly bloom: Named;
        readonly adhocIndex: Named;
        readonly redo: readonly Named[];
        readonly undo: readonly Named[];
      },
    ];
  };
  const [first] = described.rowSets;
  // A signal passed to `open` would apply to all reads.
  return opened(`row set: ${what}`, async (plan) => {
    const source = ({ file }: Named): ByteSource => plan.source(files.get(file) ?? new Uint8Array(0), file);
    const byRole: RowSetFiles = {
      columns: new Map(first.columns.map((named) => [named.id, source(named)])),
      bloom: source(first.bloom),
      adhocIndex: source(first.adhocIndex),
      redo: first.redo.map(source),
      undo: first.undo.map(source),
    };
    const reader = await openRowSet(byRole, SMALL_SCHEMA);
    return async (own) => {
      const rows: unknown[] = [];
      if (what === "lookups") {
        for (const key of [
          [2, "b2"],
          [3, "b0"],
          [0, "zz"],
        ] as const) {
          rows.push(
            await reader.get([...key], { signal: own }),
            await reader.history([...key], { signal: own }),
          );
        }
      } else {
        for await (const batch of reader.scan({ signal: own })) {
          rows.push(
            batch.columns.map((cells) => Array.from({ length: batch.length }, (_, i) => cells.get(i))),
          );
        }
      }
      return plain(rows);
    };
  });
}

function hfileTasks(name: string, bytes: Uint8Array): ReadingTask[] {
  const open = (plan: FaultPlan, signal: AbortSignal): Promise<HFileReader> =>
    openHFile(plan.source(bytes, name), { signal });
  const checksums = !name.startsWith("hudi");
  return [
    opened(
      `HFile ${name}: scan`,
      async (plan, signal) => {
        const file = await open(plan, signal);
        return async (own) => {
          const rows: unknown[] = [];
          for await (const cell of file.entries({ signal: own })) {
            rows.push(cell.row, cell.value);
          }
          return plain(rows);
        };
      },
      checksums,
    ),
    opened(
      `HFile ${name}: lookups and verify`,
      async (plan, signal) => {
        const file = await open(plan, signal);
        return async (own) =>
          plain([
            await file.get("key-00000030", { signal: own }),
            await file.last({ signal: own }),
            await file.verify({ signal: own }),
          ]);
      },
      checksums,
    ),
  ];
}

/** @param many all files and decorators, instead of some */
export async function readingTasks(many: boolean): Promise<ReadingTask[]> {
  const cached: Wrap = (source) => withCache(withCoalescing(source), { pageBytes: 1024 });
  const columns = ["idx_posidx_only_int32", ...(many ? ["enc_string_dict_n1000", "comp_lz4_int16_rle"] : [])];
  const delta = goldenBytes("deltafile/delta_redo_small.cfile");
  const bloom = goldenBytes("bloomfile/bloom_small.cfile");
  const parquet = goldenBytes("parquet/plain-dict-uncompressed-checksum.parquet");
  const tasks: ReadingTask[] = [];
  for (const name of columns) {
    const bytes = goldenBytes(`${name}.cfile`);
    tasks.push(
      ...columnTasks(name, bytes),
      ...columnTasks(`${name}, cached`, bytes, cached),
      recoverTask(name, bytes),
    );
  }
  for (const { name, bytes } of await smallHFiles()) {
    tasks.push(...hfileTasks(name, bytes));
  }
  tasks.push(
    opened("delta file: entries", async (plan, signal) => {
      const file = await openDeltaFile(plan.source(delta, "delta"), { signal });
      return async (own) => {
        const rows: unknown[] = [];
        for await (const batch of file.entries({ signal: own })) {
          rows.push([...batch.rows]);
        }
        return plain([rows, (await file.deltasOf(3, { signal: own })).length]);
      };
    }),
    opened("Bloom file: probes", async (plan, signal) => {
      const file = await openBloomFile(plan.source(bloom, "bloom"), { signal });
      return async (own) =>
        plain([
          await file.mayContain(Uint8Array.of(1, 2, 3), { signal: own }),
          await file.mayContainMany({ width: 2, data: new Uint8Array(64) }, { signal: own }),
        ]);
    }),
    opened("Parquet: scan", async (plan) => {
      const file = await openParquet(plan.source(parquet, "parquet"));
      return async () => {
        const rows: unknown[] = [];
        for (const { name } of file.columns) {
          for await (const batch of file.column(name)) {
            rows.push(batch.toArray());
          }
        }
        return plain(rows);
      };
    }),
    await rowSetTask("scan"),
    await rowSetTask("lookups"),
  );
  return tasks;
}
