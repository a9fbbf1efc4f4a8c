/** What can be looked at, whatever it is: each kind of file answers what it can. */
import { CFileError, type Progress } from "@cfile/bytes";
import type {
  CheckView,
  CompareView,
  DocView,
  Exported,
  ExportRequest,
  Fact,
  FoundView,
  HealthView,
  MapView,
  NodeView,
  PartDetail,
  ProfileView,
  RowsView,
  TreeNodeView,
} from "../../protocol.js";

/** How a request goes on: it may be stopped, and may tell how far it is. */
export interface Work<P = Progress> {
  readonly signal: AbortSignal;
  readonly progress: (progress: P) => void;
}

/** The description without its number, which the engine gives. */
export type DocDescription = Omit<DocView, "id">;

export abstract class Doc {
  abstract readonly view: DocDescription;

  /** Documents below this one, made when they are asked for. */
  children(_work: Work): Promise<readonly ChildDoc[]> {
    return Promise.resolve([]);
  }

  map(_work: Work): Promise<MapView> {
    return this.refuse("map");
  }

  treeNode(_tree: number, _part: number, _work: Work): Promise<TreeNodeView> {
    return this.refuse("tree");
  }

  part(_part: number, _work: Work): Promise<PartDetail> {
    return this.refuse("blocks");
  }

  check(_work: Work<HealthView>): Promise<CheckView> {
    return this.refuse("check");
  }

  rows(_from: number, _to: number, _work: Work): Promise<RowsView> {
    return this.refuse("rows");
  }

  find(_text: string, _work: Work): Promise<FoundView> {
    return this.refuse("search");
  }

  profile(_column: number, _work: Work): Promise<ProfileView> {
    return this.refuse("profile");
  }

  compare(_column: number, _work: Work): Promise<CompareView> {
    return this.refuse("comparison");
  }

  export(_request: ExportRequest, _work: Work): Promise<Exported> {
    return this.refuse("export");
  }

  recover(_type: string | undefined, _work: Work): Promise<Exported> {
    return this.refuse("recovery");
  }

  private refuse(what: string): Promise<never> {
    return Promise.reject(new CFileError("E_UNSUPPORTED", `${this.view.title} has no ${what}`));
  }
}

/** Something that only has other things below it. */
export class ListDoc extends Doc {
  readonly view: DocDescription;
  private readonly list: () => readonly ChildDoc[];

  constructor(title: string, facts: readonly Fact[], list: () => readonly ChildDoc[]) {
    super();
    this.view = describe({ title, kind: "folder", facts, hasChildren: true });
    this.list = list;
  }

  override async children(): Promise<readonly ChildDoc[]> {
    return this.list();
  }
}

/** A document that is opened when it is wanted. */
export interface ChildDoc extends Omit<NodeView, "id"> {
  readonly open: (work: Work) => Promise<Doc>;
}

export function describe(
  given: Partial<DocDescription> & Pick<DocDescription, "title" | "kind">,
): DocDescription {
  return {
    facts: [],
    tabs: [],
    columns: [],
    rowCount: undefined,
    searchHint: undefined,
    problem: undefined,
    needsType: false,
    hasChildren: false,
    ...given,
  };
}
