/** The commands, in the order in which help lists them. The code of each is loaded lazily. */
import type { Command, CommandEntry } from "./command.js";

const entry = (summary: string, load: () => Promise<Command>): CommandEntry => ({ summary, load });

const TABLE: CommandEntry = {
  summary: "Work with table stores",
  about:
    "A table store is a directory that holds a table with a primary key, its changes and their history: rows can be read as of any time. Commands that only read also accept a .json file that lists the files of DiskRowSets by role.",
  examples: [["Create a table store", "cfile table create data.csv -o table --key id"]],
  commands: {
    create: entry("Create a table store from a CSV or NDJSON file", () =>
      import("../table-store/commands/create.js").then((m) => m.create),
    ),
    scan: entry("Print rows in key order, current or past", () =>
      import("../table-store/commands/scan.js").then((m) => m.scan),
    ),
    get: entry("Print the rows of keys", () => import("../table-store/commands/get.js").then((m) => m.get)),
    update: entry("Update, insert or delete rows", () =>
      import("../table-store/commands/update.js").then((m) => m.update),
    ),
    history: entry("Print all versions of rows", () =>
      import("../table-store/commands/history.js").then((m) => m.history),
    ),
    diff: {
      ...entry("Print the rows that changed between two times", () =>
        import("../table-store/commands/diff.js").then((m) => m.diff),
      ),
      aliases: ["changes"],
    },
    compact: entry("Merge changes into the base data", () =>
      import("../table-store/commands/compact.js").then((m) => m.compact),
    ),
    verify: entry("Check all files of a table store for damage", () =>
      import("../table-store/commands/verify.js").then((m) => m.verify),
    ),
  },
};

const KUDU: CommandEntry = {
  summary: "Read the directories of Kudu servers",
  about:
    "These commands need no running server. They take the server's data, metadata and log directories, or one directory that holds them, and never change them.",
  examples: [["Print a table as CSV", "cfile kudu scan /data/1 /data/wal --table t --format csv"]],
  commands: {
    catalog: entry("List the tables that a cluster's masters record", () =>
      import("../kudu/cluster/kudu-catalog.js").then((m) => m.catalogCommand),
    ),
    describe: entry("Describe a table's columns and partitions", () =>
      import("../kudu/cluster/kudu-describe.js").then((m) => m.describeCommand),
    ),
    ksck: entry("Check a cluster's replicas, from its disks", () =>
      import("../kudu/cluster/kudu-ksck.js").then((m) => m.ksckCommand),
    ),
    ls: entry("List tables and tablets with rows and sizes", () =>
      import("../kudu/kudu-ls.js").then((m) => m.ls),
    ),
    tree: entry("Draw the key ranges of DiskRowSets and their overlaps", () =>
      import("../kudu/kudu-tree.js").then((m) => m.tree),
    ),
    scan: entry("Print the rows of a table, current or past", () =>
      import("../kudu/kudu-rows.js").then((m) => m.scan),
    ),
    diff: entry("Print the rows that changed between two times", () =>
      import("../kudu/kudu-rows.js").then((m) => m.diff),
    ),
    export: entry("Export a table as Parquet, Iceberg, Arrow, CSV or CFiles", () =>
      import("../kudu/kudu-export.js").then((m) => m.exportToFile),
    ),
    log: entry("List the entries of write-ahead logs", () =>
      import("../kudu/kudu-log.js").then((m) => m.log),
    ),
    blocks: entry("List all blocks with their location and use", () =>
      import("../kudu/kudu-blocks.js").then((m) => m.blocks),
    ),
    "cat-block": entry("Write the bytes of a block to stdout", () =>
      import("../kudu/kudu-blocks.js").then((m) => m.catBlock),
    ),
    check: entry("Check containers, metadata and all files for damage", () =>
      import("../kudu/kudu-check.js").then((m) => m.check),
    ),
    load: entry("Add rows to a table, in a copy of the directories", () =>
      import("../kudu/kudu-load.js").then((m) => m.load),
    ),
    rebuild: entry("Find tables in data directories without metadata", () =>
      import("../kudu/rebuild/kudu-rebuild.js").then((m) => m.rebuildCommand),
    ),
    restore: entry("Write directories that a new cluster starts on", () =>
      import("../kudu/cluster/kudu-restore.js").then((m) => m.restoreCommand),
    ),
  },
};

const HUDI: CommandEntry = {
  summary: "Read Hudi tables without a JVM",
  about:
    "Table versions 6, 8 and 9, copy on write and merge on read. Partitions, files and statistics come from the table's metadata table. Nothing is changed.",
  examples: [["Print rows", "cfile hudi scan trips --where 'fare > 10'"]],
  commands: {
    info: entry("Describe a table", () => import("../hudi/hudi-lists.js").then((m) => m.info)),
    timeline: entry("List the instants of a table", () =>
      import("../hudi/hudi-lists.js").then((m) => m.timeline),
    ),
    files: entry("List the files of each partition", () =>
      import("../hudi/hudi-lists.js").then((m) => m.files),
    ),
    slices: entry("List the file slices, latest or past", () =>
      import("../hudi/hudi-lists.js").then((m) => m.slices),
    ),
    stats: entry("Print the column statistics of files", () =>
      import("../hudi/hudi-stats.js").then((m) => m.stats),
    ),
    scan: entry("Print rows, current, past or changed", () =>
      import("../hudi/hudi-rows.js").then((m) => m.scan),
    ),
    diff: entry("Print the rows that changed in a range", () =>
      import("../hudi/hudi-rows.js").then((m) => m.diff),
    ),
    get: entry("Print a record by its key", () => import("../hudi/hudi-rows.js").then((m) => m.get)),
    export: entry("Export rows as Parquet, Arrow, CSV or CFiles", () =>
      import("../hudi/hudi-export.js").then((m) => m.exportToFile),
    ),
    verify: entry("Check all files, and that they agree", () =>
      import("../hudi/hudi-verify.js").then((m) => m.verify),
    ),
  },
};

const HBASE: CommandEntry = {
  summary: "Read tables and snapshots of HBase",
  about:
    "These commands need no running HBase. They take its root directory, or a copy of it, and never change it.",
  examples: [["Print the cells of a snapshot", "cfile hbase scan /hbase --snapshot s1"]],
  commands: {
    ls: entry("List tables and snapshots", () => import("../hbase/hbase-ls.js").then((m) => m.ls)),
    describe: entry("Show families, regions and store files", () =>
      import("../hbase/hbase-ls.js").then((m) => m.describe),
    ),
    scan: entry("Print the cells of a table or snapshot", () =>
      import("../hbase/hbase-cells.js").then((m) => m.scan),
    ),
    get: entry("Print the cells of rows", () => import("../hbase/hbase-cells.js").then((m) => m.get)),
    export: entry("Export columns as Parquet, Arrow, CSV or NDJSON", () =>
      import("../hbase/hbase-export.js").then((m) => m.exportToFile),
    ),
    splits: entry("List regions as parts for parallel work", () =>
      import("../hbase/hbase-export.js").then((m) => m.splits),
    ),
    verify: entry("Check regions, links and all files for damage", () =>
      import("../hbase/hbase-verify.js").then((m) => m.verify),
    ),
    bloom: entry("Ask the Bloom filter of a store file", () =>
      import("../hbase/hbase-bloom.js").then((m) => m.bloom),
    ),
  },
};

/** All commands and groups. */
export const COMMANDS: CommandEntry = {
  summary: "Read, check, write and convert Apache Kudu CFiles and tables of them",
  examples: [
    ["Show what a file is made of", "cfile inspect c.cfile"],
    ["Print its first five values as readable text", "cfile head -n 5 c.cfile --decode"],
    ["Write a CFile for each column of a CSV file", "cfile write data.csv -o columns"],
  ],
  commands: {
    inspect: entry("Show the structure of files or table stores", () =>
      import("../commands/inspect.js").then((m) => m.inspect),
    ),
    cat: entry("Print the values of a column", () => import("../commands/cat.js").then((m) => m.cat)),
    head: entry("Print the first values of a column", () => import("../commands/cat.js").then((m) => m.head)),
    get: entry("Print the value of one row", () => import("../commands/get.js").then((m) => m.get)),
    find: entry("Find a row by value through the value index", () =>
      import("../commands/find.js").then((m) => m.find),
    ),
    scan: entry("Print the rows that match conditions", () =>
      import("../commands/scan.js").then((m) => m.scan),
    ),
    sql: entry("Query table stores and CFiles with SQL (DuckDB)", () =>
      import("../commands/sql.js").then((m) => m.sql),
    ),
    compare: entry("Compare the rows of two tables", () =>
      import("../compare/compare.js").then((m) => m.compare),
    ),
    digest: entry("Print the SHA-256 of a column's content", () =>
      import("../commands/digest.js").then((m) => m.digest),
    ),
    verify: entry("Check files or table stores for damage", () =>
      import("../commands/verify.js").then((m) => m.verify),
    ),
    recover: entry("Recover undamaged data into a new file", () =>
      import("../commands/recover.js").then((m) => m.recover),
    ),
    write: entry("Write a CFile for each column of a CSV or NDJSON file", () =>
      import("../commands/write.js").then((m) => m.write),
    ),
    rewrite: entry("Rewrite a column with other options", () =>
      import("../commands/rewrite.js").then((m) => m.rewrite),
    ),
    convert: entry("Convert a table to another format", () =>
      import("../commands/convert.js").then((m) => m.convert),
    ),
    table: { ...TABLE, aliases: ["rowset"] },
    kudu: KUDU,
    hudi: HUDI,
    hbase: HBASE,
    bloom: {
      summary: "Query Bloom files",
      examples: [["Look up two keys", "cfile bloom check bloom.cfile apple pear"]],
      commands: {
        check: entry("Show which keys may be in a Bloom file", () =>
          import("../bloom/bloom.js").then((m) => m.check),
        ),
        stats: entry("Show fill and false-positive rate of the filters", () =>
          import("../bloom/bloom.js").then((m) => m.stats),
        ),
      },
    },
    delta: {
      summary: "Read delta files",
      examples: [["Print all changes", "cfile delta cat redo.cfile"]],
      commands: {
        cat: entry("Print the changes in a delta file", () => import("../delta/delta.js").then((m) => m.cat)),
      },
    },
    hfile: {
      summary: "Write HFiles of HBase and Hudi",
      about: "To read HFiles, use inspect, cat, head, get --key, find --key, verify and recover.",
      examples: [["Write cells from NDJSON", "cfile hfile write cells.ndjson -o cells.hfile"]],
      commands: {
        write: entry("Write an HFile from cells in NDJSON", () =>
          import("../hfile/hfile.js").then((m) => m.write),
        ),
      },
    },
    splits: entry("Divide a table into splits for parallel work", () =>
      import("../splits/splits.js").then((m) => m.splits),
    ),
    "run-split": entry("Write each split from stdin to a Parquet file", () =>
      import("../splits/run-split.js").then((m) => m.runSplits),
    ),
    "commit-splits": entry("Create an Iceberg table of the files of splits", () =>
      import("../splits/commit-splits.js").then((m) => m.commitSplits),
    ),
    serve: entry("Show files in the browser", () => import("../serve/serve.js").then((m) => m.serve)),
    completion: entry("Print a completion script for bash or zsh", () =>
      import("../commands/completion.js").then((m) => m.completion),
    ),
  },
};
