/** Copies the cells of the valid blocks of a damaged HFile into a new file. */
import { isCFileError } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import { FILE_INFO_KEYS, type HFileReader, isWritten, openHFile } from "@cfile/hfile";
import { type LostRange, recoverHFile } from "@cfile/hfile/recover";
import { HFileWriter, type HFileWriterOptions } from "@cfile/hfile/write";
import { fileSink } from "@cfile/io/file";
import type { CliContext } from "../program/context.js";
import { EXIT } from "../program/exit-code.js";
import { counted, sizeText } from "../records/quantity.js";

/** What to recover, and where to. */
export interface Recovery {
  readonly source: string;
  readonly target: string;
  readonly sync: boolean;
  readonly json: boolean;
}

/** Sets exit code 3 when something is lost. */
export async function recoverHFileTo(
  context: CliContext,
  { source, target, sync, json }: Recovery,
): Promise<void> {
  const { signal } = context.io;
  const damaged = await context.sources.open(source);
  const recovered = await recoverHFile(damaged, { signal });
  // `undefined` unless the trailer and the load-on-open section are valid.
  const whole = await openHFile(damaged, { signal }).catch(ignoreDamage);
  const sink = await fileSink(target, { sync });
  let writer: HFileWriter | undefined;
  const begin = (tags: boolean): HFileWriter => new HFileWriter(sink, optionsLike(whole, tags));
  const lostParts: string[] = [];
  try {
    for await (const batch of recovered.batches({ signal })) {
      writer ??= begin(batch.layout.tags);
      await writer.append(Array.from({ length: batch.length }, (_, i) => batch.cell(i)));
    }
    writer ??= begin(false);
    if (whole === undefined) {
      lostParts.push("meta blocks and file info, if the file had any");
    } else {
      await copyMeta(whole, writer, lostParts, signal);
    }
    const { entries, bytes } = await writer.finish();
    const { lost } = recovered;
    const lines = [
      ...lost.map(lostLine),
      ...lostParts.map((part) => `  lost: ${printable(part)}`),
      `${printable(target)}: ${counted(entries, "cell")} saved, ${counted(lost.length, "range")} lost, ${sizeText(bytes)}`,
    ];
    const report = { path: target, entries, bytes, lost, lost_parts: lostParts };
    await context.stdout.line(json ? JSON.stringify(report) : lines.join("\n"));
    context.exitCode = lost.length + lostParts.length > 0 ? EXIT.corrupt : EXIT.ok;
  } catch (error) {
    await (writer ?? sink).abort(error);
    throw error;
  } finally {
    await damaged.close?.();
  }
}

function lostLine({ offset, size, kind, code, reason }: LostRange): string {
  return `  lost: ${kind ?? "bytes"} at ${offset} (${size} bytes): ${code} ${printable(reason)}`;
}

/** @throws the error if it is not about the file's bytes */
function ignoreDamage(error: unknown): undefined {
  if (!isCFileError(error) || error.code === "E_IO") {
    throw error;
  }
}

function optionsLike(file: HFileReader | undefined, tags: boolean): HFileWriterOptions {
  return {
    profile: file?.profile,
    comparator: file?.trailer.comparator,
    compression: file === undefined ? "NONE" : isWritten(file.trailer.codec) ? file.trailer.codec : "GZ",
    tags,
  };
}

async function copyMeta(
  file: HFileReader,
  writer: HFileWriter,
  lostParts: string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const name of file.metaBlockNames) {
    try {
      const body = await file.metaBlock(name, { signal });
      if (body !== undefined) {
        writer.addMetaBlock(name, body);
      }
    } catch (error) {
      ignoreDamage(error);
      lostParts.push(`meta block ${name}`);
    }
  }
  const own = Object.values<string>(FILE_INFO_KEYS);
  // Sizes and the largest cell, which HBase records, may differ in the new file.
  for (const { key, value } of file.fileInfo.entries) {
    const name = new TextDecoder().decode(key);
    if (!own.includes(name) && !name.startsWith("hfile.")) {
      writer.addFileInfo(name, value);
    }
  }
}
