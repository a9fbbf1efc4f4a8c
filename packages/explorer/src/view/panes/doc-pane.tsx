/** A document: its facts and views. */
import { useCallback, useState } from "preact/hooks";
import type { DocView, TabName } from "../../protocol.js";
import type { Place } from "../open/link.js";
import { Facts } from "../parts/basics.js";
import type { PaneProps } from "../worker-client.js";
import { ComparePane } from "./compare-pane.js";
import { DataPane } from "./data-pane.js";
import { ExportBar } from "./export-bar.js";
import { MapPane } from "./map-pane.js";
import { ProfilePane } from "./profile-pane.js";
import { RegionsPane } from "./regions-pane.js";
import { ReplicasPane } from "./replicas-pane.js";
import { TimelinePane } from "./timeline-pane.js";
import { TypeQuestion } from "./type-question.js";

interface DocPaneProps extends PaneProps {
  readonly theme: string;
  readonly isRemote: boolean;
  readonly start: Place;
  readonly onPlace: (place: Place) => void;
  readonly onDoc: (doc: DocView) => void;
}

const TITLES: Readonly<Record<TabName, string>> = {
  timeline: "Timeline",
  replicas: "Replicas",
  regions: "Regions",
  map: "Map",
  data: "Data",
  profile: "Profile",
  compare: "Compare and export",
};

export function DocPane({ client, doc, theme, isRemote, start, onPlace, onDoc }: DocPaneProps) {
  const [place, setPlace] = useState<Place>(() => {
    const { tab = doc.tabs[0], row } = start;
    const isKnown = start.tab !== undefined && doc.tabs.includes(start.tab);
    return { ...start, tab: isKnown ? tab : row === undefined ? doc.tabs[0] : "data" };
  });
  const [touched, setTouched] = useState<readonly number[]>([]);
  const { tab } = place;
  const move = useCallback(
    (change: Partial<Place>): void =>
      setPlace((old) => {
        const next = { ...old, ...change };
        onPlace(next);
        return next;
      }),
    [onPlace],
  );
  const onRow = useCallback((row: number) => move({ row }), [move]);
  return (
    <main class="doc" id="main" tabIndex={-1}>
      <header class="doc-head">
        <h1>{doc.title}</h1>
        <Facts facts={doc.facts} className="facts inline" />
      </header>
      {doc.problem !== undefined && (
        <p class="error">
          <strong>{doc.problem.code}</strong> {doc.problem.reason}{" "}
          {doc.problem.position !== "" && <small>{doc.problem.position}</small>}
        </p>
      )}
      {doc.types.length > 0 && <TypeQuestion client={client} doc={doc} onDoc={onDoc} />}
      {doc.tabs.length > 0 && <Tabs tabs={doc.tabs} chosen={tab} onChoose={(name) => move({ tab: name })} />}
      <div
        class="view"
        id="view"
        role="tabpanel"
        aria-label={tab === undefined ? "Nothing selected" : TITLES[tab]}
      >
        {tab === "map" && (
          <MapPane
            {...{ client, doc, theme, isRemote, touched }}
            block={place.block}
            onBlock={(block) => move({ block })}
            onRow={(row) => move({ tab: "data", row })}
          />
        )}
        {tab === "timeline" && <TimelinePane {...{ client, doc }} />}
        {tab === "replicas" && <ReplicasPane {...{ client, doc }} />}
        {tab === "regions" && <RegionsPane {...{ client, doc }} />}
        {tab === "data" && <DataPane {...{ client, doc, onRow }} row={place.row} onTouched={setTouched} />}
        {tab === "profile" && <ProfilePane {...{ client, doc, theme }} />}
        {tab === "compare" && <ComparePane {...{ client, doc, theme }} />}
        {tab === "profile" && !doc.tabs.includes("compare") && (
          <ExportBar client={client} doc={doc} formats={["csv", "ndjson", "arrow", "parquet"]} />
        )}
        {tab === undefined && <p class="hint">Select something on the left.</p>}
      </div>
    </main>
  );
}

function Tabs({
  tabs,
  chosen,
  onChoose,
}: {
  readonly tabs: readonly TabName[];
  readonly chosen: TabName | undefined;
  readonly onChoose: (tab: TabName) => void;
}) {
  return (
    <div class="tabs" role="tablist" aria-label="Views">
      {tabs.map((name, i) => (
        <button
          key={name}
          id={`tab-${name}`}
          type="button"
          role="tab"
          aria-selected={name === chosen}
          aria-controls="view"
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => onChoose(name)}
          onKeyDown={(event) => {
            const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
            const next = by === undefined ? undefined : tabs[(i + by + tabs.length) % tabs.length];
            if (next !== undefined) {
              event.preventDefault();
              onChoose(next);
              document.getElementById(`tab-${next}`)?.focus();
            }
          }}
        >
          {TITLES[name]}
        </button>
      ))}
    </div>
  );
}
