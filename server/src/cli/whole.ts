/** Whole configurations among the files of a command: what a root file includes, and the .htaccess files below what it serves. */
import path from 'node:path';
import { doubt, doubtText } from '../access/doubt';
import type { AccessPlan } from '../access/plan';
import type { FileInfo, PlacedFinding } from '../analysis/engine';
import { placesOf } from '../analysis/places';
import { applyEdits } from '../analysis/fixes';
import { Configurations, isHtaccessName } from '../config/configurations';
import { digestAtHand, isRootTree } from '../config/digest';
import { configView } from '../config/model';
import { isRootName, wholeConfiguration } from '../features/whole-configuration';
import { configurationFiles } from '../host/node';
import { nodeFiles, type NodeFiles } from '../host/node-files';
import type { Fix } from '../rules/rule';
import { orderAllowDeny } from '../rules/order-allow-deny';
import type { Tree } from '../syntax/document';
import { configurationWide, type ConfigurationWide } from './configuration';
import type { KnownFiles } from './files';
import type { Projects } from './project';

export interface WholeConfigurations {
  /** What has been read of a file already. */
  readonly known: KnownFiles;
  /** Files that belong to a root that was given by itself, and were not given: absolute paths. */
  readonly further: readonly string[];
  /** What they say about a file. */
  infoOf(file: string, tree: Tree): FileInfo;
  /** What the rules about whole configurations say about a file. */
  findings(file: string): readonly PlacedFinding[];
  /** What is left of that after `convert`. */
  left(file: string, unsafe: boolean): readonly PlacedFinding[];
  /** The text after the conversion of its configuration's access control and the fixes for its configuration as a whole, and how many edits that took. */
  convert(file: string, text: string, unsafe: boolean): { readonly text: string; readonly edits: number };
  /** A finding with what the whole configuration says about it. */
  informed(file: string, tree: Tree, finding: PlacedFinding): PlacedFinding;
  /** What keeps conversions from being safe, for people. */
  readonly notes: readonly string[];
}

export interface WholeOptions {
  /** Files and folders, as given. */
  readonly paths: readonly string[];
  readonly projects: Projects;
  /** Whether suggestions are taken: a wider AllowOverride among them. */
  readonly unsafe?: boolean;
}

export async function wholeConfigurations(options: WholeOptions): Promise<WholeConfigurations> {
  const view = nodeFiles();
  const plans: { root: string; plan: AccessPlan }[] = [];
  const parts = new Map<string, AccessPlan>();
  const shared = new Set<string>();
  const given = await givenFiles(options.paths, view);
  const roots = rootsAmong(given, view);
  const configurations = new Configurations();
  configurations.update(roots.map((root) => ({ root, target: options.projects.engineOf(root).target, server: options.projects.serverOf(root) })), configView(view), []);
  const fromConfiguration = (identity: string, tree: Tree): FileInfo =>
    configurations.all.length === 0 ? { isHtaccess: isHtaccessName(identity) } : placesOf(configurations.contextOf(identity, digestAtHand(tree.root)));
  const read = configurations.all.filter(({ root }) => given.isFile(root)).flatMap(({ files }) => [...files.keys()]);
  for (const root of roots) {
    const engine = options.projects.engineOf(root);
    const { serverRoot, map, defines } = options.projects.serverOf(root);
    const configuration = wholeConfiguration({ root, view, engine, infoOf: (tree) => fromConfiguration(root, tree), target: engine.target, source: engine.accessSource, mayAdmit: options.unsafe, serverRoot, map, defines });
    if (!configuration) continue;
    const { plan: draft, files } = configuration;
    // Below a folder only what is there is changed; a conversion that needs more than that is not complete.
    const outside = given.isFile(root) ? [] : [...draft.edits.keys()].filter((file) => !given.holds(file));
    const plan = { ...draft, doubts: [...draft.doubts, ...outside.map((file) => doubt('outside-unseen', file, [], 'belongs to it, and lies elsewhere'))] };
    plans.push({ root, plan });
    for (const file of files) {
      if (parts.has(file)) shared.add(file);
      if (given.isFile(root) || given.holds(file)) parts.set(file, plan);
    }
  }
  // What two servers read would have to suit both.
  for (const { plan } of plans) {
    if ([...plan.edits.keys()].some((file) => shared.has(file))) for (const [file, own] of [...parts]) if (own === plan) parts.delete(file);
  }
  const vouched = new Set(plans.filter(({ root }) => options.projects.engineOf(root).assumeStandalone).map(({ plan }) => plan));
  const isSafe = (plan: AccessPlan) => plan.doubts.length === 0 || vouched.has(plan);
  const identities = new Map<string, string>();
  const identityOf = (file: string) => {
    let identity = identities.get(file);
    if (identity === undefined) identities.set(file, (identity = view.identity(path.resolve(file))));
    return identity;
  };
  const planOf = (file: string) => parts.get(identityOf(file));
  const conversions = new Map<string, Fix>();
  const conversionOf = (file: string, plan: AccessPlan): Fix => {
    let fix = conversions.get(file);
    if (!fix) {
      const title = 'Convert the access control of the whole configuration';
      const edits = plan.edits.get(identityOf(file)) ?? [];
      const [first, ...others] = plan.doubts.map(doubtText);
      const doubted = `${title}; what keeps it from being safe: ${first}${others.length === 0 ? '' : ` (and ${others.length} more)`}`;
      fix = isSafe(plan) ? { title, safety: 'safe', edits } : { title: doubted, safety: 'suggestion', edits };
      conversions.set(file, fix);
    }
    return fix;
  };
  const further = [...new Set([...parts.keys(), ...read])].filter((file) => !given.holds(file));
  const wide: ConfigurationWide = configurationWide({ models: configurations.all, view, projects: options.projects, may: (file) => given.holds(file) || further.includes(file) });
  return {
    known: (file) => view.known(path.resolve(file)),
    further,
    findings: (file) => wide.findings(identityOf(file)),
    left: (file, unsafe) => wide.left(identityOf(file), unsafe),
    infoOf: (file, tree) => ({ ...fromConfiguration(identityOf(file), tree), isPartOfWhole: planOf(file) !== undefined }),
    convert(file, text, unsafe) {
      const plan = planOf(file);
      const access = plan && (isSafe(plan) || unsafe) ? plan.edits.get(identityOf(file)) ?? [] : [];
      const edits = [...access, ...wide.edits(identityOf(file), unsafe)];
      return edits.length === 0 ? { text, edits: 0 } : { text: applyEdits(text, edits), edits: edits.length };
    },
    informed(file, tree, finding) {
      const plan = finding.rule === orderAllowDeny ? planOf(file) : undefined;
      const line = plan && tree.lineAt(finding.start);
      if (!plan || !line) return finding;
      const identity = identityOf(file);
      if (plan.covers(identity, line.offset)) return finding.informed({ fixes: [conversionOf(file, plan)] });
      const reason = plan.reasonAt(identity, line.offset);
      return reason === null ? finding : finding.informed({ sentence: `Not converted with the rest of the configuration: ${reason}.` });
    },
    notes: plans.flatMap(({ root, plan }) => (plan.converted > 0 || plan.refusals.length > 0 ? plan.doubts.map((each) => `${root}: ${doubtText(each)}`) : [])),
  };
}

interface GivenFiles {
  readonly candidates: readonly string[];
  /** Whether the file was given by itself. */
  isFile(file: string): boolean;
  /** Whether the file was given, or lies below a folder that was. */
  holds(file: string): boolean;
}

async function givenFiles(paths: readonly string[], view: NodeFiles): Promise<GivenFiles> {
  const files = new Set<string>();
  const folders: string[] = [];
  const candidates: string[] = [];
  for (const given of paths.map((file) => path.resolve(file))) {
    const identity = view.identity(given);
    if (view.kind(identity) === 'file') {
      files.add(identity);
      candidates.push(identity);
    } else if (view.kind(identity) === 'folder') {
      folders.push(identity);
      for await (const file of configurationFiles(given)) if (isRootName(file)) candidates.push(view.identity(file));
    }
  }
  return {
    candidates: [...new Set(candidates)],
    isFile: (file) => files.has(file),
    holds: (file) => files.has(file) || folders.some((folder) => file.startsWith(`${folder}/`)),
  };
}

function rootsAmong(given: GivenFiles, view: NodeFiles): string[] {
  return given.candidates.filter((file) => {
    const tree = view.read(file);
    return tree !== null && isRootTree(tree.root);
  });
}
