import { expect, it } from "vitest";
import { MessageBytes } from "../src/message-bytes.js";

it("packs integers as varints, also hash buckets above 127", () => {
  const bytes = new MessageBytes().packed(1, [0, 127, 129]).finish();
  expect([...bytes]).toEqual([0x0a, 4, 0, 127, 0x81, 1]);
});
