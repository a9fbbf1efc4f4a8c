/**
 * A web server on this machine that answers range requests after a delay and counts them. It runs in its own
 * thread.
 */
import { createServer } from "node:http";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

export interface Traffic {
  readonly requests: number;
  readonly bytes: number;
}

interface ServerData {
  readonly file: SharedArrayBuffer;
  readonly latency: number;
  /** Requests, bytes. */
  readonly counts: SharedArrayBuffer;
}

export class LatencyServer {
  readonly url: string;
  private readonly counts: Float64Array;
  private readonly worker: Worker;

  private constructor(url: string, counts: Float64Array, worker: Worker) {
    this.url = url;
    this.counts = counts;
    this.worker = worker;
  }

  static async start(file: Uint8Array, latency: number): Promise<LatencyServer> {
    const shared = new SharedArrayBuffer(file.length);
    new Uint8Array(shared).set(file);
    const counts = new SharedArrayBuffer(16);
    const data: ServerData = { file: shared, latency, counts };
    const worker = new Worker(new URL(import.meta.url), { workerData: data });
    const port = await new Promise<unknown>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
    });
    return new LatencyServer(`http://127.0.0.1:${String(port)}/file`, new Float64Array(counts), worker);
  }

  /** Requests and bytes since the last call. */
  take(): Traffic {
    const [requests = 0, bytes = 0] = this.counts;
    this.counts.fill(0);
    return { requests, bytes };
  }

  async stop(): Promise<void> {
    await this.worker.terminate();
  }
}

function serve({ file, latency, counts }: ServerData): void {
  // A response cannot be sent from shared memory.
  const bytes = new Uint8Array(file).slice();
  const counted = new Float64Array(counts);
  const server = createServer((request, response) => {
    const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
    const isPart = first !== "" || last !== "";
    const start = first ? Number(first) : isPart ? Math.max(0, bytes.length - Number(last)) : 0;
    const end = first && last ? Math.min(Number(last) + 1, bytes.length) : bytes.length;
    setTimeout(() => {
      counted[0] = (counted[0] ?? 0) + 1;
      const headers = { ETag: '"1"', "Accept-Ranges": "bytes", "Content-Length": end - start };
      if (request.method === "HEAD") {
        response.writeHead(200, headers).end();
        return;
      }
      counted[1] = (counted[1] ?? 0) + end - start;
      response
        .writeHead(isPart ? 206 : 200, {
          ...headers,
          ...(isPart && { "Content-Range": `bytes ${start}-${end - 1}/${bytes.length}` }),
        })
        .end(bytes.subarray(start, end));
    }, latency);
  });
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    parentPort?.postMessage(typeof address === "object" && address !== null ? address.port : 0);
  });
}

if (!isMainThread && parentPort !== null) {
  serve(workerData as ServerData);
}
