import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.util.ChecksumType;

/**
 * HBase's HFile reader and writer, controlled by lines of text like `KuduDriver`. A cell is row, family,
 * qualifier, timestamp, type and value, separated by tabs, with bytes in hexadecimal.
 */
public final class HBaseDriver {
  private static BufferedReader in;
  private static BufferedWriter out;
  private static FileSystem fs;

  public static void main(String[] args) throws Exception {
    in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    out = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8));
    System.setOut(System.err);
    fs = new RawLocalFileSystem();
    fs.initialize(java.net.URI.create("file:///"), HBaseConfiguration.create());
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      try {
        run(line.split("\t", -1));
        line("OK");
      } catch (Throwable e) {
        line("ERR " + String.valueOf(e).replace('\n', ' '));
      }
      out.flush();
    }
    System.exit(0);
  }

  private static void run(String[] command) throws Exception {
    switch (command[0]) {
      case "write": write(command); break;
      case "read": read(command[1]); break;
      case "seek": seek(command[1], Integer.parseInt(command[2])); break;
      default: throw new IllegalArgumentException(command[0]);
    }
  }

  /** write PATH COUNT CODEC ENCODING BLOCK_SIZE CHECKSUM BYTES_PER_CHECKSUM INDEX_BLOCK_SIZE, then COUNT cells */
  private static void write(String[] command) throws Exception {
    int count = Integer.parseInt(command[2]);
    String[] cells = new String[count];
    for (int i = 0; i < count; i++) {
      cells[i] = in.readLine();
    }
    Configuration conf = HBaseConfiguration.create();
    conf.setInt("hfile.index.block.max.size", Integer.parseInt(command[8]));
    HFileContext context = new HFileContextBuilder()
        .withCompression(Compression.Algorithm.valueOf(command[3]))
        .withDataBlockEncoding(DataBlockEncoding.valueOf(command[4]))
        .withBlockSize(Integer.parseInt(command[5]))
        .withChecksumType(ChecksumType.valueOf(command[6]))
        .withBytesPerCheckSum(Integer.parseInt(command[7]))
        .withIncludesMvcc(false).withIncludesTags(false).withHBaseCheckSum(true)
        .withCellComparator(CellComparatorImpl.COMPARATOR)
        .build();
    HFile.Writer writer = HFile.getWriterFactory(conf, new CacheConfig(conf))
        .withPath(fs, new Path(command[1])).withFileContext(context).create();
    for (String text : cells) {
      String[] p = text.split("\t", -1);
      writer.append(new KeyValue(bytes(p[0]), bytes(p[1]), bytes(p[2]), Long.parseLong(p[3]),
          KeyValue.Type.codeToType((byte) Integer.parseInt(p[4])), bytes(p[5])));
    }
    writer.close();
  }

  private static HFile.Reader open(String path) throws Exception {
    Configuration conf = HBaseConfiguration.create();
    return HFile.createReader(fs, new Path(path), CacheConfig.DISABLED, true, conf);
  }

  private static void read(String path) throws Exception {
    HFile.Reader reader = open(path);
    HFileScanner scanner = reader.getScanner(HBaseConfiguration.create(), false, false);
    if (scanner.seekTo()) {
      do {
        Cell cell = scanner.getCell();
        line(hex(CellUtil.cloneRow(cell)) + "\t" + hex(CellUtil.cloneFamily(cell)) + "\t"
            + hex(CellUtil.cloneQualifier(cell)) + "\t" + cell.getTimestamp() + "\t" + (cell.getTypeByte() & 255) + "\t"
            + hex(CellUtil.cloneValue(cell)));
      } while (scanner.next());
    }
    reader.close();
  }

  /** seek PATH COUNT, then COUNT rows: for each, the first row at or after it, or "none" */
  private static void seek(String path, int count) throws Exception {
    String[] rows = new String[count];
    for (int i = 0; i < count; i++) {
      rows[i] = in.readLine();
    }
    HFile.Reader reader = open(path);
    HFileScanner scanner = reader.getScanner(HBaseConfiguration.create(), false, true);
    for (String row : rows) {
      int result = scanner.seekTo(KeyValueUtil.createFirstOnRow(bytes(row)));
      // -2: at the first cell of a block, which is after the key in the index.
      boolean found = result == -1 ? scanner.seekTo() : result == 0 || result == -2 || scanner.next();
      line(found ? hex(CellUtil.cloneRow(scanner.getCell())) : "none");
    }
    reader.close();
  }

  private static void line(String text) throws Exception {
    out.write(text);
    out.write('\n');
  }

  private static String hex(byte[] bytes) {
    return java.util.HexFormat.of().formatHex(bytes);
  }

  private static byte[] bytes(String text) {
    return java.util.HexFormat.of().parseHex(text);
  }
}
