/** Errors as the page shows them. */
import { isCFileError } from "@cfile/bytes";
import type { ErrorView, HealthView } from "../protocol.js";

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

export type PartHealth = HealthView["parts"][number];

/** A part that was checked. */
export function partHealth(index: number, problem: string | undefined): PartHealth {
  return problem === undefined ? { index, health: "sound" } : { index, health: "damaged", problem };
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
