/** Errors as the page shows them. */
import { isCFileError } from "@cfile/bytes";
import type { ErrorView } from "../protocol.js";

export function errorView(error: unknown): ErrorView {
  if (isCFileError(error)) {
    const { code, reason, offset, block, field } = error;
    return { code, reason, place: placeText({ offset, block, field }) };
  }
  if (error instanceof Error) {
    return { code: error.name, reason: error.message, place: "" };
  }
  return { code: "Error", reason: String(error), place: "" };
}

export interface ErrorPlace {
  readonly offset?: number | undefined;
  readonly block?: { readonly offset: number; readonly size: number } | undefined;
  readonly field?: string | undefined;
}

export function placeText({ offset, block, field }: ErrorPlace): string {
  return [
    ...(field === undefined ? [] : [field]),
    ...(block === undefined ? [] : [`block at ${block.offset}`]),
    ...(offset === undefined ? [] : [block === undefined ? `byte ${offset}` : `byte ${offset} of it`]),
  ].join(", ");
}
