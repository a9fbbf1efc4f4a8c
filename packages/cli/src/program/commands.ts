/** The commands, in the order in which help lists them. The code of each is loaded when it is needed. */
import type { CommandEntry } from "./command.js";

const TABLE: CommandEntry = {
  summary: "Work with table stores",
  about:
    "A table store is a directory that holds a table with a primary key, its changes and their history: rows can be read as of any time. Commands that only read also accept a .json file that lists the files of DiskRowSets by role.",
  examples: [["Create a table store", "cfile table create data.csv -o table --key id"]],
  commands: {
    create: {
      summary: "Create a table store from a CSV or NDJSON file",
      load: async () => (await import("../table-store/commands/create.js")).createCommand,
    },
    scan: {
      summary: "Print rows in key order, current or past",
      load: async () => (await import("../table-store/commands/scan.js")).tableScanCommand,
    },
    get: {
      summary: "Print the rows of keys",
      load: async () => (await import("../table-store/commands/get.js")).tableGetCommand,
    },
    update: {
      summary: "Update, insert or delete rows",
      load: async () => (await import("../table-store/commands/update.js")).updateCommand,
    },
    history: {
      summary: "Print all versions of rows",
      load: async () => (await import("../table-store/commands/history.js")).historyCommand,
    },
    diff: {
      summary: "Print the rows that changed between two times",
      aliases: ["changes"],
      load: async () => (await import("../table-store/commands/diff.js")).diffCommand,
    },
    compact: {
      summary: "Merge changes into the base data",
      load: async () => (await import("../table-store/commands/compact.js")).compactCommand,
    },
    verify: {
      summary: "Check all files of a table store for damage",
      load: async () => (await import("../table-store/commands/verify.js")).tableVerifyCommand,
    },
  },
};

const KUDU: CommandEntry = {
  summary: "Read the directories of a Kudu tablet server",
  about:
    "These commands need no running server. They take the server's data, metadata and log directories, or one directory that holds them, and never change them.",
  examples: [["Print a table as CSV", "cfile kudu scan /data/1 /data/wal --table t --format csv"]],
  commands: {
    catalog: {
      summary: "List the tables that a cluster's masters record",
      load: async () => (await import("../kudu/cluster/kudu-catalog.js")).catalogCommand,
    },
    describe: {
      summary: "Describe a table's columns and partitions",
      load: async () => (await import("../kudu/cluster/kudu-describe.js")).describeCommand,
    },
    ksck: {
      summary: "Check a cluster's replicas, from its disks",
      load: async () => (await import("../kudu/cluster/kudu-ksck.js")).ksckCommand,
    },
    ls: {
      summary: "List tables and tablets with rows and sizes",
      load: async () => (await import("../kudu/kudu-ls.js")).lsCommand,
    },
    tree: {
      summary: "Draw the key ranges of DiskRowSets and their overlaps",
      load: async () => (await import("../kudu/kudu-tree.js")).treeCommand,
    },
    scan: {
      summary: "Print the rows of a table, current or past",
      load: async () => (await import("../kudu/kudu-rows.js")).scanCommand,
    },
    diff: {
      summary: "Print the rows that changed between two times",
      load: async () => (await import("../kudu/kudu-rows.js")).diffCommand,
    },
    export: {
      summary: "Export a table as Parquet, Arrow, CSV or CFiles",
      load: async () => (await import("../kudu/kudu-export.js")).exportCommand,
    },
    log: {
      summary: "List the entries of write-ahead logs",
      load: async () => (await import("../kudu/kudu-log.js")).logCommand,
    },
    blocks: {
      summary: "List all blocks with their location and use",
      load: async () => (await import("../kudu/kudu-blocks.js")).blocksCommand,
    },
    "cat-block": {
      summary: "Write the bytes of a block to stdout",
      load: async () => (await import("../kudu/kudu-blocks.js")).catBlockCommand,
    },
    check: {
      summary: "Check containers, metadata and all files for damage",
      load: async () => (await import("../kudu/kudu-check.js")).checkCommand,
    },
    load: {
      summary: "Add rows to a table, in a copy of the directories",
      load: async () => (await import("../kudu/kudu-load.js")).loadCommand,
    },
  },
};

export const COMMANDS: CommandEntry = {
  summary: "Read, check, write and convert Apache Kudu CFiles and tables of them",
  examples: [
    ["Show what a file is made of", "cfile inspect c.cfile"],
    ["Print its first five values as readable text", "cfile head -n 5 c.cfile --decode"],
    ["Write a CFile for each column of a CSV file", "cfile write data.csv -o columns"],
  ],
  commands: {
    inspect: {
      summary: "Show the structure of files or table stores",
      load: async () => (await import("../commands/inspect.js")).inspectCommand,
    },
    cat: {
      summary: "Print the values of a column",
      load: async () => (await import("../commands/cat.js")).catCommand,
    },
    head: {
      summary: "Print the first values of a column",
      load: async () => (await import("../commands/cat.js")).headCommand,
    },
    get: {
      summary: "Print the value of one row",
      load: async () => (await import("../commands/get.js")).getCommand,
    },
    find: {
      summary: "Find a row by value through the value index",
      load: async () => (await import("../commands/find.js")).findCommand,
    },
    scan: {
      summary: "Print the rows that match conditions",
      load: async () => (await import("../commands/scan.js")).scanCommand,
    },
    sql: {
      summary: "Query table stores and CFiles with SQL (DuckDB)",
      load: async () => (await import("../commands/sql.js")).sqlCommand,
    },
    digest: {
      summary: "Print the SHA-256 of a column's content",
      load: async () => (await import("../commands/digest.js")).digestCommand,
    },
    verify: {
      summary: "Check files or table stores for damage",
      load: async () => (await import("../commands/verify.js")).verifyCommand,
    },
    recover: {
      summary: "Recover undamaged data into a new file",
      load: async () => (await import("../commands/recover.js")).recoverCommand,
    },
    write: {
      summary: "Write a CFile for each column of a CSV or NDJSON file",
      load: async () => (await import("../commands/write.js")).writeCommand,
    },
    rewrite: {
      summary: "Rewrite a column with other options",
      load: async () => (await import("../commands/rewrite.js")).rewriteCommand,
    },
    convert: {
      summary: "Convert a table to another format",
      load: async () => (await import("../commands/convert.js")).convertCommand,
    },
    table: { ...TABLE, aliases: ["rowset"] },
    kudu: KUDU,
    bloom: {
      summary: "Query Bloom files",
      examples: [["Look up two keys", "cfile bloom check bloom.cfile apple pear"]],
      commands: {
        check: {
          summary: "Tell which keys may be in a Bloom file",
          load: async () => (await import("../bloom/bloom.js")).checkCommand,
        },
        stats: {
          summary: "Show fill and false-positive rate of the filters",
          load: async () => (await import("../bloom/bloom.js")).statsCommand,
        },
      },
    },
    delta: {
      summary: "Read delta files",
      examples: [["Print all changes", "cfile delta cat redo.cfile"]],
      commands: {
        cat: {
          summary: "Print the changes in a delta file",
          load: async () => (await import("../delta/delta.js")).deltaCatCommand,
        },
      },
    },
    hfile: {
      summary: "Write HFiles of HBase and Hudi",
      about: "To read HFiles, use inspect, cat, head, get --key, find --key, verify and recover.",
      examples: [["Write cells from NDJSON", "cfile hfile write cells.ndjson -o cells.hfile"]],
      commands: {
        write: {
          summary: "Write an HFile from cells in NDJSON",
          load: async () => (await import("../hfile/hfile.js")).hfileWriteCommand,
        },
      },
    },
    splits: {
      summary: "Divide a table into splits for parallel work",
      load: async () => (await import("../splits/splits.js")).splitsCommand,
    },
    "run-split": {
      summary: "Write each split from stdin to a Parquet file",
      load: async () => (await import("../splits/run-split.js")).runSplitCommand,
    },
    serve: {
      summary: "Show files in the browser",
      load: async () => (await import("../serve/serve.js")).serveCommand,
    },
    completion: {
      summary: "Print a completion script for bash or zsh",
      load: async () => (await import("../commands/completion.js")).completionCommand,
    },
  },
};
