import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.client.SparkRDDWriteClient;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.config.HoodieMetadataConfig;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieLogFile;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.common.table.view.FileSystemViewManager;
import org.apache.hudi.common.table.view.HoodieTableFileSystemView;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.hadoop.fs.HadoopFSUtils;
import org.apache.hudi.metadata.HoodieBackedTableMetadata;
import org.apache.hudi.metadata.HoodieTableMetadata;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.storage.StoragePathInfo;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.DataFrameReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.collection.JavaConverters;

/**
 * Spark with Hudi 1.2 or 0.15, controlled by lines of text. `round SEED FOLDER VERSION` writes a random table of that version, and twice
 * copies it to FOLDER/N/table, with the answers of Hudi's readers in FOLDER/N/facts.json. The answer has what was done. The argument is
 * the Spark master.
 */
public final class HudiTables {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> DAYS = Arrays.asList("2026/01/05", "2026/01/06", "2026/02/01");
  private static final List<String> REGIONS = Arrays.asList("north", "a/b", "süd: 50 %", "x=y");
  private static BufferedWriter out;
  private static SparkSession spark;
  private static JavaSparkContext context;

  public static void main(String[] args) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    out = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8));
    System.setOut(System.err);
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      try {
        String[] command = line.split("\t", -1);
        start(args.length == 0 ? "local[2]" : args[0]);
        switch (command[0]) {
          case "round": new HudiTables(Long.parseLong(command[1]), command[2], Integer.parseInt(command[3])).round(); break;
          case "large": large(command[1], Integer.parseInt(command[2])); break;
          case "time": time(command[1]); break;
          default: throw new IllegalArgumentException(command[0]);
        }
        line("OK");
      } catch (Throwable e) {
        line("ERR " + reason(e) + Arrays.stream(e.getStackTrace()).limit(12).map(each -> " at " + each).collect(Collectors.joining()));
      }
      out.flush();
    }
    System.exit(0);
  }

  private static void start(String master) {
    if (spark == null) {
      spark = SparkSession.builder().master(master).appName("interop")
          .config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
          .config("spark.serializer", "org.apache.spark.serializer.KryoSerializer")
          .config("spark.sql.extensions", "org.apache.spark.sql.hudi.HoodieSparkSessionExtension")
          .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.hudi.catalog.HoodieCatalog")
          .config("spark.sql.shuffle.partitions", "2").config("spark.default.parallelism", "2")
          .config("spark.sql.session.timeZone", "UTC").config("spark.sql.datetime.java8API.enabled", "true").getOrCreate();
      spark.sparkContext().setLogLevel("OFF");
      context = JavaSparkContext.fromSparkContext(spark.sparkContext());
    }
  }

  /** large PATH ROWS: a merge-on-read table of so many rows; one in five has a newer version in log files. */
  private static void large(String path, int count) {
    Map<String, String> options = new HashMap<>();
    options.put("hoodie.table.name", "large");
    options.put("hoodie.datasource.write.table.type", "MERGE_ON_READ");
    options.put("hoodie.datasource.write.recordkey.field", "id");
    options.put("hoodie.datasource.write.partitionpath.field", "");
    options.put("hoodie.datasource.write.keygenerator.class", "org.apache.hudi.keygen.NonpartitionedKeyGenerator");
    options.put("hoodie.datasource.write.precombine.field", "ts");
    options.put("hoodie.embed.timeline.server", "false");
    options.put("hoodie.bulkinsert.shuffle.parallelism", "4");
    Dataset<Row> rows = spark.range(count).selectExpr("concat('key-', lpad(id, 9, '0')) as id", "id as ts", "cast(id % 1000 as int) as qty",
        "id * 1.5 as amount", "concat('name ', id % 5000) as name", "id % 3 = 0 as flag", "timestamp_micros(id * 1000000) as t");
    rows.write().format("hudi").options(options).option("hoodie.datasource.write.operation", "bulk_insert").mode(SaveMode.Overwrite).save(path);
    for (int part = 0; part < 2; part++) {
      rows.where("ts % 10 = " + part).selectExpr("id", "ts + 1 as ts", "qty + 1 as qty", "amount", "name", "flag", "t").write().format("hudi")
          .options(options).option("hoodie.datasource.write.operation", "upsert").mode(SaveMode.Append).save(path);
    }
  }

  /** time PATH: the milliseconds of a scan of all columns, and the number of rows. */
  private static void time(String path) throws Exception {
    long count = spark.read().format("hudi").load(path).count();
    long start = System.nanoTime();
    spark.read().format("hudi").load(path).write().format("noop").mode(SaveMode.Overwrite).save();
    line((System.nanoTime() - start) / 1000000 + " " + count);
  }

  private final Random random;
  /** For the shapes of columns: the same steps and values come from a seed in tables with and without them. */
  private final Random shapes;
  private final File folder;
  private final String path;
  private final int version;
  private final boolean isMergeOnRead;
  /** 0: none, 1: days with slashes, 2: region and day, encoded. */
  private final int partitioning;
  private final boolean hasMetadata;
  private final boolean hasDeleteMarks;
  private final boolean isGlobal;
  private final Map<String, String> settings = new TreeMap<>();
  private final List<String> marks = new ArrayList<>();
  private final List<String> savepoints = new ArrayList<>();
  private boolean hasExtra;
  private boolean wasKilled;
  private long clock = 1000;

  private HudiTables(long seed, String folder, int version) {
    this.random = new Random(seed * 7919 + version);
    this.shapes = new Random(seed * 104729 + version);
    this.folder = new File(folder);
    this.path = "file:" + folder + "/live";
    this.version = version;
    isMergeOnRead = random.nextInt(3) > 0;
    partitioning = random.nextInt(3);
    hasMetadata = random.nextInt(6) > 0;
    hasDeleteMarks = random.nextBoolean();
    isGlobal = partitioning > 0 && random.nextInt(3) == 0;
    choose();
  }

  /** The settings of the table. */
  private void choose() {
    set("hoodie.table.name", "interop");
    set("hoodie.datasource.write.table.type", isMergeOnRead ? "MERGE_ON_READ" : "COPY_ON_WRITE");
    if (version >= 8) {
      set("hoodie.write.table.version", version);
      set("hoodie.write.auto.upgrade", false);
    }
    set("hoodie.datasource.write.recordkey.field", "id");
    String keys = partitioning == 0 ? "NonpartitionedKeyGenerator" : partitioning == 1 ? "SimpleKeyGenerator" : "ComplexKeyGenerator";
    set("hoodie.datasource.write.keygenerator.class", "org.apache.hudi.keygen." + keys);
    set("hoodie.datasource.write.partitionpath.field", partitioning == 0 ? "" : partitioning == 1 ? "day" : "region,day");
    if (partitioning == 2) {
      set("hoodie.datasource.write.hive_style_partitioning", random.nextInt(3) > 0);
      set("hoodie.datasource.write.partitionpath.urlencode", true);
      // Its complex keys of one field are not those that Hudi 1.1 warns of.
      set("hoodie.write.complex.keygen.validation.enable", false);
    }
    order();
    set("hoodie.metadata.enable", hasMetadata);
    if (hasMetadata) {
      set("hoodie.metadata.index.column.stats.enable", random.nextInt(3) > 0);
      set("hoodie.metadata.index.bloom.filter.enable", random.nextBoolean());
      set("hoodie.metadata.record.index.enable", random.nextInt(3) > 0);
      set("hoodie.metadata.record.index.min.filegroup.count", 1 + random.nextInt(3));
      set("hoodie.metadata.index.column.stats.file.group.count", 1 + random.nextInt(2));
      set("hoodie.metadata.compact.max.delta.commits", 2 + random.nextInt(8));
    }
    boolean hasIndex = Boolean.parseBoolean(settings.get("hoodie.metadata.record.index.enable"));
    set("hoodie.index.type", hasIndex && isGlobal ? "RECORD_INDEX" : isGlobal ? "GLOBAL_SIMPLE" : random.nextBoolean() ? "SIMPLE" : "BLOOM");
    for (String index : Arrays.asList("simple", "bloom", "record")) {
      set("hoodie." + index + ".index.update.partition.path", true);
    }
    if (isMergeOnRead && random.nextInt(3) == 0) {
      set("hoodie.logfile.data.block.format", "parquet");
    }
    set("hoodie.parquet.compression.codec", random.nextBoolean() ? "gzip" : "snappy");
    boolean byVersions = random.nextInt(4) == 0;
    set("hoodie.cleaner.policy", byVersions ? "KEEP_LATEST_FILE_VERSIONS" : "KEEP_LATEST_COMMITS");
    set(byVersions ? "hoodie.cleaner.fileversions.retained" : "hoodie.cleaner.commits.retained", 2 + random.nextInt(2));
    set("hoodie.keep.min.commits", 4);
    set("hoodie.keep.max.commits", 5);
    set("hoodie.compact.inline", false);
    set("hoodie.clean.failed.writes.policy", "EAGER");
    set("hoodie.embed.timeline.server", false);
    for (String action : Arrays.asList("insert", "upsert", "bulkinsert", "delete")) {
      set("hoodie." + action + ".shuffle.parallelism", 2);
    }
    set("hoodie.parquet.small.file.limit", random.nextInt(3) == 0 ? 0 : 104857600);
  }

  /** Which version of a row counts. */
  private void order() {
    int kind = random.nextInt(4);
    // Hudi 0.15 does not read fields of structs from logs.
    String first = version >= 8 && shapes.nextInt(3) == 0 ? "stamp.at" : "ts";
    String fields = kind == 3 && version >= 9 ? first + ",seq" : first;
    if (version < 8) {
      set("hoodie.datasource.write.precombine.field", fields);
      String payload = kind == 0 ? "DefaultHoodieRecordPayload" : "OverwriteWithLatestAvroPayload";
      set("hoodie.datasource.write.payload.class", "org.apache.hudi.common.model." + payload);
    } else {
      set("hoodie.record.merge.mode", kind == 0 ? "COMMIT_TIME_ORDERING" : "EVENT_TIME_ORDERING");
      if (kind > 0) {
        set("hoodie.datasource.write.precombine.field", fields);
      }
    }
  }

  private void set(String key, Object value) {
    settings.put(key, String.valueOf(value));
  }

  private void round() throws Exception {
    for (Map.Entry<String, String> setting : settings.entrySet()) {
      line("setting\t" + setting.getKey() + "\t" + setting.getValue());
    }
    write(random.nextInt(3) == 0 ? "bulk_insert" : "insert", rows(40 + random.nextInt(40), false), Collections.emptyMap());
    int steps = 7 + random.nextInt(5);
    for (int i = 1; i <= steps; i++) {
      String done;
      try {
        done = i == steps && random.nextInt(3) == 0 ? kill() : step();
      } catch (Throwable e) {
        done = "refused: " + reason(e);
      }
      line("step\t" + done);
      if (i == steps / 2 || i == steps) {
        new Facts(i == steps ? 2 : 1).write();
      }
    }
  }

  /** One step, at random. */
  private String step() throws Exception {
    if (marks.isEmpty() || random.nextInt(2) == 0) {
      lastWrite().ifPresent(marks::add);
    }
    int chance = random.nextInt(100);
    boolean mayMerge = version >= 8 && isMergeOnRead && !hasDeleteMarks;
    if (chance < 42) {
      return mayMerge && random.nextInt(3) == 0 ? merge() : change("upsert", "upsert");
    } else if (chance < 50) {
      hasExtra = true;
      return change("upsert", "added column");
    } else if (chance < 60) {
      return change("delete", "delete");
    } else if (chance < 66) {
      return mayMerge ? merge() : change("insert", "insert");
    } else if (chance < 82) {
      return kill();
    } else if (chance < 86) {
      return change("insert_overwrite", "insert overwrite");
    } else if (chance < 90 && partitioning > 0) {
      Map<String, String> options = new HashMap<>();
      TreeSet<String> partitions = new TreeSet<>(readPartitions());
      options.put("hoodie.datasource.write.partitions.to.delete", new ArrayList<>(partitions).get(random.nextInt(partitions.size())));
      write("delete_partition", rows(1, true), options);
      return "delete partition";
    } else if (chance < 95) {
      String time = lastWrite().get();
      client(client -> client.savepoint(time, "interop", "kept"));
      savepoints.add(time);
      return "savepoint";
    } else {
      String time = lastWrite().get();
      if (savepoints.contains(time)) {
        return change("upsert", "upsert");
      }
      client(client -> client.rollback(time));
      return "rollback";
    }
  }

  private interface ClientWork {
    void run(SparkRDDWriteClient<?> client) throws Exception;
  }

  private void client(ClientWork work) throws Exception {
    Properties properties = new Properties();
    properties.putAll(settings);
    properties.putAll(afterKill());
    HoodieWriteConfig config = HoodieWriteConfig.newBuilder().withPath(path).forTable("interop").withProps(properties).build();
    try (SparkRDDWriteClient<?> client = new SparkRDDWriteClient<>(new HoodieSparkEngineContext(context), config)) {
      work.run(client);
    }
  }

  /** A write, with a table service after it in half of all cases. */
  private String change(String operation, String name) throws Exception {
    Map<String, String> options = new HashMap<>();
    String service = "";
    options.put("hoodie.clean.automatic", String.valueOf(random.nextInt(3) > 0));
    options.put("hoodie.archive.automatic", String.valueOf(random.nextInt(3) > 0));
    int chance = random.nextInt(8);
    if (chance < 2 && isMergeOnRead) {
      service = ", compaction";
      options.put("hoodie.compact.inline", "true");
    } else if (chance == 2 && isMergeOnRead) {
      service = ", planned compaction";
      options.put("hoodie.compact.schedule.inline", "true");
    } else if (chance == 3) {
      service = ", clustering";
      options.put("hoodie.clustering.inline", "true");
    } else if (chance == 4 && random.nextInt(3) == 0) {
      service = ", planned clustering";
      options.put("hoodie.clustering.schedule.inline", "true");
    }
    options.put("hoodie.compact.inline.max.delta.commits", "1");
    options.put("hoodie.clustering.inline.max.commits", "1");
    write(operation, rows(8 + random.nextInt(25), true), options);
    return name + service;
  }

  /** Changes a few columns: their log blocks have only these. */
  private String merge() {
    spark.sql("drop table if exists merged");
    spark.sql("create table merged using hudi location '" + path + "'");
    rows(8 + random.nextInt(25), false).createOrReplaceTempView("changes");
    settings.forEach((key, value) -> spark.conf().set(key, value));
    try {
      spark.sql("merge into merged t using (select id, ts, seq, stamp, qty, name from changes) s on t.id = s.id "
          + "when matched then update set t.id = s.id, t.ts = s.ts, t.seq = s.seq, t.stamp = s.stamp, t.qty = s.qty, t.name = s.name");
    } finally {
      settings.keySet().forEach(key -> spark.conf().unset(key));
    }
    return "partial update";
  }

  /** A write whose writer is killed at its end: its instant is not completed, in half of all cases not even in the metadata table. */
  private String kill() throws Exception {
    Map<String, String> options = new HashMap<>();
    options.put("hoodie.clean.automatic", "false");
    options.put("hoodie.archive.automatic", "false");
    String before = lastWrite().orElse("");
    write(random.nextInt(4) == 0 ? "delete" : "upsert", rows(5 + random.nextInt(10), true), options);
    String time = lastWrite().orElse("");
    if (time.equals(before)) {
      return "upsert that wrote nothing";
    }
    File hoodie = new File(folder, "live/.hoodie");
    boolean both = random.nextBoolean();
    for (String timeline : both ? Arrays.asList("", "metadata/.hoodie/") : Arrays.asList("")) {
      File own = new File(hoodie, timeline + (version >= 8 ? "timeline" : ""));
      for (File file : own.listFiles() == null ? new File[0] : own.listFiles()) {
        if (file.getName().matches("\\.?" + time + "(_\\d+)?\\.(commit|deltacommit)(\\.crc)?")) {
          Files.delete(file.toPath());
        }
      }
    }
    wasKilled = true;
    return both && hasMetadata ? "killed writer, also in the metadata table" : "killed writer";
  }

  /** Hudi would compact the metadata table first, and could not roll a killed write back after that. */
  private Map<String, String> afterKill() {
    return wasKilled ? Collections.singletonMap("hoodie.metadata.compact.max.delta.commits", "1000") : Collections.emptyMap();
  }

  private void write(String operation, Dataset<Row> rows, Map<String, String> given) {
    Map<String, String> options = new HashMap<>(given);
    options.putAll(afterKill());
    rows.write().format("hudi").options(settings).options(options).option("hoodie.datasource.write.operation", operation)
        .mode(new File(folder, "live").exists() ? SaveMode.Append : SaveMode.Overwrite).save(path);
    spark.sharedState().cacheManager().clearCache();
    wasKilled = false;
  }

  /** Random rows with different keys. */
  private Dataset<Row> rows(int count, boolean mayDelete) {
    List<StructField> fields = new ArrayList<>(Arrays.asList(field("id", DataTypes.StringType), field("ts", DataTypes.LongType),
        field("seq", DataTypes.IntegerType), field("region", DataTypes.StringType), field("day", DataTypes.StringType),
        field("name", DataTypes.StringType), field("qty", DataTypes.IntegerType), field("amount", DataTypes.DoubleType),
        field("price", DataTypes.createDecimalType(12, 3)),
        field("flag", DataTypes.BooleanType), field("d", DataTypes.DateType), field("t", DataTypes.TimestampType),
        field("bin", DataTypes.BinaryType), field("score", DataTypes.FloatType),
        field("tags", DataTypes.createArrayType(DataTypes.StringType)),
        field("addr", new StructType(new StructField[] {field("city", DataTypes.StringType), field("zip", DataTypes.IntegerType)})),
        field("attrs", DataTypes.createMapType(DataTypes.StringType, DataTypes.IntegerType)),
        field("stamp", new StructType(new StructField[] {field("by", DataTypes.StringType), field("at", DataTypes.LongType)}))));
    if (hasDeleteMarks) {
      fields.add(field("_hoodie_is_deleted", DataTypes.BooleanType));
    }
    if (hasExtra) {
      fields.add(field("extra", DataTypes.StringType));
    }
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < 120; i++) {
      numbers.add(i);
    }
    Collections.shuffle(numbers, random);
    clock += 10;
    List<Row> rows = new ArrayList<>();
    for (int number : numbers.subList(0, count)) {
      List<Object> values = new ArrayList<>(values(number));
      if (hasDeleteMarks) {
        values.add(mayDelete && random.nextInt(8) == 0);
      }
      if (hasExtra) {
        values.add(maybe("e" + random.nextInt(50)));
      }
      rows.add(RowFactory.create(values.toArray()));
    }
    return spark.createDataFrame(rows, new StructType(fields.toArray(new StructField[0])));
  }

  private List<Object> values(int number) {
    int place = isGlobal ? random.nextInt(12) : number;
    Map<String, Integer> attributes = new TreeMap<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      attributes.put("a" + random.nextInt(5), random.nextInt(9) == 0 ? null : random.nextInt());
    }
    List<String> tags = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      tags.add("t" + random.nextInt(9));
    }
    byte[] bytes = new byte[random.nextInt(5)];
    random.nextBytes(bytes);
    double[] amounts = {random.nextGaussian(), -0.0, Double.POSITIVE_INFINITY, 1e300};
    // One row in three is late: it has a lower ordering value than earlier writes.
    long ts = random.nextInt(3) == 0 ? 990 + random.nextInt((int) (clock - 989)) : clock + random.nextInt(3);
    return Arrays.asList((number % 9 == 0 ? "schlüssel-" : "key-") + number, ts, random.nextInt(3), REGIONS.get(place % 4),
        DAYS.get(place % 3), maybe("name-" + random.nextInt(40)), maybe(random.nextInt()), maybe(amounts[random.nextInt(4)]),
        maybe(BigDecimal.valueOf(random.nextInt(20000000) - 10000000, 3)),
        maybe(random.nextBoolean()), maybe(LocalDate.ofEpochDay(random.nextInt(40000) - 10000)),
        maybe(Instant.ofEpochSecond(random.nextInt(), 1000L * random.nextInt(1000000))), maybe(bytes), maybe(random.nextFloat()),
        maybe(tags), maybe(RowFactory.create(maybe("c" + number), maybe(random.nextInt(99999)))), maybe(attributes),
        RowFactory.create(shapes.nextInt(4) == 0 ? null : "w" + shapes.nextInt(9), ts));
  }

  private Object maybe(Object value) {
    return random.nextInt(7) == 0 ? null : value;
  }

  private static StructField field(String name, org.apache.spark.sql.types.DataType type) {
    return new StructField(name, type, true, Metadata.empty());
  }

  private HoodieTableMetaClient metaClient() {
    return HoodieTableMetaClient.builder().setConf(HadoopFSUtils.getStorageConf(context.hadoopConfiguration())).setBasePath(path).build();
  }

  private java.util.Optional<String> lastWrite() throws Exception {
    String last = null;
    for (HoodieInstant instant : metaClient().getActiveTimeline().getCommitsTimeline().filterCompletedInstants().getInstants()) {
      last = requestedTime(instant);
    }
    return java.util.Optional.ofNullable(last);
  }

  private List<String> readPartitions() throws Exception {
    HoodieTableMetaClient client = metaClient();
    if (!hasMetadata) {
      Path root = new File(folder, "live").toPath();
      try (Stream<Path> files = Files.walk(root)) {
        return files.filter(file -> file.getFileName().toString().equals(".hoodie_partition_metadata"))
            .map(file -> root.relativize(file.getParent()).toString()).collect(Collectors.toList());
      }
    }
    try (HoodieTableMetadata metadata = metadata(client)) {
      return metadata.getAllPartitionPaths();
    }
  }

  private HoodieMetadataConfig metadataConfig() {
    return HoodieMetadataConfig.newBuilder().enable(hasMetadata).build();
  }

  private HoodieTableMetadata metadata(HoodieTableMetaClient client) {
    return new HoodieBackedTableMetadata(new HoodieSparkEngineContext(context), client.getStorage(), metadataConfig(), path);
  }

  /** What Hudi says of the table now. */
  private final class Facts {
    private final File target;
    private final HoodieTableMetaClient client = metaClient();

    Facts(int number) {
      target = new File(folder, String.valueOf(number));
    }

    void write() throws Exception {
      Map<String, Object> facts = new TreeMap<>();
      facts.put("timeline", timeline(client.getActiveTimeline()));
      facts.put("archived", timeline(client.getArchivedTimeline()));
      if (hasMetadata) {
        try (HoodieTableMetadata metadata = metadata(client)) {
          facts.put("files", files(metadata));
        }
      }
      List<String> times = times();
      facts.put("slices", slices(times));
      facts.put("reads", reads(times));
      copy(new File(folder, "live").toPath(), new File(target, "table").toPath());
      JSON.writeValue(new File(target, "facts.json"), facts);
    }

    /** Instants to read as of. */
    private List<String> times() throws Exception {
      TreeSet<String> times = new TreeSet<>(marks);
      lastWrite().ifPresent(times::add);
      List<String> all = new ArrayList<>(times);
      return all.subList(Math.max(0, all.size() - 5), all.size());
    }

    private List<Object> timeline(HoodieTimeline timeline) throws Exception {
      List<Object> rows = new ArrayList<>();
      for (HoodieInstant instant : timeline.getInstants()) {
        boolean isCompleted = instant.getState() == HoodieInstant.State.COMPLETED;
        Object name = version >= 8 ? call(call(client, "getInstantFileNameGenerator"), "getFileName", instant) : call(instant, "getFileName");
        Object completed = call(instant, version >= 8 ? "getCompletionTime" : "getStateTransitionTime");
        rows.add(Arrays.asList(requestedTime(instant), instant.getAction(), instant.getState().name(), isCompleted ? completed : null, name));
      }
      return rows;
    }

    private Map<String, Object> files(HoodieTableMetadata metadata) throws Exception {
      Map<String, Object> files = new TreeMap<>();
      for (String partition : metadata.getAllPartitionPaths()) {
        TreeMap<String, Long> sizes = new TreeMap<>();
        for (StoragePathInfo info : metadata.getAllFilesInPartition(new StoragePath(partition.isEmpty() ? path : path + "/" + partition))) {
          sizes.put(info.getPath().getName(), info.getLength());
        }
        files.put(partition, sizes.entrySet().stream().map(entry -> Arrays.asList(entry.getKey(), entry.getValue())).collect(Collectors.toList()));
      }
      return files;
    }

    /** By instant; an empty one is the latest. */
    private Map<String, Object> slices(List<String> times) throws Exception {
      Map<String, Object> slices = new TreeMap<>();
      List<String> all = new ArrayList<>(times);
      all.add("");
      for (String time : all) {
        // As Spark does.
        HoodieTimeline visible = client.getCommitsAndCompactionTimeline().filterCompletedAndCompactionInstants();
        HoodieTableFileSystemView view = FileSystemViewManager.createInMemoryFileSystemViewWithTimeline(
            new HoodieSparkEngineContext(context), client, metadataConfig(), visible);
        Map<String, Object> byPartition = new TreeMap<>();
        for (String partition : readPartitions()) {
          String at = time.isEmpty() ? "99999999999999999" : time;
          byPartition.put(partition, view.getLatestMergedFileSlicesBeforeOrOn(partition, at).map(slice -> slice(slice))
              .sorted((a, b) -> a.get(0).toString().compareTo(b.get(0).toString())).collect(Collectors.toList()));
        }
        slices.put(time, byPartition);
        view.close();
      }
      return slices;
    }

    private List<Object> slice(FileSlice slice) {
      List<String> logs = slice.getLogFiles().sorted(HoodieLogFile.getLogFileComparator()).map(HoodieLogFile::getFileName).collect(Collectors.toList());
      Object base = slice.getBaseFile().isPresent() ? slice.getBaseFile().get().getFileName() : null;
      return Arrays.asList(slice.getFileId(), slice.getBaseInstantTime(), base, logs);
    }

    private List<Object> reads(List<String> times) throws Exception {
      List<Object> reads = new ArrayList<>();
      reads.add(read(Collections.emptyMap()));
      if (isMergeOnRead) {
        reads.add(read(Collections.singletonMap("--read-optimized", "")));
      }
      for (String time : times) {
        reads.add(read(Collections.singletonMap("--as-of", time)));
      }
      List<String> bounds = new ArrayList<>();
      for (HoodieInstant instant : client.getActiveTimeline().getCommitsTimeline().filterCompletedInstants().getInstants()) {
        bounds.add(version >= 8 ? (String) call(instant, "getCompletionTime") : requestedTime(instant));
      }
      Collections.sort(bounds);
      for (int i = 0; i < 4; i++) {
        Map<String, String> range = new TreeMap<>();
        int from = random.nextInt(bounds.size() + 1);
        range.put("--from", from == 0 ? marks.get(0) : bounds.get(from - 1));
        if (random.nextBoolean()) {
          range.put("--to", bounds.get(Math.min(bounds.size() - 1, from + random.nextInt(bounds.size()))));
        }
        reads.add(read(range));
      }
      return reads;
    }

    /** The rows that `cfile hudi scan` with these options must print. */
    private Map<String, Object> read(Map<String, String> options) {
      Map<String, Object> answer = new TreeMap<>();
      answer.put("options", options.entrySet().stream().flatMap(each -> Stream.of(each.getKey(), each.getValue()))
          .filter(each -> !each.isEmpty()).collect(Collectors.toList()));
      DataFrameReader reader = spark.read().format("hudi").option("hoodie.metadata.enable", hasMetadata);
      if (options.containsKey("--as-of")) {
        reader = reader.option("as.of.instant", options.get("--as-of"));
      } else if (options.containsKey("--from")) {
        reader = reader.option("hoodie.datasource.query.type", "incremental")
            .option("hoodie.datasource.read.begin.instanttime", options.get("--from"))
            .option("hoodie.read.timeline.holes.resolution.policy", "BLOCK");
        if (options.containsKey("--to")) {
          reader = reader.option("hoodie.datasource.read.end.instanttime", options.get("--to"));
        }
      } else if (options.containsKey("--read-optimized")) {
        reader = reader.option("hoodie.datasource.query.type", "read_optimized");
      }
      try {
        Dataset<Row> rows = reader.load(path);
        answer.put("columns", Arrays.stream(rows.schema().fields()).map(field -> Arrays.asList(field.name(), field.dataType().simpleString()))
            .collect(Collectors.toList()));
        answer.put("rows", rows.collectAsList().stream().map(HudiTables::jsonValue).collect(Collectors.toList()));
      } catch (Throwable e) {
        answer.put("refused", reason(e));
      }
      return answer;
    }
  }

  /** A value as `cfile hudi scan --json` prints it. */
  private static Object jsonValue(Object value) {
    if (value instanceof Row) {
      Row row = (Row) value;
      List<Object> values = new ArrayList<>();
      for (int i = 0; i < row.length(); i++) {
        values.add(jsonValue(row.get(i)));
      }
      return values;
    } else if (value instanceof scala.collection.Seq) {
      return JavaConverters.seqAsJavaListConverter((scala.collection.Seq<?>) value).asJava().stream().map(HudiTables::jsonValue).collect(Collectors.toList());
    } else if (value instanceof scala.collection.Map) {
      TreeMap<String, Object> sorted = new TreeMap<>();
      JavaConverters.mapAsJavaMapConverter((scala.collection.Map<?, ?>) value).asJava().forEach((key, each) -> sorted.put((String) key, jsonValue(each)));
      return sorted;
    } else if (value instanceof byte[]) {
      return HexFormat.of().formatHex((byte[]) value);
    } else if (value instanceof Instant) {
      Instant time = (Instant) value;
      return Math.addExact(Math.multiplyExact(time.getEpochSecond(), 1000000L), time.getNano() / 1000);
    } else if (value instanceof BigDecimal) {
      return ((BigDecimal) value).toPlainString();
    } else if (value instanceof LocalDate) {
      return value.toString();
    } else if (value instanceof Float || value instanceof Double) {
      double number = ((Number) value).doubleValue();
      return Double.isFinite(number) ? (Object) number : String.valueOf(number);
    } else if (value instanceof Long && Math.abs((Long) value) > 9007199254740991L) {
      return value.toString();
    }
    return value;
  }

  private static String requestedTime(HoodieInstant instant) throws Exception {
    try {
      return (String) call(instant, "requestedTime");
    } catch (NoSuchMethodException e) {
      return (String) call(instant, "getTimestamp");
    }
  }

  /** Calls a method that only some versions of Hudi have. */
  private static Object call(Object target, String name, Object... arguments) throws Exception {
    for (Method method : target.getClass().getMethods()) {
      Class<?>[] parameters = method.getParameterTypes();
      boolean fits = method.getName().equals(name) && parameters.length == arguments.length;
      for (int i = 0; fits && i < parameters.length; i++) {
        fits = parameters[i].isInstance(arguments[i]);
      }
      if (fits) {
        method.setAccessible(true);
        return method.invoke(target, arguments);
      }
    }
    throw new NoSuchMethodException(target.getClass() + "." + name);
  }

  /** Copies a folder with the times of its files, which are completion times in tables of version 6. */
  private static void copy(Path from, Path to) throws Exception {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Path target = to.resolve(from.relativize(file));
        Files.createDirectories(target.getParent());
        if (!Files.isDirectory(target)) {
          Files.copy(file, target, StandardCopyOption.COPY_ATTRIBUTES);
        }
      }
    }
  }

  private static String reason(Throwable e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    String text = e == cause ? String.valueOf(e) : e.getClass().getSimpleName() + ", because " + cause;
    return text.substring(0, Math.min(text.length(), 600)).replaceAll("\\s+", " ");
  }

  private static void line(String text) throws Exception {
    out.write(text);
    out.write('\n');
  }
}
