/** The page before anything is opened: samples, recent files, and the file of this machine that a link names. */

import { Button } from "../parts/basics.js";
import type { Link } from "./link.js";
import type { Recent } from "./recent.js";
import { SAMPLES } from "./samples.js";

interface WelcomeProps {
  readonly hasSamples: boolean;
  /** A link to a local file, which the user has yet to choose. */
  readonly awaited: Link | undefined;
  readonly recent: readonly Recent[];
  readonly onRecent: (recent: Recent) => void;
  readonly onForget: () => void;
}

export function Welcome({ hasSamples, awaited, recent, onRecent, onForget }: WelcomeProps) {
  return (
    <main class="welcome" id="main" tabIndex={-1}>
      <div class="drop">
        <h1>Explore files block by block and byte by byte</h1>
        {awaited !== undefined && (
          <p role="status">
            <strong>{placeText(awaited)}</strong> Open that file to see it.
          </p>
        )}
        <p>
          Drop files or a folder here: CFiles, Bloom and delta files of Apache Kudu, table stores, the
          directories of a Kudu server, Hudi tables, HFiles and Parquet files.
        </p>
        <p class="hint">
          Your data stays in this browser. From a URL, only the byte ranges you view are fetched.
        </p>
      </div>
      {recent.length > 0 && (
        <section class="recent" aria-labelledby="recent-title">
          <h2 id="recent-title">Recently opened</h2>
          <ul>
            {recent.map((entry, i) => (
              <li key={`${entry.title}${i}`}>
                <button type="button" onClick={() => onRecent(entry)}>
                  {entry.title}
                </button>
                <small>{originText(entry)}</small>
              </li>
            ))}
          </ul>
          <Button onClick={onForget}>Forget all</Button>
        </section>
      )}
      {hasSamples && (
        <section aria-labelledby="samples-title">
          <h2 id="samples-title">Samples</h2>
          <ul class="samples">
            {SAMPLES.map(({ title, text, href }) => (
              <li key={href}>
                <a href={href}>
                  <strong>{title}</strong>
                  <span>{text}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
    </main>
  );
}

function placeText({ origin: { file }, place: { row, block } }: Link): string {
  const position =
    row !== undefined
      ? `row ${row.toLocaleString("en-US")} of `
      : block !== undefined
        ? `byte ${block} of `
        : "";
  return `This link shows ${position}${file}.`;
}

function originText({ origin: { urls, sample, handles = [] } }: Recent): string {
  const [url] = urls;
  if (url !== undefined || sample !== undefined) {
    return url ?? "sample";
  }
  return handles.length > 0 ? "on this machine" : "on this machine; choose it again";
}
