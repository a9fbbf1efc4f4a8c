/** A table store of three cities, with an insert, an update and a delete at timestamps 1000, 2000 and 3000. */
import type { RowSetSchema } from "@cfile/rowset";
import { createTableStore, openTableStore } from "@cfile/rowset/store";

const schema: RowSetSchema = {
  columns: [
    { id: 1, name: "city", type: "STRING", nullable: false, array: false, isKey: true },
    { id: 2, name: "people", type: "INT64", nullable: true, array: false, isKey: false },
    { id: 3, name: "since", type: "DATE", nullable: true, array: false, isKey: false },
  ],
};

export async function writeCities(folder: string): Promise<string> {
  const creation = await createTableStore(folder, schema, { timestamp: 1000n });
  await creation.appendRows([["Zug", 30934n, 0], ["Bern", 134794n, -1], ["Biel"]]);
  await creation.finish();
  const rowSet = await openTableStore(folder);
  try {
    await rowSet.update([{ city: "Biel", people: 55206n }], 2000n);
    await rowSet.delete([["Zug"]], 3000n);
  } finally {
    await rowSet.close();
  }
  return folder;
}
