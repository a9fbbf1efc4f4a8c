/** Errors as the page shows them. */
import { type CFileErrorDetails, isCFileError } from "@cfile/bytes";
import type { ErrorView, HealthView } from "../protocol.js";

export function errorView(error: unknown): ErrorView {
  if (isCFileError(error)) {
    return { code: error.code, reason: error.reason, position: positionText(error) };
  }
  return error instanceof Error
    ? { code: error.name, reason: error.message, position: "" }
    : { code: "Error", reason: String(error), position: "" };
}

/** The health of a checked part. */
export function partHealth(index: number, problem: string | undefined): HealthView["parts"][number] {
  return { index, health: problem === undefined ? "valid" : "damaged", problem };
}

type ErrorPosition = Pick<CFileErrorDetails, "offset" | "block" | "field">;

export function positionText({ offset, block, field }: ErrorPosition): string {
  return [
    ...(field === undefined ? [] : [field]),
    ...(block === undefined ? [] : [`block at ${block.offset}`]),
    ...(offset === undefined ? [] : [`byte ${offset}${block === undefined ? "" : " of the block"}`]),
  ].join(", ");
}
