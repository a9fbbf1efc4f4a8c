import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.LocalHBaseCluster;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.wal.WALFactory;
import org.apache.hadoop.hbase.wal.WALSplitter;
import org.apache.hadoop.hbase.zookeeper.MiniZooKeeperCluster;

/**
 * A whole HBase in one process, controlled by lines of text: one master, one region server, one ZooKeeper. `round SEED FOLDER` changes
 * random tables, writes what the client reads to FOLDER/facts.json, and copies the root directory to FOLDER/root. FOLDER/recovered is
 * the same with the write-ahead logs as HBase divides them after a crash, in `recovered.edits` of the regions. The answer has what
 * occurred: group, item and count, separated by tabs.
 */
public final class HBaseCluster {
  private static BufferedWriter out;
  private static Configuration conf;
  static Connection connection;
  static Admin admin;
  private static File root;

  public static void main(String[] args) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    out = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8));
    System.setOut(System.err);
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      try {
        String[] command = line.split("\t", -1);
        if (!command[0].equals("round")) {
          throw new IllegalArgumentException(command[0]);
        }
        round(Long.parseLong(command[1]), command[2]);
        line("OK");
      } catch (Throwable e) {
        StringBuilder text = new StringBuilder("ERR ").append(String.valueOf(e).replace('\n', ' '));
        for (StackTraceElement element : e.getStackTrace()) {
          if (element.getClassName().startsWith("HBase")) {
            text.append(" at ").append(element);
          }
        }
        line(text.toString());
      }
      out.flush();
    }
    System.exit(0);
  }

  static void start(String folder) throws Exception {
    root = new File(folder, "live");
    conf = HBaseConfiguration.create();
    MiniZooKeeperCluster zooKeeper = new MiniZooKeeperCluster(conf);
    int port = zooKeeper.startup(new File(folder, "zookeeper"));
    conf.set("hbase.zookeeper.quorum", "localhost");
    conf.setInt("hbase.zookeeper.property.clientPort", port);
    conf.set("hbase.rootdir", root.toURI().toString());
    conf.set("hbase.tmp.dir", new File(folder, "tmp").getPath());
    conf.setBoolean("hbase.unsafe.stream.capability.enforce", false);
    conf.setBoolean("hbase.cluster.distributed", false);
    conf.set("hbase.wal.provider", "filesystem");
    for (String name : new String[] {"hbase.master.port", "hbase.regionserver.port"}) {
      conf.setInt(name, 0);
    }
    for (String name : new String[] {"hbase.master.info.port", "hbase.regionserver.info.port"}) {
      conf.setInt(name, -1);
    }
    conf.setBoolean("hbase.localcluster.assign.random.ports", true);
    conf.setInt("hbase.hstore.compaction.min", 4);
    conf.setInt("hbase.hstore.blockingStoreFiles", 100);
    conf.setInt("hbase.regionserver.handler.count", 20);
    conf.setInt("hbase.master.wait.on.regionservers.mintostart", 1);
    conf.setBoolean("hbase.ipc.server.fallback-to-simple-auth-allowed", true);
    conf.setBoolean("hbase.snapshot.enabled", true);
    conf.setInt("io.storefile.bloom.block.size", 2048);
    conf.setBoolean("hbase.table.sanity.checks", false);
    conf.setInt("hbase.client.retries.number", 4);
    for (String name : new String[] {"hbase.rpc.timeout", "hbase.client.scanner.timeout.period"}) {
      conf.setInt(name, 15_000);
    }
    conf.setInt("RowPrefixBloomFilter.prefix_length", 4);
    new LocalHBaseCluster(conf, 1, 1).startup();
    connection = ConnectionFactory.createConnection(conf);
    admin = connection.getAdmin();
    for (int i = 0; ; i++) {
      try {
        if (!admin.getRegionServers().isEmpty() && admin.tableExists(TableName.META_TABLE_NAME)) {
          break;
        }
      } catch (java.io.IOException e) {
        if (i > 200) {
          throw e;
        }
      }
      Thread.sleep(200);
    }
    admin.createNamespace(NamespaceDescriptor.create("ns1").build());
  }

  private static void round(long seed, String folder) throws Exception {
    Random random = new Random(seed);
    if (connection == null) {
      start(folder);
    }
    HBaseTables made = new HBaseTables(conf, connection, random, seed);
    for (int kind = 0; kind < 5; kind++) {
      made.create(kind);
    }
    for (HBaseTables.Known table : new ArrayList<>(made.tables)) {
      made.setCompactions(random.nextInt(3) > 0);
      int steps = 6 + random.nextInt(5);
      for (int step = 0; step < steps; step++) {
        made.step(table);
      }
    }
    made.setCompactions(true);
    // What a table has that a snapshot does not: more writes, and files that move to the archive.
    for (HBaseTables.Known table : made.tables) {
      made.write(table, 10);
      if (random.nextInt(3) == 0) {
        made.compact(table, true);
      }
    }
    // References that no compaction replaces.
    made.setCompactions(false);
    for (HBaseTables.Known table : new ArrayList<>(made.tables)) {
      switch (random.nextInt(4)) {
        case 0: made.split(table); break;
        case 1: made.merge(table); break;
        case 2: made.split(table); made.snapshot(table); break;
        default: made.write(table, 15); break;
      }
    }
    HBaseFacts facts = new HBaseFacts(conf, random, root);
    facts.write(folder, made.tables, made.snapshots);
    copy(root.toPath(), Paths.get(folder, "root"));
    copy(root.toPath(), Paths.get(folder, "recovered"));
    divideLogs(new File(folder, "recovered"));
    for (String scan : facts.unanswered) {
      line("unanswered\t" + scan);
    }
    for (Map.Entry<String, Map<String, Integer>> group : made.occurred.entrySet()) {
      for (Map.Entry<String, Integer> item : group.getValue().entrySet()) {
        line("occurred\t" + group.getKey() + "\t" + item.getKey() + "\t" + item.getValue());
      }
    }
  }

  /** Divides the logs of a copy of the root directory as the master does for a server that died. */
  private static void divideLogs(File copy) throws Exception {
    Configuration own = new Configuration(conf);
    own.set("hbase.rootdir", copy.toURI().toString());
    own.set("hbase.wal.dir", copy.toURI().toString());
    org.apache.hadoop.fs.Path rootPath = new org.apache.hadoop.fs.Path(copy.toURI());
    FileSystem fs = rootPath.getFileSystem(own);
    WALFactory factory = new WALFactory(own, "divided");
    for (File server : new File(copy, "WALs").listFiles()) {
      for (File log : server.listFiles()) {
        if (log.getName().endsWith(".meta") || log.getName().endsWith(".crc")) {
          log.delete();
        }
      }
      org.apache.hadoop.fs.Path logs = new org.apache.hadoop.fs.Path(server.toURI());
      WALSplitter.split(rootPath, logs, new org.apache.hadoop.fs.Path(rootPath, "oldWALs"), fs, own, factory);
    }
    factory.close();
  }

  private static void copy(Path from, Path to) throws Exception {
    try (Stream<Path> paths = Files.walk(from)) {
      for (Path path : (Iterable<Path>) paths::iterator) {
        String relative = from.relativize(path).toString();
        if (relative.startsWith("MasterData") || relative.startsWith("oldWALs") || relative.startsWith(".tmp")) {
          continue;
        }
        try {
          if (Files.isDirectory(path)) {
            Files.createDirectories(to.resolve(relative));
          } else {
            Files.copy(path, to.resolve(relative), StandardCopyOption.REPLACE_EXISTING);
          }
        } catch (java.nio.file.NoSuchFileException e) {
          // Temporary files come and go.
        }
      }
    }
  }

  private static void line(String text) throws Exception {
    out.write(text);
    out.write('\n');
  }
}
