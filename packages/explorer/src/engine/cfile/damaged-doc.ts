/** A CFile that does not open: the blocks that a search finds in it, and the rows that can be recovered. */
import { CFileError, findingOf } from "@cfile/bytes";
import { DATA_TYPES, type DataType } from "@cfile/encodings";
import type { CFileReader } from "@cfile/format";
import { type RecoverableFile, scanDamagedCFile } from "@cfile/format/recover";
import { type ByteSource, sizeOf } from "@cfile/io";
import { openCFile } from "cfile";
import type { RowView } from "../../protocol.js";
import { cellsOf, columnView, fact, sizeText } from "../cells.js";
import { type Doc, type DocDescription, describe } from "../docs/doc.js";
import { shownBytes, storedPart } from "../docs/stored-part.js";
import { errorView } from "../error-view.js";
import { mapOf, partAt, partOf } from "./cfile-map.js";
import { recoverBlob, recoveryView } from "./recover.js";
import { ledgerMap } from "./recovery-map.js";

/**
 * @param problem why the file does not open
 * @param type of the column, if the user chose it
 */
export async function openDamagedDoc(
  source: ByteSource,
  title: string,
  problem: CFileError,
  type: string | undefined,
  signal: AbortSignal,
): Promise<Doc> {
  const size = await sizeOf(source, { signal });
  const chosen = type === undefined ? undefined : checkedType(type);
  const scan = await scanDamagedCFile(source, { signal, ...(chosen && { type: chosen }) }).catch((error) => {
    findingOf(error);
    return undefined;
  });
  const whole = { ...partAt("unknown", { offset: 0, size }, "The whole file"), problem: problem.reason };
  const map = scan === undefined ? mapOf([{ ...whole, health: "damaged" }]) : ledgerMap(scan.ledger);
  const { parts } = map;
  let recovered: Promise<CFileReader> | undefined;
  return {
    view: viewOf(title, size, problem, scan?.ledger),
    map: async () => ({ fileSize: size, parts, trees: [] }),
    part: async ({ part: index }, work) => {
      const part = partOf(map, index);
      const bytes = await shownBytes(source, part, work.signal);
      const role = part.health === "damaged" ? "problem" : "value";
      return storedPart(part, bytes, {
        explanation:
          part.problem ?? "This part is valid. Recover the rows to see its values in a valid file.",
        notes: [{ start: 0, end: bytes.length, role, label: part.label, text: part.problem }],
      });
    },
    check: async (_, work) => {
      work.progress({ checked: parts.length, total: parts.length, parts });
      const { checksums = false } = scan?.ledger.column ?? {};
      return {
        ok: false,
        checksums,
        problems: [errorView(problem)],
        recovery: scan && recoveryView(scan.ledger),
      };
    },
    rows: async ({ from, to }, work) => {
      // Shared by all requests: canceling one of them does not cancel the recovery.
      const steady = { signal: new AbortController().signal, progress: () => undefined };
      recovered ??= recoverBlob(source, title, chosen, steady).then(({ blob }) => openCFile(blob));
      const file = await recovered;
      const rows: RowView[] = [];
      const range = { from, to: Math.min(to, file.rowCount) };
      for await (const batch of file.scan({ rows: range, signal: work.signal })) {
        rows.push(...cellsOf(batch).map((cell) => [cell]));
      }
      return { rows, end: to >= file.rowCount };
    },
    recover: (_, work) => recoverBlob(source, title, chosen, work),
    retype: (other, work) => openDamagedDoc(source, title, problem, other, work.signal),
  };
}

function viewOf(
  title: string,
  size: number,
  problem: CFileError,
  ledger: RecoverableFile["ledger"] | undefined,
): DocDescription {
  const view = { title, kind: "damaged", problem: errorView(problem) } as const;
  if (ledger === undefined) {
    const types = Object.keys(DATA_TYPES);
    return describe({ ...view, types, tabs: ["map"], rowCount: 0, facts: [fact("Size", sizeText(size))] });
  }
  const { column, rowsKept, rowsLost } = ledger;
  return describe({
    ...view,
    tabs: ["map", "data"],
    columns: [columnView({ ...column, nullable: true })],
    rowCount: rowsKept + rowsLost,
    facts: [
      fact("Size", sizeText(size)),
      ...(["type", "encoding", "compression"] as const).map((name) =>
        fact(name[0]?.toUpperCase() + name.slice(1), `${column[name]} (${column.knownFrom[name]})`),
      ),
      fact("Rows recovered", rowsKept),
      fact("Rows lost", rowsLost),
    ],
  });
}

function checkedType(type: string): DataType {
  if (!Object.hasOwn(DATA_TYPES, type)) {
    throw new CFileError("E_INVALID_ARGUMENT", `unknown type: ${type}`, { field: "type" });
  }
  return type as DataType;
}
