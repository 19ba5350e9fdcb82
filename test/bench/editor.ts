/**
 * What a person waits for in a real VS Code: `npm run bench:editor` packages the extension, and
 * prints the times as JSON. The first squiggle of a configuration is compared with that of a style
 * sheet beside it in the same window, by VS Code's own extension for CSS: a busy machine makes both
 * late.
 *
 * The page reads all times from its own clock. The trace of a start has the times at which the
 * extension host began to activate each of the two extensions, from its log.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { folderWith, openWorkbench, type Workbench } from '../editor/workbench';
import { machine } from './machine';
import { oldServer, oldText } from './old-files';

const RUNS = 5;

/** Milliseconds since the page began to load. */
interface Start {
  /** When the file's text was on the screen, and its first squiggle, by the names of the files. */
  readonly text: Record<string, number>;
  readonly squiggle: Record<string, number>;
  /** When the extension host began to activate an extension. */
  readonly activation: Record<string, number>;
}

async function main(): Promise<void> {
  const starts = await firstSquiggles();
  const ratio = median(
    starts.map(
      ({ text, squiggle }) => (squiggle['httpd.conf']! - text['httpd.conf']!) / (squiggle['a.css']! - text['a.css']!),
    ),
  );
  console.log(JSON.stringify({ ...machine(), starts, ratio, invitation: await invitation() }, null, 2));
}

/** A configuration and a style sheet side by side, in a window that each run loads again. */
async function firstSquiggles(): Promise<Start[]> {
  const folder = folderWith({ 'httpd.conf': `MaxClients 10\n${oldText(500)}`, 'a.css': 'a { colr: red;\n b { x: }' });
  const workbench = await openWorkbench({ name: 'bench', folder });
  try {
    await workbench.openFile('a.css');
    await workbench.commandByKeys('View: Split Editor Right');
    await workbench.openFile('httpd.conf');
    await workbench.waitForSquiggle();
    await workbench.page.addInitScript(WATCH_SQUIGGLES);
    const starts: Start[] = [];
    for (let run = 0; run < RUNS; run++) starts.push(await start(workbench));
    return starts;
  } catch (error) {
    await workbench.screenshot('failed');
    throw error;
  } finally {
    await workbench.close();
  }
}

async function start(workbench: Workbench): Promise<Start> {
  const read = () => workbench.page.evaluate(SEEN, undefined).catch(() => undefined);
  const before = (await read())?.began;
  // Unlike a reload of the page, it keeps which files are open.
  await workbench.commandByKeys('Developer: Reload Window');
  const seen = await workbench.until(
    'both squiggles',
    async () => {
      const now = await read();
      return now && now.began !== before && Object.keys(now.squiggle).length === 2 ? now : undefined;
    },
    read,
  );
  // The log is written a moment later.
  await new Promise((resolve) => setTimeout(resolve, 3000));
  return { text: seen.text, squiggle: seen.squiggle, activation: activations(workbench.logs, seen.began) };
}

/**
 * How long after its activation the extension invites, in a new window with a folder of so many
 * files. Milliseconds.
 */
async function invitation(files = 100): Promise<object[]> {
  const all: object[] = [];
  for (let run = 0; run < RUNS; run++) {
    const folder = folderWith(
      Object.fromEntries([...oldServer('$FOLDER', files)].map(([name, text]) => [name.replace('$FOLDER/', ''), text])),
    );
    const settings = { 'httpdUpgrade.invitation': true };
    const workbench = await openWorkbench({ name: 'bench', folder, settings });
    try {
      await workbench.message(/This looks like a configuration for Apache httpd 2\.2\./);
      const { began, messages } = await workbench.page.evaluate(MESSAGES, undefined);
      await new Promise((resolve) => setTimeout(resolve, 3000));
      const { 'httpd-upgrade': activation } = activations(workbench.logs, began);
      const [shown] = Object.entries(messages)
        .filter(([text]) => text.includes('2.2'))
        .map(([, at]) => at);
      all.push({ activation, shown, afterActivation: shown! - activation! });
    } finally {
      await workbench.close();
    }
  }
  return all;
}

/** Of the youngest log of an extension host: the times since `began` by the names of extensions. */
function activations(logs: string, began: number): Record<string, number> {
  const files = readdirSync(logs, { recursive: true, encoding: 'utf8' }).filter((name) => /exthost\.log$/.test(name));
  const last = files.sort().at(-1);
  if (last === undefined) return {};
  const lines = readFileSync(path.join(logs, last), 'utf8').matchAll(
    /^(\S+ \S+) .*_doActivateExtension \S*?(httpd-upgrade|css-language-features),/gm,
  );
  return Object.fromEntries([...lines].map(([, time, name]) => [name, new Date(time!).getTime() - began]));
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1]!;
}

interface Seen {
  readonly began: number;
  readonly text: Record<string, number>;
  readonly squiggle: Record<string, number>;
}

/** Runs in every page of the editor: keeps when each file's text and squiggle were first drawn. */
const WATCH_SQUIGGLES = (): void => {
  const { document, performance, MutationObserver } = globalThis as any;
  const seen: Seen = { began: performance.timeOrigin, text: {}, squiggle: {} };
  (globalThis as any).seenSoFar = seen;
  new MutationObserver(() => {
    for (const group of document.querySelectorAll('.editor-group-container')) {
      const name = group.querySelector('.tab.active')?.getAttribute('data-resource-name');
      if (!name) continue;
      if (group.querySelector('.view-line span span')) seen.text[name] ??= performance.now();
      if (group.querySelector('[class*="squiggly-"]')) seen.squiggle[name] ??= performance.now();
    }
  }).observe(document, { subtree: true, childList: true, attributes: true });
};

/** Runs in the page. */
const SEEN = (): Seen | undefined => (globalThis as any).seenSoFar;

/** Runs in the page: when each message was first shown, in milliseconds since the page began. */
const MESSAGES = () => ({
  began: (globalThis as any).performance.timeOrigin as number,
  messages: Object.fromEntries((globalThis as any).messagesSoFar) as Record<string, number>,
});

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
