/**
 * The code of messages: an interface and a decoder for each message, or their encoders. A missing field is
 * `undefined`; callers apply defaults. 64-bit integers are bigint, or exact numbers with `[jstype =
 * JS_NUMBER]`.
 */
import protobuf from "protobufjs";

/** Method of the reader and writer, and type of the value. */
const KINDS: Readonly<Record<string, readonly [method: string, type: string]>> = {
  int32: ["int32", "number"],
  uint32: ["uint32", "number"],
  bool: ["bool", "boolean"],
  int64: ["int64", "bigint"],
  uint64: ["uint64", "bigint"],
  fixed64: ["fixed64", "bigint"],
  bytes: ["bytes", "Uint8Array"],
  string: ["text", "string"],
};

interface MessageField {
  readonly field: protobuf.Field;
  /** The name in errors: the name of the field, unless `[(label) = "…"]` replaces it. */
  readonly label: string;
  readonly property: string;
  readonly method: string;
  /** Type of a single value. */
  readonly type: string;
}

export function messageCode(root: protobuf.Root, half: "decode" | "encode"): string {
  root.resolveAll();
  const messages = messagesOf(root);
  const names = messages.map(({ name }) => name).join(", ");
  const lines = [
    "// Generated from the files in proto/ by `pnpm proto`. Do not edit.",
    ...(half === "decode"
      ? [`import type { MessageReader } from "@cfile/protobuf/read";`]
      : [
          `import type { MessageWriter } from "@cfile/protobuf/write";`,
          `import type { ${names} } from "./decode.js";`,
        ]),
    ...messages.flatMap(half === "decode" ? decoder : encoder),
  ];
  return `${lines.join("\n")}\n`;
}

/** All messages, nested messages included. Names are unique. */
export function messagesOf(space: protobuf.NamespaceBase): protobuf.Type[] {
  return space.nestedArray.flatMap((inner) => {
    const own = inner instanceof protobuf.Type ? [inner] : [];
    return inner instanceof protobuf.Namespace ? [...own, ...messagesOf(inner)] : own;
  });
}

/** Whether a 64-bit field is a number in the generated code. */
export function isExactNumber(field: protobuf.Field): boolean {
  return field.options?.["jstype"] === "JS_NUMBER";
}

function decoder(message: protobuf.Type): string[] {
  const { name } = message;
  const fields = fieldsOf(message);
  return [
    "",
    `export interface ${name} {`,
    ...fields.map(declaration),
    "}",
    "",
    `export function decode${name}(reader: MessageReader, into?: ${name}): ${name} {`,
    ...fields.map(({ property, type, field }) =>
      field.repeated
        ? `  const ${property}: ${type}[] = into ? [...into.${property}] : [];`
        : `  let ${property} = into?.${property};`,
    ),
    "  for (let number = reader.next(); number !== 0; number = reader.next()) {",
    "    switch (number) {",
    ...fields.flatMap((each) => [
      `      case ${each.field.id}:`,
      `        ${decodeField(each)}`,
      "        break;",
    ]),
    "      default:",
    "        reader.skip();",
    "    }",
    "  }",
    "  return {",
    ...fields.map(({ property, field, label }) =>
      field.required ? `    ${property}: reader.required(${property}, "${label}"),` : `    ${property},`,
    ),
    "  };",
    "}",
  ];
}

function declaration({ property, type, field }: MessageField): string {
  if (field.repeated) {
    return `  readonly ${property}: readonly ${type}[];`;
  }
  return field.required
    ? `  readonly ${property}: ${type};`
    : `  readonly ${property}?: ${type} | undefined;`;
}

function decodeField({ property, method, type, field, label }: MessageField): string {
  if (field.repeated && method === "int32") {
    return `reader.int32s("${label}", ${property});`;
  }
  // As protobuf specifies, repeated messages are merged; for other values, the last one counts.
  const value =
    method === "message"
      ? `decode${type}(reader.message("${label}")${field.repeated ? "" : `, ${property}`})`
      : `reader.${method}("${label}"${field.repeated && method === "bytes" ? `, ${property}.at(-1)` : ""})`;
  return field.repeated ? `${property}.push(${value});` : `${property} = ${value};`;
}

function encoder(message: protobuf.Type): string[] {
  const { name } = message;
  return [
    "",
    `export function encode${name}(writer: MessageWriter, message: ${name}): void {`,
    ...fieldsOf(message).flatMap(encodeField),
    "}",
  ];
}

function encodeField({ property, method, type, field }: MessageField): string[] {
  if (field.packed) {
    return [`  writer.int32s(${field.id}, message.${property});`];
  }
  const how = method === "message" ? `${field.id}, encode${type}` : `${field.id}`;
  return field.repeated
    ? [`  for (const each of message.${property}) {`, `    writer.${method}(${how}, each);`, "  }"]
    : [`  writer.${method}(${how}, message.${property});`];
}

function fieldsOf(message: protobuf.Type): MessageField[] {
  return [...message.fieldsArray]
    .sort((a, b) => a.id - b.id)
    .map((field) => {
      const [method, type] = kindOf(field);
      const label: unknown = field.options?.["(label)"];
      return {
        field,
        label: typeof label === "string" ? label : field.name,
        property: protobuf.util.camelCase(field.name),
        method,
        type,
      };
    });
}

function kindOf(field: protobuf.Field): readonly [method: string, type: string] {
  if (field.resolvedType !== null) {
    return ["message", field.resolvedType.name];
  }
  const kind = isExactNumber(field) ? (["count", "number"] as const) : KINDS[field.type];
  if (kind === undefined) {
    throw new RangeError(`${field.fullName} has type ${field.type}, which has no code`);
  }
  return kind;
}
