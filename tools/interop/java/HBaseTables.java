import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.SnapshotDescription;
import org.apache.hadoop.hbase.client.SnapshotType;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;

/** Creates random tables and changes them in random steps. */
final class HBaseTables {
  static final int ROWS = 60;
  static final long TIME = 1700000000000L;
  private static final byte TTL_TAG = 8;
  private static final byte OTHER_TAG = 100;
  private final Configuration conf;
  private final Connection connection;
  private final Admin admin;
  private final Random random;
  private final long seed;
  private boolean compacts = true;
  private int clones;
  final List<Known> tables = new ArrayList<>();
  final List<String> snapshots = new ArrayList<>();
  /** Counts of what occurred, by group. */
  final Map<String, Map<String, Integer>> occurred = new TreeMap<>();

  /** What the program knows of a table in addition to its descriptor. */
  static final class Known {
    final TableName name;
    final boolean hasEmptyQualifiers;
    final boolean isLarge;

    Known(TableName name, boolean hasEmptyQualifiers, boolean isLarge) {
      this.name = name;
      this.hasEmptyQualifiers = hasEmptyQualifiers;
      this.isLarge = isLarge;
    }
  }

  HBaseTables(Configuration conf, Connection connection, Random random, long seed) throws Exception {
    this.conf = conf;
    this.connection = connection;
    this.admin = connection.getAdmin();
    this.random = random;
    this.seed = seed;
  }

  static byte[] row(int number) {
    return Bytes.toBytes(String.format("r%04d", number));
  }

  static boolean hasTtl(ColumnFamilyDescriptor[] families) {
    return Arrays.stream(families).anyMatch(family -> family.getTimeToLive() != Integer.MAX_VALUE);
  }

  private void did(String group, String item) {
    occurred.computeIfAbsent(group, name -> new TreeMap<>()).merge(item, 1, Integer::sum);
  }

  @SafeVarargs
  private final <T> T pick(T... values) {
    return values[random.nextInt(values.length)];
  }

  private TableName name(String text) {
    return TableName.valueOf(random.nextBoolean() ? "ns1" : "default", text);
  }

  /** @param kind 1: expiring cells, 2: MOB, 3: new version behavior, 4: more cells */
  void create(int kind) throws Exception {
    TableName name = name("t" + seed + "x" + kind);
    boolean hasEmpty = random.nextBoolean();
    TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(name);
    if (random.nextInt(4) == 0) {
      table.setValue("hbase.store.file-tracker.impl", "FILE");
    }
    table.setValue("hbase.hregion.compacting.memstore.type", "NONE");
    String[] names = {"a", "b", "family"};
    for (int i = 0; i < 1 + random.nextInt(3); i++) {
      table.setColumnFamily(family(names[i], kind, i == 0, hasEmpty));
    }
    byte[][] splits = random.nextBoolean() ? new byte[][] {row(20), row(40)} : null;
    if (splits == null) {
      admin.createTable(table.build());
    } else {
      admin.createTable(table.build(), splits);
    }
    tables.add(new Known(name, hasEmpty, kind == 4));
  }

  private ColumnFamilyDescriptor family(String name, int kind, boolean isFirst, boolean hasEmpty) {
    ColumnFamilyDescriptorBuilder family = ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(name));
    family.setMaxVersions(pick(1, 2, 3, 5));
    family.setBlocksize(pick(256, 2048, 65536));
    family.setCompressionType(pick(Compression.Algorithm.NONE, Compression.Algorithm.GZ, Compression.Algorithm.SNAPPY,
        Compression.Algorithm.LZ4, Compression.Algorithm.ZSTD));
    family.setDataBlockEncoding(pick(DataBlockEncoding.NONE, DataBlockEncoding.PREFIX, DataBlockEncoding.DIFF,
        DataBlockEncoding.FAST_DIFF, DataBlockEncoding.ROW_INDEX_V1));
    family.setCompressTags(random.nextInt(4) > 0);
    BloomType bloom = pick(BloomType.NONE, BloomType.ROW, BloomType.ROWCOL, BloomType.ROWPREFIX_FIXED_LENGTH);
    String hash = pick("jenkins", "murmur", "murmur3");
    family.setBloomFilterType(bloom);
    family.setConfiguration("hbase.hash.type", hash);
    if (bloom == BloomType.ROWPREFIX_FIXED_LENGTH) {
      family.setConfiguration("RowPrefixBloomFilter.prefix_length", String.valueOf(pick(2, 4, 5)));
    }
    family.setKeepDeletedCells(pick(KeepDeletedCells.FALSE, KeepDeletedCells.FALSE, KeepDeletedCells.TRUE));
    if (kind == 1) {
      // The cells are a few days old, the TTLs one or two days.
      family.setTimeToLive(pick(86400, 172800, Integer.MAX_VALUE));
      int versions = family.build().getMaxVersions();
      family.setMinVersions(Math.min(versions - 1, pick(0, 0, 1, 2)));
      if (family.build().getMinVersions() > 0 && random.nextBoolean()) {
        family.setKeepDeletedCells(KeepDeletedCells.TTL);
      }
    }
    if (kind == 2 && isFirst) {
      family.setMobEnabled(true).setMobThreshold(40);
    }
    if (kind == 3 && !hasEmpty) {
      family.setNewVersionBehavior(isFirst);
    }
    ColumnFamilyDescriptor built = family.build();
    did("families by data-block encoding", built.getDataBlockEncoding().name());
    did("families by codec", built.getCompressionType().name());
    did("families by Bloom filter", bloom == BloomType.NONE ? "NONE" : bloom + " " + hash);
    did("families by kept deleted cells", built.getKeepDeletedCells().name());
    String[] special = {built.getTimeToLive() == Integer.MAX_VALUE ? null : "TTL", built.getMinVersions() == 0 ? null : "MIN_VERSIONS",
        built.isMobEnabled() ? "MOB" : null, built.isNewVersionBehavior() ? "NEW_VERSION_BEHAVIOR" : null};
    for (String each : special) {
      if (each != null) {
        did("families with", each);
      }
    }
    return built;
  }

  private long timestamp(Known table) throws Exception {
    return hasTtl(admin.getDescriptor(table.name).getColumnFamilies())
        ? System.currentTimeMillis() - 3600_000L * random.nextInt(72)
        : TIME + random.nextInt(12);
  }

  private byte[] qualifier(Known table) {
    String[] qualifiers = {"q0", "q1", "q2", "longer-qualifier", ""};
    return Bytes.toBytes(qualifiers[random.nextInt(table.hasEmptyQualifiers ? 5 : 4)]);
  }

  void write(Known table, int count) throws Exception {
    TableDescriptor descriptor = admin.getDescriptor(table.name);
    try (Table client = connection.getTable(table.name)) {
      List<Mutation> batch = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        batch.add(mutation(table, descriptor));
        if (random.nextInt(3) > 0) {
          client.batch(batch, new Object[batch.size()]);
          batch.clear();
        }
      }
      client.batch(batch, new Object[batch.size()]);
    }
  }

  private Mutation mutation(Known table, TableDescriptor descriptor) throws Exception {
    byte[] row = row(random.nextInt(ROWS));
    if (random.nextInt(10) == 0) {
      row = Arrays.copyOf(row, pick(2, 6, 7));
    }
    ColumnFamilyDescriptor[] families = descriptor.getColumnFamilies();
    if (random.nextInt(4) > 0) {
      Put put = new Put(row);
      for (int i = 0; i < 1 + random.nextInt(3); i++) {
        byte[] value = new byte[pick(0, 3, 20, 60)];
        random.nextBytes(value);
        put.addColumn(families[random.nextInt(families.length)].getName(), qualifier(table), timestamp(table), value);
      }
      if (hasTtl(families) && random.nextInt(3) == 0) {
        put.setTTL(3600_000L * (1 + random.nextInt(60)) + random.nextInt(1000));
      }
      return put;
    }
    Delete delete = new Delete(row);
    byte[] family = families[random.nextInt(families.length)].getName();
    // HBase can skip family markers below cells of the empty qualifier: docs/spec/hbase-table.md#66-where-hbase-itself-goes-wrong.
    switch (random.nextInt(table.hasEmptyQualifiers ? 3 : 5)) {
      case 0: delete.addColumn(family, qualifier(table), timestamp(table)); break;
      case 1: delete.addColumns(family, qualifier(table), timestamp(table)); break;
      case 2: delete.addColumn(family, qualifier(table)); break;
      case 3: delete.addFamily(family, timestamp(table)); break;
      default: delete.addFamilyVersion(family, timestamp(table)); break;
    }
    return delete;
  }

  void step(Known table) throws Exception {
    write(table, 20 + random.nextInt(table.isLarge ? 400 : 60));
    switch (random.nextInt(11)) {
      case 0: case 1: case 2: case 3: flush(table); break;
      case 4: flush(table); compact(table, true); break;
      case 5: flush(table); compact(table, false); break;
      case 6: split(table); break;
      case 7: merge(table); break;
      case 8: snapshot(table); break;
      default: bulkLoad(table); break;
    }
  }

  private void flush(Known table) throws Exception {
    admin.flush(table.name);
    did("steps", "flush");
  }

  /** Without compactions, references stay. */
  void setCompactions(boolean areOn) throws Exception {
    admin.compactionSwitch(areOn, Collections.emptyList());
    compacts = areOn;
  }

  void compact(Known table, boolean isMajor) throws Exception {
    if (!compacts) {
      return;
    }
    did("steps", isMajor ? "major compaction" : "minor compaction");
    long before = admin.getLastMajorCompactionTimestamp(table.name);
    if (isMajor) {
      admin.majorCompact(table.name);
    } else {
      admin.compact(table.name);
    }
    for (int i = 0; isMajor && i < 60 && admin.getLastMajorCompactionTimestamp(table.name) == before; i++) {
      Thread.sleep(50);
    }
    for (int i = 0; i < 100 && admin.getCompactionState(table.name) != CompactionState.NONE; i++) {
      Thread.sleep(50);
    }
  }

  void split(Known table) throws Exception {
    List<RegionInfo> regions = admin.getRegions(table.name);
    try {
      RegionInfo region = regions.get(random.nextInt(regions.size()));
      byte[] at = row(1 + random.nextInt(ROWS - 2));
      if (region.containsRow(at) && !Arrays.equals(region.getStartKey(), at)) {
        admin.splitRegionAsync(region.getRegionName(), at).get();
        did("steps", "split");
      }
    } catch (Exception e) {
      // Regions with references cannot be split again until they are compacted.
    }
  }

  void merge(Known table) throws Exception {
    List<RegionInfo> regions = admin.getRegions(table.name);
    if (regions.size() < 2) {
      return;
    }
    int first = random.nextInt(regions.size() - 1);
    try {
      byte[][] names = {regions.get(first).getEncodedNameAsBytes(), regions.get(first + 1).getEncodedNameAsBytes()};
      admin.mergeRegionsAsync(names, true).get();
      did("steps", "merge");
    } catch (Exception e) {
      // Regions with references cannot be merged until they are compacted.
    }
  }

  void snapshot(Known table) throws Exception {
    String name = "s-" + table.name.getQualifierAsString() + "-" + snapshots.size();
    SnapshotType type = pick(SnapshotType.FLUSH, SnapshotType.SKIPFLUSH);
    admin.snapshot(new SnapshotDescription(name, table.name, type));
    snapshots.add(name);
    did("steps", "snapshot " + type);
    if (random.nextBoolean()) {
      TableName clone = name("clone" + clones++);
      admin.cloneSnapshot(name, clone);
      did("steps", "clone");
      Known known = new Known(clone, table.hasEmptyQualifiers, false);
      tables.add(known);
      write(known, 20);
      if (random.nextBoolean()) {
        flush(known);
        split(known);
      }
    }
  }

  private void bulkLoad(Known table) throws Exception {
    ColumnFamilyDescriptor[] families = admin.getDescriptor(table.name).getColumnFamilies();
    ColumnFamilyDescriptor family = families[random.nextInt(families.length)];
    if (family.isMobEnabled()) {
      return;
    }
    Path folder = Files.createTempDirectory("bulk");
    Path familyFolder = Files.createDirectory(folder.resolve(family.getNameAsString()));
    boolean hasTags = random.nextBoolean();
    TreeSet<KeyValue> cells = new TreeSet<>(CellComparatorImpl.COMPARATOR);
    for (int i = 0; i < 15; i++) {
      byte[] value = new byte[5];
      random.nextBytes(value);
      KeyValue.Type type = pick(KeyValue.Type.Put, KeyValue.Type.Put, KeyValue.Type.Put, KeyValue.Type.DeleteColumn);
      cells.add(new KeyValue(row(random.nextInt(ROWS)), family.getName(), qualifier(table), timestamp(table), type,
          type == KeyValue.Type.Put ? value : new byte[0], hasTags ? tags(hasTtl(families)) : List.of()));
    }
    FileSystem fs = new org.apache.hadoop.fs.Path(folder.toUri()).getFileSystem(conf);
    HFile.Writer writer = HFile.getWriterFactory(conf, new CacheConfig(conf))
        .withPath(fs, new org.apache.hadoop.fs.Path(familyFolder.resolve("file").toString()))
        .withFileContext(new HFileContextBuilder().withBlockSize(256).withColumnFamily(family.getName()).withIncludesTags(hasTags)
            .withCompressTags(family.isCompressTags()).withDataBlockEncoding(family.getDataBlockEncoding()).build())
        .create();
    for (KeyValue cell : cells) {
      writer.append(cell);
    }
    writer.appendFileInfo(HStoreFile.BULKLOAD_TIME_KEY, Bytes.toBytes(System.currentTimeMillis()));
    writer.close();
    BulkLoadHFiles.create(conf).bulkLoad(table.name, new org.apache.hadoop.fs.Path(folder.toUri()));
    did("steps", hasTags ? "bulk load with tags" : "bulk load");
  }

  private List<Tag> tags(boolean canExpire) {
    List<Tag> tags = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      byte[] value = new byte[random.nextInt(6)];
      random.nextBytes(value);
      tags.add(canExpire && random.nextBoolean()
          ? new ArrayBackedTag(TTL_TAG, Bytes.toBytes(3600_000L * random.nextInt(90)))
          : new ArrayBackedTag(OTHER_TAG, value));
    }
    return tags;
  }
}
