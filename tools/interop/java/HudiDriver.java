import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import org.apache.hudi.io.ByteArraySeekableDataInputStream;
import org.apache.hudi.io.ByteBufferBackedInputStream;
import org.apache.hudi.io.compress.CompressionCodec;
import org.apache.hudi.io.hfile.ChecksumType;
import org.apache.hudi.io.hfile.HFileContext;
import org.apache.hudi.io.hfile.HFileReaderImpl;
import org.apache.hudi.io.hfile.HFileWriterImpl;
import org.apache.hudi.io.hfile.KeyValue;
import org.apache.hudi.io.hfile.UTF8StringKey;

/**
 * Hudi's HFile reader and writer, controlled by lines of text like `KuduDriver`. A cell is key and value,
 * separated by a tab, with bytes in hexadecimal.
 */
public final class HudiDriver {
  private static BufferedReader in;
  private static BufferedWriter out;

  public static void main(String[] args) throws Exception {
    in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    out = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8));
    System.setOut(System.err);
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      try {
        run(line.split("\t", -1));
        line("OK");
      } catch (Throwable e) {
        line("ERR " + String.valueOf(e).replace('\n', ' '));
      }
      out.flush();
    }
  }

  private static void run(String[] command) throws Exception {
    switch (command[0]) {
      case "write": write(command); break;
      case "read": read(command[1]); break;
      case "seek": seek(command[1], Integer.parseInt(command[2])); break;
      default: throw new IllegalArgumentException(command[0]);
    }
  }

  /** write PATH COUNT CODEC BLOCK_SIZE, then COUNT cells */
  private static void write(String[] command) throws Exception {
    int count = Integer.parseInt(command[2]);
    String[] cells = new String[count];
    for (int i = 0; i < count; i++) {
      cells[i] = in.readLine();
    }
    HFileContext context = HFileContext.builder().blockSize(Integer.parseInt(command[4]))
        .compressionCodec(CompressionCodec.valueOf(command[3])).checksumType(ChecksumType.NULL).fileCreationTime(0).build();
    try (OutputStream file = new FileOutputStream(command[1]); HFileWriterImpl writer = new HFileWriterImpl(context, file)) {
      for (String cell : cells) {
        String[] parts = cell.split("\t", -1);
        writer.append(new String(bytes(parts[0]), StandardCharsets.UTF_8), bytes(parts[1]));
      }
    }
  }

  private static HFileReaderImpl open(String path) throws Exception {
    byte[] all = Files.readAllBytes(Paths.get(path));
    HFileReaderImpl reader = new HFileReaderImpl(
        new ByteArraySeekableDataInputStream(new ByteBufferBackedInputStream(ByteBuffer.wrap(all))), all.length);
    reader.initializeMetadata();
    return reader;
  }

  private static void read(String path) throws Exception {
    HFileReaderImpl reader = open(path);
    if (reader.seekTo()) {
      do {
        KeyValue cell = reader.getKeyValue().get();
        int start = cell.getKeyContentOffset();
        byte[] key = Arrays.copyOfRange(cell.getBytes(), start, start + cell.getKeyContentLength());
        byte[] value = Arrays.copyOfRange(cell.getBytes(), cell.getValueOffset(), cell.getValueOffset() + cell.getValueLength());
        line(hex(key) + "\t" + hex(value));
      } while (reader.next());
    }
    reader.close();
  }

  /** seek PATH COUNT, then COUNT keys in ascending order: for each, Hudi's result code */
  private static void seek(String path, int count) throws Exception {
    String[] keys = new String[count];
    for (int i = 0; i < count; i++) {
      keys[i] = in.readLine();
    }
    HFileReaderImpl reader = open(path);
    reader.seekTo();
    for (String key : keys) {
      line(String.valueOf(reader.seekTo(new UTF8StringKey(new String(bytes(key), StandardCharsets.UTF_8)))));
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
