/** What `verify` and `recover` say of a file. */
import { findingOf } from "@cfile/bytes";
import { openCFile } from "@cfile/format";
import { memorySink, memorySource } from "@cfile/io";
import { recoverCFile } from "cfile/recover";

export interface DamageReport {
  /** One line per problem; empty for a valid file. */
  readonly problems: readonly string[];
  readonly recovered: RecoveredRows | undefined;
  /** Why nothing could be recovered. */
  readonly refusal: string;
}

interface RecoveredRows {
  readonly rows: number;
  readonly lost: number;
  readonly bytes: number;
  /** Damaged blocks, lost or in other parts. */
  readonly damaged: readonly { readonly offset: number; readonly size: number; readonly text: string }[];
  /** Whether the new file passes `verify`. */
  readonly isValid: boolean;
}

const MAX_PROBLEMS = 5;

export async function reportOf(bytes: Uint8Array): Promise<DamageReport> {
  const problems = await problemsOf(bytes);
  try {
    return { problems: problems.slice(0, MAX_PROBLEMS), recovered: await recover(bytes), refusal: "" };
  } catch (error) {
    const { code, reason } = findingOf(error);
    return { problems: problems.slice(0, MAX_PROBLEMS), recovered: undefined, refusal: `${code}: ${reason}` };
  }
}

async function problemsOf(bytes: Uint8Array): Promise<string[]> {
  try {
    const file = await openCFile(memorySource(bytes, "sample.cfile"));
    const { problems } = await file.verify();
    return problems.map(({ code, reason, block }) => `${code} ${reason}${blockText(block?.offset)}`);
  } catch (error) {
    const { code, reason, block } = findingOf(error);
    return [`${code} ${reason}${blockText(block?.offset)}`];
  }
}

function blockText(offset: number | undefined): string {
  return offset === undefined ? "" : `, block at ${offset}`;
}

async function recover(bytes: Uint8Array): Promise<RecoveredRows> {
  const sink = memorySink();
  const { ledger } = await recoverCFile(memorySource(bytes, "sample.cfile"), sink, { type: "STRING" });
  const saved = sink.bytes();
  const isValid = (await problemsOf(saved)).length === 0;
  const lost = ledger.blocks.flatMap(({ block, state, firstRow, rows }) =>
    state === "lost" && block !== undefined
      ? [{ ...block, text: `data block: rows ${firstRow ?? "?"} to ${(firstRow ?? 0) + (rows ?? 1) - 1}` }]
      : [],
  );
  const parts = ledger.parts.flatMap(({ part, block, state }) =>
    state === "damaged" && block !== undefined ? [{ ...block, text: part }] : [],
  );
  const damaged = [...lost, ...parts];
  return { rows: ledger.rowsKept, lost: ledger.rowsLost, bytes: saved.length, damaged, isValid };
}
