import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.*;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.SerializableConfiguration;

/**
 * Runs the splits of `cfile splits`, each with `cfile run-split` on an executor, and creates one table from the files.
 *
 * The output folder:
 *
 *     _staging/         files that workers are writing; readers of Spark ignore it
 *     part-ID.parquet   the rows of a split, complete; every attempt at a split writes the same bytes
 *     _SUCCESS          the ledger, written last: the result of every split. Without it, the folder has no result
 *
 * With --iceberg, these are in the folder `data` of the table, and the driver commits them at the end with `cfile commit-splits`.
 *
 * A worker outlives a killed executor. The files that it writes then stay in _staging.
 */
public final class CFileSpark {
  private static final String USAGE = """
      CFileSpark --splits FILE --output FOLDER --table NAME [--worker COMMAND] [--allow-root ROOT]... [--recover]
          [--strict] [--overwrite] [--iceberg] [--scratch FOLDER] [--sql QUERY]...

        --splits      output of `cfile splits`: a path or URI that the driver can read
        --output      a folder that all machines share, or a URI that Hadoop's libraries can write
        --table       name in Spark's catalog
        --worker      how executors call cfile: words, or a JSON array of words [default: cfile]
        --allow-root  splits may read only local paths below ROOT; can be repeated
        --recover     recover undamaged rows of damaged sources
        --strict      fail when a single row is missing
        --overwrite   replace the result of an earlier run in the same folder
        --iceberg     create an Iceberg table of all rows: NAME in a Hadoop catalog whose warehouse has FOLDER
        --scratch     folder for files to be uploaded to a URI [default: cfile-scratch in the executor's folder]
        --sql         query to run at the end; prints rows as JSON; can be repeated

      Exit codes: 0 all rows; 3 a result with missing rows, listed in its ledger; 1 no result; 2 invalid options.""";
  private static final int MISSING_ROWS = 3;
  private static final String STAGING = "_staging";
  private static final Pattern RESULT = Pattern.compile("part-[0-9a-f]{8,128}\\.parquet");
  private static final Pattern OURS = Pattern.compile(RESULT + "|\\.part-.*|\\.?_SUCCESS.*|" + STAGING);
  private static final ObjectMapper JSON = new ObjectMapper();

  public static void main(String[] args) {
    int code = 2;
    try {
      Options options = new Options(args);
      code = 1;
      try (SparkSession spark = SparkSession.builder().appName("cfile " + options.table).getOrCreate()) {
        code = run(spark, options);
      }
    } catch (Exception e) {
      System.err.println(code == 2 ? "cfile-spark: " + e.getMessage() + "\n" + USAGE : "cfile-spark: no result: " + e);
    }
    // YARN treats any exit other than returning as a failure.
    if (code != 0) {
      System.exit(code);
    }
  }

  private static int run(SparkSession spark, Options options) throws Exception {
    long started = System.nanoTime();
    JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
    Configuration hadoop = context.hadoopConfiguration();
    List<String> splits = readSplits(new Path(options.splits), hadoop);
    Path given = new Path(options.output);
    FileSystem files = given.getFileSystem(hadoop);
    Path whole = files.makeQualified(given);
    boolean isIceberg = options.has("--iceberg");
    Path output = isIceberg ? new Path(whole, "data") : whole;
    boolean isLocal = "file".equals(output.toUri().getScheme());
    files.setWriteChecksum(false);
    refuseOthersFiles(files, output, options.has("--overwrite"));
    if (isIceberg) {
      refuseIceberg(spark, options.table, files, whole, isLocal);
    } else {
      refuseOthersTable(spark, options.table, output);
    }
    // From here on, the folder has no result until the new one is complete.
    files.delete(new Path(output, "_SUCCESS"), false);
    files.mkdirs(new Path(output, STAGING));
    removeAllBut(Set.of(STAGING), files, output);

    String folder = isLocal ? output.toUri().getPath() + "/" + STAGING : options.one("--scratch", "cfile-scratch");
    // Workers write the data files of an Iceberg table below the folder that they are given.
    String written = isIceberg ? folder + "/data" : folder;
    Settle settle = new Settle(attemptsOf(spark), isLocal, written, output.toString(), new SerializableConfiguration(hadoop));
    List<String> command = options.worker();
    command.addAll(options.runSplit(folder));
    // The largest first, so that no long split remains at the end, when most executors are idle.
    List<Integer> order = largestFirst(splits);
    List<String> ordered = order.stream().map(splits::get).collect(Collectors.toList());
    List<String> answers = context.parallelize(ordered, ordered.size())
        .pipe(command, new HashMap<>(), false, 8192, "UTF-8").mapPartitions(settle).collect();

    List<String> results = new ArrayList<>();
    Ledger ledger = new Ledger(splits.size());
    for (String answer : answers) {
      ObjectNode result = (ObjectNode) JSON.readTree(answer);
      int split = order.get(result.remove("partition").intValue());
      result.remove("line");
      result.set("id", parsed(splits.get(split)).get("id"));
      results.add(result.toString());
      result.remove("iceberg");
      ledger.add(split, result);
    }
    removeAllBut(ledger.names, files, output);
    ledger.requireFiles(files, output);
    if (ledger.failed == splits.size() || ((options.has("--strict") || isIceberg) && ledger.isShort())) {
      throw new IOException(ledger.failed + " splits failed and " + ledger.rowsLost + " rows are lost: " + ledger.firstError());
    }
    long found = spark.read().parquet(output.toString()).count();
    if (found != ledger.rows) {
      throw new IOException(output + " has " + found + " rows, the splits wrote " + ledger.rows);
    }
    ObjectNode summary = ledger.summary();
    summary.put("application", context.sc().applicationId()).put("table", options.table).put("output", output.toString());
    summary.put("seconds", (System.nanoTime() - started) / 1_000_000 / 1e3);
    ledger.write(files, output, summary);
    if (isIceberg) {
      commitIceberg(spark, options, splits, results, whole.toUri().getPath());
    } else {
      spark.sql("DROP TABLE IF EXISTS " + options.table);
      spark.catalog().createTable(options.table, output.toString(), "parquet");
    }
    System.out.println(summary);
    for (String query : options.all("--sql")) {
      spark.sql(query).toJSON().toLocalIterator().forEachRemaining(System.out::println);
    }
    System.out.flush();
    return ledger.isShort() ? MISSING_ROWS : 0;
  }

  /** An Iceberg table is never replaced: its data files are those that an earlier run placed here. */
  private static void refuseIceberg(SparkSession spark, String table, FileSystem files, Path whole, boolean isLocal)
      throws IOException {
    if (!isLocal) {
      throw new IOException(whole + " is not a folder that all machines share, as --iceberg requires");
    }
    Path metadata = new Path(whole, "metadata");
    for (FileStatus status : files.exists(metadata) ? files.listStatus(metadata) : new FileStatus[0]) {
      if (status.getPath().getName().endsWith(".metadata.json")) {
        throw new IOException(whole + " has an Iceberg table");
      }
    }
    if (spark.catalog().tableExists(table)) {
      throw new IOException("table " + table + " already exists");
    }
  }

  /** One commit for all data files; until then, there is no table. */
  private static void commitIceberg(SparkSession spark, Options options, List<String> splits, List<String> results, String folder)
      throws Exception {
    java.nio.file.Path scratch = java.nio.file.Files.createTempDirectory("cfile-spark");
    try {
      java.nio.file.Path plan = java.nio.file.Files.write(scratch.resolve("splits.ndjson"), splits);
      java.nio.file.Path answers = java.nio.file.Files.write(scratch.resolve("results.ndjson"), results);
      List<String> command = options.worker();
      command.addAll(List.of("commit-splits", plan.toString(), answers.toString(), "-o", folder));
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new IOException("cannot commit " + folder + ": " + said.trim());
      }
    } finally {
      for (String name : List.of("splits.ndjson", "results.ndjson", "")) {
        java.nio.file.Files.deleteIfExists(scratch.resolve(name));
      }
    }
    if (!spark.catalog().tableExists(options.table)) {
      throw new IOException("the Iceberg table in " + folder + " is complete, but its catalog does not have it as " + options.table
          + ": register it there");
    }
  }

  private static List<String> readSplits(Path path, Configuration hadoop) throws IOException {
    List<String> lines = new ArrayList<>();
    Set<String> ids = new HashSet<>();
    try (BufferedReader reader = new BufferedReader(
        new InputStreamReader(path.getFileSystem(hadoop).open(path), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (!line.isBlank()) {
          String id = parsed(line).path("id").textValue();
          if (id != null && !ids.add(id)) {
            throw new IOException(path + ": split " + id + " is listed twice");
          }
          lines.add(line);
        }
      }
    }
    if (lines.isEmpty()) {
      throw new IOException(path + " has no splits");
    }
    return lines;
  }

  /** Invalid JSON goes to the worker like other lines; the worker reports what is wrong. */
  private static JsonNode parsed(String line) {
    try {
      return JSON.readTree(line);
    } catch (IOException e) {
      return JSON.createObjectNode();
    }
  }

  private static List<Integer> largestFirst(List<String> splits) {
    long[] bytes = splits.stream().mapToLong(line -> parsed(line).path("bytes").asLong()).toArray();
    return IntStream.range(0, bytes.length).boxed().sorted(Comparator.comparingLong(i -> -bytes[i])).collect(Collectors.toList());
  }

  /** Maximum number of attempts per task; with the masters local and local[N], 1. */
  private static int attemptsOf(SparkSession spark) {
    Matcher local = Pattern.compile("local(?:\\[[^,\\]]*(?:,\\s*(\\d+))?\\s*\\])?").matcher(spark.sparkContext().master());
    if (local.matches()) {
      return local.group(1) == null ? 1 : Integer.parseInt(local.group(1));
    }
    return Integer.parseInt(spark.conf().get("spark.task.maxFailures", "4"));
  }

  /** Requires an empty folder, or that of an earlier run, because files in it are removed. */
  private static void refuseOthersFiles(FileSystem files, Path output, boolean overwrite) throws IOException {
    for (FileStatus status : files.exists(output) ? files.listStatus(output) : new FileStatus[0]) {
      String name = status.getPath().getName();
      if (!OURS.matcher(name).matches()) {
        throw new IOException(output + " has files that do not belong to a result, such as " + name);
      }
      if (name.equals("_SUCCESS") && !overwrite) {
        throw new IOException(output + " has the result of an earlier run; --overwrite replaces it");
      }
    }
  }

  private static void refuseOthersTable(SparkSession spark, String table, Path output) throws IOException {
    if (!spark.catalog().tableExists(table)) {
      return;
    }
    Map<String, String> facts = new HashMap<>();
    for (Row row : spark.sql("DESCRIBE TABLE EXTENDED " + table).collectAsList()) {
      facts.put(row.getString(0), row.getString(1));
    }
    String location = facts.getOrDefault("Location", "");
    if (!"EXTERNAL".equals(facts.get("Type")) || !new Path(location).toUri().getPath().equals(output.toUri().getPath())) {
      throw new IOException("table " + table + " already exists, at " + location);
    }
  }

  private static void removeAllBut(Set<String> names, FileSystem files, Path output) throws IOException {
    for (FileStatus status : files.listStatus(output)) {
      String name = status.getPath().getName();
      if (OURS.matcher(name).matches() && !names.contains(name)) {
        files.delete(status.getPath(), true);
      }
    }
  }

  /**
   * On an executor: converts the output of the worker to the result of the task, or to a failure that makes
   * Spark retry it.
   */
  private record Settle(int attempts, boolean isLocal, String folder, String output, SerializableConfiguration hadoop)
      implements FlatMapFunction<Iterator<String>, String> {
    @Override
    public Iterator<String> call(Iterator<String> lines) throws Exception {
      TaskContext task = TaskContext.get();
      ObjectNode answer;
      try {
        answer = answerOf(lines);
        if (!answer.has("error")) {
          place(answer.path("file").asText(), answer.path("bytes").asLong(), task.taskAttemptId());
        }
      } catch (IOException | RuntimeException e) {
        if (task.isInterrupted()) {
          throw e;
        }
        answer = JSON.createObjectNode().put("retryable", true);
        answer.putObject("error").put("code", "E_IO").put("message", "the worker: " + e.getMessage());
      }
      // The final failure of a task would end the job, so the ledger gets the error of the split instead.
      if (answer.path("retryable").asBoolean() && task.attemptNumber() + 1 < attempts) {
        throw new IOException("split " + answer.path("id").asText() + ", will be retried: " + answer.path("error"));
      }
      answer.put("attempts", task.attemptNumber() + 1).put("executor", SparkEnv.get().executorId());
      answer.put("partition", task.partitionId());
      return List.of(answer.toString()).iterator();
    }

    /** Reads to the end, because Spark reports a non-zero exit code of the worker only there. */
    private static ObjectNode answerOf(Iterator<String> lines) throws IOException {
      List<String> all = new ArrayList<>();
      lines.forEachRemaining(all::add);
      if (all.size() != 1 || !(JSON.readTree(all.get(0)) instanceof ObjectNode answer)) {
        throw new IOException("expected one line, found " + all.size() + (all.isEmpty() ? "" : ", " + all.get(0)));
      }
      boolean isResult = RESULT.matcher(answer.path("file").asText()).matches() && answer.path("rows").isNumber();
      if (!isResult && !answer.path("error").isObject()) {
        throw new IOException("neither a result nor an error: " + all.get(0));
      }
      return answer;
    }

    /** Renames a complete file to its final name. Another attempt may have done so, or may do so now. */
    private void place(String name, long bytes, long attempt) throws IOException {
      Path written = new Path(new File(folder, name).getAbsoluteFile().toURI());
      Path target = new Path(output, name);
      FileSystem files = target.getFileSystem(hadoop.value());
      Path staged = isLocal ? written : new Path(output, STAGING + "/" + attempt + "-" + name);
      if (!isLocal) {
        files.copyFromLocalFile(true, true, written, staged);
      }
      try {
        if (files.rename(staged, target)) {
          return;
        }
      } catch (FileNotFoundException | FileAlreadyExistsException e) {
        // Decides by the existing files.
      }
      if (!files.exists(target) || files.getFileStatus(target).getLen() != bytes) {
        throw new IOException(staged + " cannot be renamed to " + target);
      }
    }
  }

  /** The result of every split, in the order of the splits. */
  private static final class Ledger {
    final ObjectNode[] results;
    final Set<String> names = new HashSet<>();
    long rows;
    long bytes;
    long rowsLost;
    /** Splits whose number of lost rows may be unknown. */
    int incomplete;
    int recovered;
    int failed;
    int attempts;

    Ledger(int splits) {
      results = new ObjectNode[splits];
    }

    void add(int split, ObjectNode result) {
      results[split] = result;
      attempts += result.path("attempts").intValue();
      if (result.has("error")) {
        failed++;
        return;
      }
      names.add(result.path("file").asText());
      rows += result.path("rows").asLong();
      bytes += result.path("bytes").asLong();
      rowsLost += result.path("rowsLost").asLong();
      incomplete += result.path("complete").asBoolean(false) ? 0 : 1;
      recovered += result.path("recovered").size();
    }

    boolean isShort() {
      return failed > 0 || rowsLost > 0 || incomplete > 0;
    }

    String firstError() {
      return Arrays.stream(results).filter(result -> result.has("error")).findFirst().map(String::valueOf).orElse("damaged sources");
    }

    /** Checks that the driver sees the files of the workers, which fails if the folder is not shared. */
    void requireFiles(FileSystem files, Path output) throws IOException {
      Map<String, Long> sizes = new HashMap<>();
      for (FileStatus status : files.listStatus(output)) {
        sizes.put(status.getPath().getName(), status.getLen());
      }
      for (ObjectNode result : results) {
        String name = result.path("file").asText();
        if (!result.has("error") && !Long.valueOf(result.path("bytes").asLong()).equals(sizes.get(name))) {
          throw new IOException(output + ": " + name + " is missing or incomplete (do all machines share this folder?)");
        }
      }
    }

    ObjectNode summary() {
      return JSON.createObjectNode().put("cfileLedger", 1).put("splits", results.length).put("failed", failed).put("rows", rows)
          .put("bytes", bytes).put("rowsLost", rowsLost).put("recovered", recovered).put("retries", attempts - results.length);
    }

    /** The summary, and the results, one per line. */
    void write(FileSystem files, Path output, ObjectNode summary) throws IOException {
      Path half = new Path(output, "_SUCCESS.new");
      String head = summary.toString().replaceFirst("}$", ",\"results\":[\n");
      String lines = Arrays.stream(results).map(String::valueOf).collect(Collectors.joining(",\n", head, "\n]}\n"));
      try (OutputStream out = files.create(half, true)) {
        out.write(lines.getBytes(StandardCharsets.UTF_8));
      }
      if (!files.rename(half, new Path(output, "_SUCCESS"))) {
        throw new IOException(half + " cannot be renamed");
      }
    }
  }

  private static final class Options {
    private static final Set<String> FLAGS = Set.of("--recover", "--strict", "--overwrite", "--iceberg");
    private static final Set<String> NAMES =
        Set.of("--splits", "--output", "--table", "--worker", "--allow-root", "--scratch", "--sql");
    private final Map<String, List<String>> given = new HashMap<>();
    final String splits;
    final String output;
    final String table;

    /** @throws IllegalArgumentException for an unknown option, and when an option or its value is missing */
    Options(String[] args) {
      Iterator<String> rest = Arrays.asList(args).iterator();
      while (rest.hasNext()) {
        String name = rest.next();
        if (!FLAGS.contains(name) && !(NAMES.contains(name) && rest.hasNext())) {
          throw new IllegalArgumentException(NAMES.contains(name) ? name + " requires a value" : "unknown option " + name);
        }
        given.computeIfAbsent(name, key -> new ArrayList<>()).add(FLAGS.contains(name) ? name : rest.next());
      }
      splits = one("--splits", null);
      output = one("--output", null);
      table = one("--table", null);
    }

    boolean has(String flag) {
      return given.containsKey(flag);
    }

    List<String> all(String name) {
      return given.getOrDefault(name, List.of());
    }

    String one(String name, String otherwise) {
      List<String> values = all(name);
      if (values.size() > 1 || (values.isEmpty() && otherwise == null)) {
        throw new IllegalArgumentException(name + (values.isEmpty() ? " is required" : " is given more than once"));
      }
      return values.isEmpty() ? otherwise : values.get(0);
    }

    /** The words of the command. */
    List<String> worker() throws IOException {
      List<String> words = new ArrayList<>();
      String worker = one("--worker", "cfile").trim();
      if (worker.startsWith("[")) {
        JSON.readTree(worker).forEach(word -> words.add(word.asText()));
      } else {
        words.addAll(Arrays.asList(worker.split("\\s+")));
      }
      return words;
    }

    List<String> runSplit(String folder) {
      List<String> words = new ArrayList<>(List.of("run-split", "--exit-zero", "-o", folder));
      if (has("--iceberg")) {
        words.addAll(List.of("--to", "iceberg"));
      }
      all("--allow-root").forEach(root -> words.addAll(List.of("--allow-root", root)));
      words.addAll(all("--recover"));
      return words;
    }
  }
}
