/** Exceptions of the user's function, as plain fields: a structured clone of an exception loses its class, or cannot be made. */
import { isCFileError } from "@cfile/bytes";
import { type ErrorFields, errorOf, fieldsOf } from "./error-fields.js";

export interface ThrownFields {
  /** Name and message. */
  readonly thrown: string;
  readonly cause: { readonly clone: unknown } | ErrorFields;
}

/** An exception of the user's function, in the worker. */
export class Thrown extends Error {
  /** @param cause what was thrown */
  constructor(cause: unknown) {
    super(undefined, { cause });
  }

  toFields(): ThrownFields {
    const thrown = textOf(this.cause);
    return {
      thrown,
      cause: isCFileError(this.cause) ? fieldsOf(this.cause) : { clone: cloneOf(this.cause) },
    };
  }
}

/** The exception as the pool sees it. */
export function causeOf({ cause }: ThrownFields): unknown {
  return "code" in cause ? errorOf(cause) : cause.clone;
}

/** A clone of the thrown value, or its text if it cannot be cloned. */
function cloneOf(thrown: unknown): unknown {
  try {
    return structuredClone(thrown);
  } catch {
    return textOf(thrown);
  }
}

/** The text of a thrown value. Objects may not have any, or throw when they are converted. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return typeof thrown;
  }
}
