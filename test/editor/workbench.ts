/**
 * A real VS Code for the tests: starts the editor's server (`server.mjs`) with the packaged
 * extension in it, opens it in Chromium, and gives a driver with files, squiggles and quick fixes
 * instead of selectors.
 *
 * Everything is done with keys and the mouse, and read off the screen. Only the text of a file is
 * read from the disk after saving it, because the screen shows only a part of it.
 */
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { lacks } from '../support/lacks';

export interface WorkbenchOptions {
  /** The suite's name: the screenshots' names start with it. */
  name: string;
  /** The folder to open. */
  folder: string;
  /** A .code-workspace file in the folder, to be opened in its place. */
  workspace?: string;
  /** A window without a folder; `folder` has the files that the suite opens. */
  isEmpty?: boolean;
  /** False for restricted mode. */
  trust?: boolean;
  /** Without the node entry point, so that the extension runs in the editor's web worker. */
  webWorkerOnly?: boolean;
  settings?: Record<string, unknown>;
  /** The packaged extension; by default what `npm run package` makes. */
  vsix?: string;
  screenshotsDir?: string;
}

/** Presses of a key until the editor's refusal counts. */
const MOST_PRESSES = 3;

export interface Problem {
  file: string;
  /** The message, its source and rule, and the position, as the panel shows them. */
  text: string;
}

export type Severity = 'error' | 'warning' | 'info' | 'hint';
export type Workbench = Awaited<ReturnType<typeof openWorkbench>>;

const ROOT = path.resolve(__dirname, '..', '..', '..');
const HERE = path.join(ROOT, 'test', 'editor');
const SAMPLES = path.join(ROOT, 'test', 'samples');
/**
 * Milliseconds until a step has failed: the first start of an extension host on a slow machine has
 * to fit.
 */
const PATIENCE = 180_000;

/**
 * Opens the workbench for a suite, in its `before` hook. The editor is installed when it is not
 * there yet; if it cannot be, or something else is missing, the suite is pending and says what to
 * do. In CI that is a failure.
 */
export async function openWorkbenchFor(context: Mocha.Context, options: WorkbenchOptions): Promise<Workbench> {
  context.timeout(1_800_000);
  const lacking = await whatIsMissing(options.vsix ?? packagedExtension());
  if (lacking) lacks(context, lacking);
  return openWorkbench(options);
}

/** Chromium without an editor, for a page of ours. `PageOf` is what the suite asks of a page. */
export async function openChromiumFor<PageOf>(
  context: Mocha.Context,
): Promise<{ newPage(options: object): Promise<PageOf>; close(): Promise<void> }> {
  context.timeout(1_800_000);
  const lacking = await isBrowserMissing();
  if (lacking) lacks(context, lacking);
  const { findEditor, programOf } = await load<InstallModule>('install.mjs');
  const { chromium } = createRequire(path.join(findEditor()!, 'package.json'))('playwright-core') as Playwright;
  return chromium.launch({
    executablePath: programOf('chromium'),
    args: CHROMIUM_ARGUMENTS,
  }) as Promise<unknown> as Promise<{ newPage(options: object): Promise<PageOf>; close(): Promise<void> }>;
}

export async function openWorkbench(options: WorkbenchOptions) {
  const { findEditor, programOf } = await load<InstallModule>('install.mjs');
  const { startServer, installExtensions } = await load<ServerModule>('server.mjs');
  const editor = findEditor()!;
  const { chromium } = createRequire(path.join(editor, 'package.json'))('playwright-core') as Playwright;

  const data = temporaryFolder();
  const {
    folder,
    workspace,
    isEmpty = false,
    trust = true,
    webWorkerOnly = false,
    settings = {},
    vsix = packagedExtension(),
  } = options;
  const extensions = await installed(vsix, (into) => installExtensions({ editor, data: into, extensions: [vsix] }));
  cpSync(extensions, path.join(data, 'extensions'), { recursive: true });
  const server = await startServer({
    editor,
    data,
    folder,
    workspace,
    isEmpty,
    trust,
    webWorkerOnly,
    extensions: [],
    settings: { ...SETTINGS, ...settings },
  });
  const browser = await chromium.launch({ executablePath: programOf('chromium'), args: CHROMIUM_ARGUMENTS });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(PATIENCE);
  const said: string[] = [];
  page.on('console', (message) => said.push(`${message.type()}: ${message.text()}`));
  await page.addInitScript(KEEP_MESSAGES);
  await page.goto(server.url);
  await page.waitForSelector('.monaco-workbench .statusbar-item');
  if (!trust) await page.locator('.monaco-dialog-box').getByText("No, I don't trust the authors").click();

  const screenshots = options.screenshotsDir ?? path.join(ROOT, 'out', 'screenshots');
  mkdirSync(screenshots, { recursive: true });

  return {
    ...driver(page, folder, workspace !== undefined),

    /** The folder of the editor's logs. */
    logs: path.join(data, 'logs'),

    async screenshot(name: string): Promise<void> {
      await page.screenshot({ path: path.join(screenshots, `${options.name}-${name}.png`), animations: 'disabled' });
    },

    /**
     * For an `afterEach` hook: what is on the screen and what the editor logged, when a test
     * failed.
     */
    async keepEvidence(test: Mocha.Test | undefined): Promise<void> {
      if (test?.state !== 'failed') return;
      const name = `${options.name}-failed-${test.title.replace(/\W+/g, '-')}`;
      await page.screenshot({ path: path.join(screenshots, `${name}.png`) });
      cpSync(path.join(data, 'logs'), path.join(screenshots, `${name}-logs`), { recursive: true });
      writeFileSync(path.join(screenshots, `${name}-logs`, 'console.log'), said.join('\n'));
    },

    async close(): Promise<void> {
      await browser.close();
      await server.stop();
    },
  };
}

/**
 * The editor's folder of extensions with this one in it, made once for each .vsix file: the editor
 * takes seconds for it.
 */
async function installed(vsix: string, install: (data: string) => Promise<void>): Promise<string> {
  const stamp = createHash('sha256').update(readFileSync(vsix)).digest('hex').slice(0, 16);
  const folder = path.join(ROOT, 'out', 'installed', stamp);
  const extensions = path.join(folder, 'extensions');
  if (existsSync(extensions)) return extensions;
  mkdirSync(path.dirname(folder), { recursive: true });
  const half = mkdtempSync(`${folder}-`);
  await install(half);
  try {
    renameSync(half, folder);
  } catch (error) {
    // Another suite was faster.
    rmSync(half, { recursive: true, force: true });
    if (!existsSync(extensions)) throw error;
  }
  return extensions;
}

/**
 * A temporary folder with these files, by their paths in it. `$FOLDER` in a text is its own path.
 */
export function folderWith(files: Record<string, string | Uint8Array>): string {
  return add(files, temporaryFolder());
}

/** A temporary copy of `test/samples`, and these files beside them. */
export function samplesWith(files: Record<string, string>): string {
  const folder = temporaryFolder();
  cpSync(SAMPLES, folder, { recursive: true });
  return add(files, folder);
}

function add(files: Record<string, string | Uint8Array>, folder: string): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), typeof text === 'string' ? text.replaceAll('$FOLDER', folder) : text);
  }
  return folder;
}

function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'httpd-upgrade-editor-'));
  temporary.push(folder);
  return folder;
}

/** What goes with the process. */
const temporary: string[] = [];
process.on('exit', () => {
  for (const folder of temporary) rmSync(folder, { recursive: true, force: true });
});

/** What a person does in the editor. A file's name may be a path in the folder. */
function driver(page: Page, folder: string, hasFolders: boolean) {
  const VIEW_ROW = '.pane-body .monaco-list-row';
  const ACTIVE = '.editor-group-container.active';
  let current = '';

  const press = (key: string) => page.keyboard.press(key);

  async function openFile(name: string): Promise<void> {
    const { dir, base } = path.parse(name);
    // With several folders, the first one is added to the label, and cannot be searched for:
    // `a.conf one • conf`.
    const [typed, place] = hasFolders ? [name.replace(/^.*?\//, ''), dir.replace('/', ' • ')] : [name, dir];
    const label = place ? `${base} ${place}` : base;
    const tab = page.locator(`${ACTIVE} .tab.active [aria-label^="${path.join(folder, name)}"]`).first();
    await until(`${name} to be shown`, async () => {
      // The list may be drawn anew under the mouse: then another file opens.
      await quickPick('Control+KeyP', typed, (row) => row === label || row.startsWith(`${label},`));
      return tab.waitFor({ timeout: 10_000 }).then(
        () => true,
        () => undefined,
      );
    });
    await page.waitForSelector(`${ACTIVE} .monaco-editor .view-line`);
    current = name;
  }

  /** Opens a file by its whole path, as in a window without a folder. */
  async function openFileAt(file: string): Promise<void> {
    const input = page.locator('.quick-input-widget .quick-input-box input').first();
    // The list of the folder may replace a path that is filled in while it is read. The shortcut,
    // not the command: after a late press the list of commands would wait in vain for its row.
    await until(`${file} to be shown`, async () => {
      if (await isShown(file)) return true;
      if (!(await input.isVisible())) await press('Control+KeyO');
      await input.waitFor();
      await input.fill(file);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      if ((await input.inputValue().catch(() => '')) !== file) return undefined;
      await press('Enter');
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return (await isShown(file)) || undefined;
    });
    current = file;
  }

  /** Waits until the window has this folder. */
  async function waitForFolder(wanted: string): Promise<void> {
    const read = () => page.evaluate(ADDRESS, undefined);
    await until(`the folder ${wanted}`, async () => (await read().catch(() => '')).includes(wanted) || undefined, read);
    await page.waitForSelector('.monaco-workbench .statusbar-item');
  }

  /**
   * Runs a command by its title in the palette, with its category when it has one: `Developer:
   * Reload Window`.
   */
  async function command(title: string): Promise<void> {
    await quickPick('F1', title, (row) => row === title || row.startsWith(`${title},`));
  }

  /** Opens a quick pick, types into it and takes the first row that fits. */
  async function quickPick(key: string, typed: string, fits: (row: string) => boolean): Promise<void> {
    await press(key);
    const input = page.locator('.quick-input-widget .quick-input-box input').first();
    await input.waitFor();
    await input.fill(key === 'F1' ? `>${typed}` : typed);
    await chooseRow(`a row for "${typed}"`, fits);
  }

  /** Chooses the row of the open list that fits, as typing brings it up, and no mouse. */
  async function chooseByKeys(typed: string, fits: (row: string) => boolean): Promise<void> {
    await page.locator('.quick-input-widget .quick-input-box input').first().waitFor();
    await page.keyboard.type(typed);
    await chooseRow(`a row for "${typed}"`, fits);
  }

  /**
   * Goes down the open list to the first row that fits, and takes it with Enter. The list may be
   * drawn anew at any moment, and the hover of a row may lie over the next one: so this is no work
   * for a mouse, and the row has to have the focus for two looks.
   */
  async function chooseRow(what: string, fits: (row: string) => boolean): Promise<void> {
    const rows = page.locator('.quick-input-list .monaco-list-row');
    const read = (): Promise<{ label: string; isFocused: boolean }[]> =>
      rows.evaluateAll((all: any[]) =>
        all.map((row) => ({ label: row.getAttribute('aria-label'), isFocused: row.classList.contains('focused') })),
      );
    const focused = async () => (await read()).find(({ isFocused }) => isFocused)?.label;
    await until(
      what,
      async () => {
        const all = await read();
        const wanted = all.find(({ label }) => fits(label))?.label;
        if (wanted === undefined) return undefined;
        if (all.find(({ isFocused }) => isFocused)?.label !== wanted) {
          await press('ArrowDown');
          return undefined;
        }
        await new Promise((resolve) => setTimeout(resolve, 100));
        if ((await focused()) !== wanted) return undefined;
        // What opened a moment ago may have taken the focus.
        await page.locator('.quick-input-widget .quick-input-box input').first().focus();
        const before = await shownList();
        await press('Enter');
        if (await isAnother(before)) return true;
        // Pages that have just been opened take the focus, and the key.
        const index = (await read()).findIndex(({ label }) => label === wanted);
        if (index >= 0)
          await rows
            .nth(index)
            .click({ timeout: 2000 })
            .catch(() => undefined);
        return (await isAnother(before)) || undefined;
      },
      read,
    );
  }

  /**
   * Whether the open list is gone soon, or is another one: keys that come before would go to it.
   */
  async function isAnother(before: string): Promise<boolean> {
    for (let look = 0; look < 40; look++) {
      if ((await shownList()) !== before) return true;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return false;
  }

  /** What tells the open list from others; '' where none is open. */
  async function shownList(): Promise<string> {
    const open = page.locator('.quick-input-widget:not([style*="display: none"])');
    const texts = open.evaluateAll((all: any[]) => all.map((list) => list.innerText as string));
    // Where the window is loaded again, there is none.
    return (await texts.catch(() => [])).join('');
  }

  /** Runs the command whose title begins so. */
  async function commandByKeys(title: string): Promise<void> {
    const input = page.locator('.quick-input-widget .quick-input-box input').first();
    const row = page.locator(`.quick-input-list .monaco-list-row[aria-label^="${title}"]`).first();
    // A window that has just opened does not hear the key yet, or does not have the command yet.
    await until(`the command "${title}"`, async () => {
      try {
        await press('F1');
        await input.waitFor({ timeout: 10_000 });
        await page.keyboard.type(title);
        await row.waitFor({ timeout: 10_000 });
        return true;
      } catch {
        await press('Escape');
        return undefined;
      }
    });
    await chooseRow(`the command "${title}"`, (label) => label.startsWith(title));
  }

  async function answerByKeys(label: string): Promise<void> {
    await chooseByKeys(label, (row) => withoutIcon(row).includes(label));
  }

  /** The rows of the view as a screen reader gets them. */
  function heard(): Promise<{ label: string | null; role: string | null; level: number; setSize: number }[]> {
    return page.locator(VIEW_ROW).evaluateAll((all: any[]) =>
      all.map((row) => ({
        label: row.getAttribute('aria-label'),
        role: row.getAttribute('role'),
        level: Number(row.getAttribute('aria-level')),
        setSize: Number(row.getAttribute('aria-setsize')),
      })),
    );
  }

  /** The tasks with a box, by what their rows say. */
  function boxes(): Promise<{ label: string; isTicked: boolean }[]> {
    return page.locator(`${VIEW_ROW}:has(.monaco-custom-toggle)`).evaluateAll((all: any[]) =>
      all.map((row) => ({
        label: row.getAttribute('aria-label') as string,
        isTicked: row.querySelector('.monaco-custom-toggle').getAttribute('aria-checked') === 'true',
      })),
    );
  }

  /** Goes to the task, and ticks it off with the key for that. */
  async function tickByKeys(label: string): Promise<void> {
    await tick(label, true, async () => {
      await focusItemByKeys((each) => each === label);
      await press('Space');
    });
  }

  /** Clicks the box of a task. */
  async function clickBox(label: string, isTicked: boolean): Promise<void> {
    await tick(label, isTicked, () => clickRow((each) => each === label, '.monaco-custom-toggle'));
  }

  /** Ticks, again where nothing follows: VS Code drops a key or a click while it draws the row. */
  async function tick(label: string, isTicked: boolean, act: () => Promise<void>): Promise<void> {
    let acted = 0;
    await until(
      `the box of "${label}" to be ${isTicked ? '' : 'not '}ticked`,
      async () => {
        if ((await boxes()).some((box) => box.label === label && box.isTicked === isTicked)) return true;
        if (Date.now() - acted < 10_000) return undefined;
        await act();
        acted = Date.now();
        return undefined;
      },
      boxes,
    );
  }

  /** Moves through the view, which has the focus, until the row is reached. */
  async function focusItemByKeys(fits: (label: string) => boolean): Promise<void> {
    const focused = () =>
      page
        .locator(`${VIEW_ROW}.focused`)
        .evaluateAll((all: any[]) => all.map((row) => row.getAttribute('aria-label') as string));
    await press('Home');
    const passed: string[] = [];
    for (let steps = 0; steps < 200; steps++) {
      const [label] = await until('a row with the focus', async () =>
        (await focused()).length > 0 ? focused() : undefined,
      );
      if (label !== undefined && fits(label)) return;
      passed.push(label);
      await press('ArrowDown');
    }
    throw new Error(`No such row, but ${passed.join(' | ')}`);
  }

  async function chooseItemByKeys(expected: RegExp): Promise<void> {
    await waitForItem(expected);
    await focusItemByKeys((label) => expected.test(label));
    await press('Enter');
  }

  /** The rows of the list that a command opens, which stays open. */
  async function listOf(title: string): Promise<string[]> {
    await command(title);
    const rows = page.locator('.quick-input-list .monaco-list-row');
    await page.waitForSelector('.quick-input-list .monaco-list-row:not([aria-label*="commonly used"])');
    const labels = () => rows.evaluateAll((all: any[]) => all.map((row) => row.getAttribute('aria-label') as string));
    return until(
      `a list for "${title}"`,
      async () => {
        const found = await labels();
        return found.length > 0 && !found.some((label) => label.startsWith(title)) ? found : undefined;
      },
      labels,
    );
  }

  /** Goes to the definition of what stands at `text`, and waits for its file. */
  async function goToDefinition(text: string, file: string): Promise<void> {
    await goTo(text);
    await press('F12');
    await waitForFile(file);
  }

  /** Clicks with Ctrl on a name in an inlay hint, which leads to a file. */
  async function followHint(name: string, file: string): Promise<void> {
    const place = await until(`a hint with "${name}"`, () => page.evaluate(PLACE_OF_TEXT, name));
    await page.mouse.move(place.x - 1, place.y);
    await page.keyboard.down('Control');
    await page.mouse.move(place.x, place.y);
    // The name is a link once the editor has asked where it leads to.
    await until(`${file} to be shown`, async () => {
      await page.mouse.down();
      await page.mouse.up();
      return (await isShown(file)) || undefined;
    });
    await page.keyboard.up('Control');
    await waitForFile(file);
  }

  /** Waits until a file is shown that something else than its name led to. */
  async function waitForFile(file: string): Promise<void> {
    await page.waitForSelector(`${ACTIVE} .tab.active[data-resource-name="${path.basename(file)}"]`);
    current = file;
  }

  function isShown(file: string): Promise<boolean> {
    return page.locator(`${ACTIVE} .tab.active[data-resource-name="${path.basename(file)}"]`).isVisible();
  }

  /** Waits for text that is shown faded, in the part of the file that is on the screen. */
  async function waitForFaded(): Promise<void> {
    await page.waitForSelector(`${ACTIVE} [class*="squiggly-inline-unnecessary"]`, { state: 'attached' });
  }

  /** Moves the cursor to the first place of `text` in the current file, as it was saved last. */
  async function goTo(text: string): Promise<void> {
    const { line, column } = positionOf(text, saved());
    await quickPick('Control+KeyP', `:${line}:${column}`, (row) => row.includes(`line ${line} `));
    await page.waitForSelector(`${ACTIVE} .monaco-editor.focused`);
  }

  /** The text of the hover that the mouse over `text` brings up, once it contains `expected`. */
  async function hover(text: string, expected: string): Promise<string> {
    await goTo(text);
    await page.mouse.move(0, 0);
    const place = await until(`"${text}" on the screen`, () => page.evaluate(PLACE_OF_TEXT, text));
    await page.mouse.move(place.x, place.y);
    const read = () => page.locator('.monaco-resizable-hover .monaco-hover:not(.hidden)').allInnerTexts();
    return until(
      `a hover with "${expected}"`,
      async () => (await read()).find((shown) => shown.includes(expected)),
      read,
    );
  }

  /** Types as a person does, key by key, at the cursor. */
  async function type(typed: string): Promise<void> {
    await page.keyboard.type(typed);
  }

  /** The labels in the list of suggestions, once it is there and as expected. */
  async function suggestions(expected: (labels: string[]) => boolean): Promise<string[]> {
    const rows = page.locator('.suggest-widget.visible .monaco-list-row .label-name');
    const read = () => rows.allInnerTexts();
    return until(
      'suggestions as expected',
      async () => {
        const labels = await read();
        return expected(labels) ? labels : undefined;
      },
      read,
    );
  }

  /** The text of the help on arguments, with the current one in braces, once it is there. */
  async function parameterHelp(): Promise<string> {
    const signature = page.locator('.parameter-hints-widget.visible .signature');
    await signature.waitFor();
    const whole = await signature.innerText();
    const active = await page.locator('.parameter-hints-widget.visible .signature .parameter.active').allInnerTexts();
    return active.reduce((shown, part) => shown.replace(part, `{${part}}`), whole);
  }

  /** The titles of the quick fixes at the first place of `text`. The menu stays open. */
  async function quickFixes(text: string): Promise<string[]> {
    await goTo(text);
    const titles = page.locator('.action-widget .monaco-list-row.action .title');
    const refusal = page.locator('.monaco-editor-overlaymessage');
    // When new problems of the file arrive in the same moment, VS Code drops the key, or shows that
    // there are no actions.
    let pressed = 0;
    let presses = 0;
    return until(
      `the quick fixes at "${text}"`,
      async () => {
        const found = await titles.allInnerTexts();
        if (found.length > 0) return found;
        const [refused] = await refusal.allInnerTexts();
        if (refused !== undefined && presses >= MOST_PRESSES)
          throw new Error(`At "${text}" the editor says: ${refused}`);
        if (Date.now() - pressed < 5000) return undefined;
        await press('Control+Period');
        pressed = Date.now();
        presses++;
        return undefined;
      },
      () => refusal.allInnerTexts(),
    );
  }

  /** Takes the quick fix at `text` whose title starts with `title`, which changes the file. */
  async function takeQuickFix(text: string, title: string): Promise<void> {
    await save();
    await chooseQuickFix(text, title);
    await changed();
  }

  async function chooseQuickFix(text: string, title: string): Promise<void> {
    const titles = await quickFixes(text);
    const index = titles.findIndex((each) => each.startsWith(title));
    if (index < 0) throw new Error(`No quick fix "${title}" at "${text}", but: ${titles.join(' | ')}`);
    await page.mouse.move(1, 1); // Menus ignore clicks until the mouse has moved.
    await page.locator('.action-widget .monaco-list-row.action').nth(index).click();
  }

  /** Waits for a question in the list at the top of the window, and gives its title. */
  async function question(expected: RegExp): Promise<string> {
    const title = page.locator('.quick-input-widget:not([style*="display: none"]) .quick-input-title');
    const read = () => title.allInnerTexts();
    return until(`the question ${expected}`, async () => (await read()).find((shown) => expected.test(shown)), read);
  }

  /**
   * Answers it by the row whose label starts so, and waits until the question is gone or is another
   * one.
   */
  async function answer(label: string): Promise<void> {
    const title = page.locator('.quick-input-widget:not([style*="display: none"]) .quick-input-title');
    const [asked] = await title.allInnerTexts();
    await chooseRow(`the answer "${label}"`, (row) => withoutIcon(row).startsWith(label));
    await until(`the answer "${label}" to be taken`, async () =>
      (await title.allInnerTexts())[0] !== asked ? true : undefined,
    );
  }

  /** Of a list in which all rows are ticked, unticks those that fit. */
  async function untick(fits: (row: string) => boolean): Promise<void> {
    const rows = page.locator('.quick-input-list .monaco-list-row');
    const ticked = (): Promise<string[]> =>
      rows.evaluateAll((all: any[]) =>
        all
          .filter((row) => row.querySelector('[role="checkbox"], input[type="checkbox"]'))
          .filter((row) => {
            const box = row.querySelector('[role="checkbox"], input[type="checkbox"]');
            return box.checked === true || box.getAttribute('aria-checked') === 'true';
          })
          .map((row) => row.getAttribute('aria-label') as string),
      );
    await until('rows that are ticked', async () => ((await ticked()).length > 0 ? true : undefined), ticked);
    await until(
      'the rows to be unticked',
      async () => {
        const [next] = (await ticked()).filter(fits);
        if (next === undefined) return true;
        await page.mouse.move(640, 700);
        await page
          .locator(`.quick-input-list .monaco-list-row[aria-label=${JSON.stringify(next)}]`)
          .first()
          .click({ timeout: 2000 })
          .catch(() => undefined);
        return undefined;
      },
      ticked,
    );
  }

  /** Accepts the rows that are ticked, which brings up another question. */
  async function acceptTicked(expected: RegExp): Promise<void> {
    const title = page.locator('.quick-input-widget:not([style*="display: none"]) .quick-input-title');
    const isThere = async () => (await title.allInnerTexts()).some((shown) => expected.test(shown));
    await page.locator('.quick-input-widget .quick-input-box input').first().focus();
    await press('Enter');
    await until(
      `the question ${expected}`,
      async () => (await isThere()) || undefined,
      () => title.allInnerTexts(),
    );
  }

  /** Requests suggestions after the first place of `text`, until they are as expected. */
  async function suggestionsAt(text: string, expected: (labels: string[]) => boolean): Promise<string[]> {
    const rows = page.locator('.suggest-widget.visible .monaco-list-row .label-name');
    await goTo(text);
    return until(
      `suggestions at "${text}"`,
      async () => {
        await press('Escape');
        await press('Control+Space');
        for (let look = 0; look < 40; look++) {
          const labels = await rows.allInnerTexts();
          if (expected(labels)) return labels;
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
        return undefined;
      },
      () => rows.allInnerTexts(),
    );
  }

  /** Waits for a message, and returns its text. On failure, lists the messages so far. */
  async function message(expected: RegExp): Promise<string> {
    return until(
      `the message ${expected}`,
      async () => (await notifications()).find((shown) => expected.test(shown)),
      async () => ({ shown: await notifications(), before: await page.evaluate(MESSAGES_SO_FAR, undefined) }),
    );
  }

  /** Waits until no message is shown. */
  async function noMessages(): Promise<void> {
    await until('no message', async () => (await notifications()).length === 0 || undefined, notifications);
  }

  /** Takes an action of the message that is shown, which goes with it. */
  function messageAction(title: string): Promise<void> {
    return take(page.locator('.notification-toast .monaco-button'), title);
  }

  /** Takes an entry of the menu that is open, which goes with it. */
  function menuAction(title: string): Promise<void> {
    return take(page.locator('.monaco-menu .action-label'), title);
  }

  /**
   * Clicks the one of them that is so called until it is gone: messages move while others come and
   * go, and menus ignore clicks until the mouse has moved.
   */
  async function take(all: Locator, title: string): Promise<void> {
    await all.getByText(title).first().waitFor({ timeout: PATIENCE });
    await until(`"${title}" to be taken`, async () => {
      if (!(await all.allInnerTexts()).some((each) => each.trim().startsWith(title))) return true;
      await page.mouse.move(640, 1);
      await all
        .getByText(title)
        .first()
        .click({ timeout: 2000 })
        .catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 500));
      return undefined;
    });
  }

  /** The names of the files that a diff of several files shows. */
  async function filesInDiff(): Promise<string[]> {
    // Of entries that are drawn for later the first may be hidden.
    await page.waitForSelector('.multiDiffEntry .file-path', { state: 'attached' });
    const names = () => page.locator('.multiDiffEntry .file-path').allInnerTexts();
    // Headings are there before their names are.
    return until(
      'the names of the files',
      async () => ((await names()).some((name) => name.trim() !== '') ? names() : undefined),
      names,
    );
  }

  async function undo(): Promise<void> {
    await save();
    await page
      .locator(`${ACTIVE} .monaco-editor .native-edit-context, ${ACTIVE} .monaco-editor textarea`)
      .first()
      .focus();
    await press('Control+KeyZ');
    await changed();
  }

  /** Runs a command that changes the current file. */
  async function changeBy(title: string): Promise<void> {
    await save();
    await command(title);
    await changed();
  }

  async function changed(): Promise<void> {
    await page.waitForSelector(`${ACTIVE} .tab.active.dirty`);
  }

  /**
   * Saves the current file, changed or not, and waits until it is written: the editor empties a
   * file before it writes it.
   */
  async function save(): Promise<void> {
    const file = path.join(folder, current);
    const before = statSync(file, { bigint: true }).mtimeNs;
    await press('Control+KeyS');
    await until(`${current} to be saved`, async () => {
      const { mtimeNs, size } = statSync(file, { bigint: true });
      return (mtimeNs !== before && size > 0n) || undefined;
    });
    await page.waitForSelector(`${ACTIVE} .tab.active:not(.dirty)`);
  }

  /** The text of the current file as it was saved last. */
  function saved(): string {
    return readFileSync(path.join(folder, current), 'utf8');
  }

  /** The text of the current file, which is saved for it. */
  async function text(): Promise<string> {
    await save();
    return saved();
  }

  /**
   * Waits for a squiggle, of any severity if none is given, in the part of the file that is on the
   * screen.
   */
  async function waitForSquiggle(severity?: Severity): Promise<void> {
    await page.waitForSelector(`${ACTIVE} [class*="squiggly-${severity ?? ''}"]`, { state: 'attached' });
  }

  /** Waits until that part has none but hints. */
  async function waitForNoSquiggle(): Promise<void> {
    await page.waitForSelector(
      ['error', 'warning', 'info'].map((severity) => `${ACTIVE} [class*="squiggly-${severity}"]`).join(', '),
      { state: 'detached' },
    );
  }

  /**
   * What the problems panel, which is opened, shows of the files that a glob matches, once that is
   * as expected.
   */
  async function problems(glob: string, expected: (found: Problem[]) => boolean): Promise<Problem[]> {
    const row = '.markers-panel .monaco-list-row';
    if (!(await page.locator('.markers-panel').isVisible())) await press('Control+Shift+KeyM');
    await page.waitForSelector(`:is(${row}, .markers-panel .message-box-container:not([style*="display: none"]))`);
    await filterProblems(glob);
    const read = async () => toProblems(await page.locator(row).evaluateAll(ROWS_OF_PROBLEMS));
    return until(
      `problems as expected in ${glob}`,
      async () => {
        const found = await read();
        return expected(found) ? found : undefined;
      },
      read,
    );
  }

  /** Fills in the filter of the problems panel, again where it stays without effect. */
  async function filterProblems(glob: string): Promise<void> {
    const filter = page.locator('.viewpane-filter input').first();
    const shown = page.getByText(/^Showing \d+ of \d+$/).first();
    let filled = 0;
    await until(`the filter ${glob} of the problems panel`, async () => {
      if (filled > 0 && (glob === '' || (await shown.isVisible()))) return true;
      if (Date.now() - filled < 5000) return undefined;
      await filter.fill('');
      await filter.fill(glob);
      filled = Date.now();
      return undefined;
    });
  }

  /** The texts in the status bar; none while the window is loaded again. */
  function statusBar(): Promise<string[]> {
    return page
      .locator('.statusbar-item')
      .allInnerTexts()
      .catch(() => []);
  }

  async function waitForStatus(expected: RegExp): Promise<string> {
    return until(
      `${expected} in the status bar`,
      async () => (await statusBar()).find((item) => expected.test(item)),
      statusBar,
    );
  }

  /** The language mode of the current file. */
  function language(): Promise<string> {
    return page.locator('[id="status.editor.mode"]').innerText();
  }

  /** Waits until the status bar counts so many errors in all files. */
  async function waitForErrors(count: number): Promise<void> {
    const read = () => page.locator('[id="status.problems"]').innerText();
    await until(
      `${count} errors in the status bar`,
      async () => Number(/\d+/.exec(await read())?.[0]) === count || undefined,
      read,
    );
  }

  async function waitForLanguage(expected: RegExp): Promise<void> {
    await until(`the language ${expected}`, async () => expected.test(await language()) || undefined, language);
  }

  /** Clicks the name of a rule in the problems panel, which leads to the page of the rule. */
  async function followRule(rule: string): Promise<void> {
    await page.locator('.markers-panel .marker-code').getByText(rule).first().click();
  }

  /** Waits until the words of the visible lines are shown in at least so many colours. */
  async function waitForColours(count: number): Promise<void> {
    const words = page.locator(`${ACTIVE} .view-line span[class^="mtk"]`);
    const read = () =>
      words.evaluateAll((all: any[]) => all.map((word) => (globalThis as any).getComputedStyle(word).color as string));
    await until(`${count} colours`, async () => new Set(await read()).size >= count || undefined, read);
  }

  /** The texts of the messages that pop up. */
  function notifications(): Promise<string[]> {
    return page.locator('.notification-toast').allInnerTexts();
  }

  /** The labels of the items in the view that is open. */
  function items(): Promise<string[]> {
    return page
      .locator(VIEW_ROW)
      .evaluateAll((all: any[]) => all.map((row) => row.getAttribute('aria-label') as string));
  }

  /** Waits for an item of the view whose label fits, and gives its label. */
  function waitForItem(expected: RegExp): Promise<string> {
    return until(
      `an item ${expected}`,
      async () => (await items()).find((label) => label !== null && expected.test(label)),
      items,
    );
  }

  async function waitForNoItem(fits: (label: string) => boolean): Promise<void> {
    await until(
      'an item to go',
      async () => ((await items()).some((label) => label !== null && fits(label)) ? undefined : true),
      items,
    );
  }

  async function clickItem(expected: RegExp): Promise<void> {
    await waitForItem(expected);
    await clickRow((label) => expected.test(label));
  }

  /**
   * Clicks an item until the question that it opens is there, and returns its title: VS Code loses
   * a click while it draws the view again.
   */
  async function openItem(expected: RegExp, asked: RegExp): Promise<string> {
    const title = page.locator('.quick-input-widget:not([style*="display: none"]) .quick-input-title');
    let clicked = 0;
    return until(
      `the question ${asked} after a click on ${expected}`,
      async () => {
        const shown = (await title.allInnerTexts()).find((each) => asked.test(each));
        if (shown !== undefined) return shown;
        if (Date.now() - clicked < 20_000) return undefined;
        await clickItem(expected);
        clicked = Date.now();
        return undefined;
      },
      async () => [await title.allInnerTexts(), await notifications()],
    );
  }

  /** A button in the row of an item, which is there while the mouse is over it. */
  async function itemAction(expected: RegExp, title: string): Promise<void> {
    await waitForItem(expected);
    await clickRow((label) => expected.test(label), `.action-label[aria-label*=${JSON.stringify(title)}]`);
  }

  /**
   * Clicks a row of the view, or a part of it. The view draws another item into the same element
   * when its rows change: so the row is searched on the screen, and is clicked only when it is
   * under the mouse and keeps its place.
   */
  async function clickRow(fits: (label: string) => boolean, part = ''): Promise<void> {
    const look = async (): Promise<{ label: string; x: number; y: number } | undefined> => {
      const label = (await items()).find((each) => each !== null && fits(each));
      return label === undefined ? undefined : page.evaluate(PLACE_IN_ROW, { label, part });
    };
    await until(
      'a row to click',
      async () => {
        // The hover of what the mouse was over before may lie over the row.
        await page.mouse.move(640, 1);
        await page
          .locator('.context-view .monaco-hover')
          .first()
          .waitFor({ state: 'hidden', timeout: 5000 })
          .catch(() => undefined);
        const row = await look();
        if (!row) return undefined;
        await page.mouse.move(row.x, row.y);
        let place = row;
        for (let looks = 0; looks < 2; looks++) {
          await new Promise((resolve) => setTimeout(resolve, 50));
          const now = await look();
          if (!now) return undefined;
          // The mouse over the row shows its buttons.
          if (looks > 0 && JSON.stringify(now) !== JSON.stringify(place)) return undefined;
          if (JSON.stringify(now) !== JSON.stringify(place)) await page.mouse.move(now.x, now.y);
          place = now;
        }
        if ((await page.evaluate(ROW_AT, place)) !== place.label) return undefined;
        await page.mouse.down();
        await page.mouse.up();
        return true;
      },
      items,
    );
  }

  /** A button in the title of the view. */
  async function viewAction(title: string): Promise<void> {
    const action = page
      .locator(
        `.sidebar .composite.title .action-label[aria-label*=${JSON.stringify(title)}], .sidebar .pane-header .action-label[aria-label*=${JSON.stringify(title)}]`,
      )
      .first();
    // Others come and go beside it with what the plan says, and it moves.
    await action.waitFor();
    let [place, looks] = ['', 0];
    await until(`the action ${title} in its place`, async () => {
      const now = JSON.stringify(await action.boundingBox());
      looks = now === place ? looks + 1 : 0;
      place = now;
      return looks >= 4 || undefined;
    });
    await action.click();
  }

  /** What stands over the items of the view. */
  async function viewMessage(): Promise<string> {
    const shown = await page.locator('.tree-explorer-viewlet-tree-view .message').first().innerText();
    return shown.replaceAll('\u00a0', ' ');
  }

  async function waitForTheme(name: string): Promise<void> {
    await page.waitForSelector(`.monaco-workbench.${name}`);
  }

  async function waitForTab(expected: RegExp): Promise<void> {
    const labels = () => page.locator('.tab .label-name').allInnerTexts();
    await until(`a tab ${expected}`, async () => (await labels()).find((label) => expected.test(label)), labels);
  }

  async function resize(width: number, height: number): Promise<void> {
    await page.setViewportSize({ width, height });
  }

  /** The text of the extension's page, where the editor says what restricted mode switches off. */
  async function extensionPage(name: string): Promise<string> {
    await command('Extensions: Show Enabled Extensions');
    await page.locator(`.extensions-list .extension-list-item`).getByText(name).first().click();
    await page.waitForSelector('.extension-editor .header');
    return page.locator('.extension-editor').innerText();
  }

  return {
    page,
    press,
    openFile,
    openFileAt,
    waitForFolder,
    waitForFile,
    command,
    listOf,
    goTo,
    goToDefinition,
    followHint,
    hover,
    type,
    suggestions,
    parameterHelp,
    quickFixes,
    takeQuickFix,
    chooseQuickFix,
    question,
    answer,
    untick,
    acceptTicked,
    suggestionsAt,
    message,
    noMessages,
    messageAction,
    menuAction,
    filesInDiff,
    undo,
    changeBy,
    save,
    text,
    waitForSquiggle,
    waitForNoSquiggle,
    waitForFaded,
    problems,
    statusBar,
    waitForStatus,
    waitForErrors,
    language,
    waitForLanguage,
    followRule,
    waitForColours,
    notifications,
    extensionPage,
    commandByKeys,
    answerByKeys,
    chooseItemByKeys,
    boxes,
    tickByKeys,
    clickBox,
    heard,
    items,
    waitForItem,
    waitForNoItem,
    clickItem,
    openItem,
    itemAction,
    viewAction,
    viewMessage,
    waitForTheme,
    waitForTab,
    resize,
    until,
  };
}

/** What the tests need and cannot get, as a sentence, or undefined. */
async function whatIsMissing(vsix: string): Promise<string | undefined> {
  if (!existsSync(vsix)) return 'The editor tests need the packaged extension: npm run package';
  return isBrowserMissing();
}

/** Chromium, and what drives it, which comes with the editor. */
async function isBrowserMissing(): Promise<string | undefined> {
  const { findEditor, installEditor, missing } = await load<InstallModule>('install.mjs');
  if (missing(['chromium']).length > 0)
    return 'The editor tests need Chromium. On Debian or Ubuntu: apt-get install chromium';
  if (findEditor()) return undefined;
  const { HTTPD_UPGRADE_NO_EDITOR: reason } = process.env;
  if (reason) return reason;
  console.log('    Installing the editor (code-server; only this once, about a minute):');
  try {
    await installEditor((line) => console.log(`    ${line}`));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function packagedExtension(): string {
  return process.env.HTTPD_UPGRADE_VSIX ?? path.join(ROOT, 'httpd-upgrade.vsix');
}

/** Asks until there is an answer; in the end says what was there instead. */
async function until<T>(what: string, ask: () => Promise<T | undefined>, instead?: () => Promise<unknown>): Promise<T> {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== null) return answer;
    if (Date.now() > end) {
      const seen = instead ? `, but ${JSON.stringify(await instead())}` : '';
      throw new Error(`Waited in vain for ${what}${seen}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** What the row of a list says, without the name of its icon before it. */
function withoutIcon(row: string): string {
  return row.replace(/^\$\([\w-]+\) |^[\w-]+ {2}/, '');
}

/** One-based, as the editor counts. */
function positionOf(text: string, whole: string): { line: number; column: number } {
  const offset = whole.indexOf(text);
  if (offset < 0) throw new Error(`"${text}" is not in the file:\n${whole}`);
  const before = whole.slice(0, offset).split('\n');
  return { line: before.length, column: before[before.length - 1].length + 1 };
}

/**
 * Runs in the page: where the middle of the first visible `text` is. The editor shows blanks as
 * no-break spaces.
 */
const PLACE_OF_TEXT = (text: string): { x: number; y: number } | undefined => {
  const { document } = globalThis as any;
  for (const line of document.querySelectorAll('.editor-group-container.active .view-line')) {
    const walker = document.createTreeWalker(line, 4 /* text nodes */);
    const nodes: { node: any; start: number }[] = [];
    let shown = '';
    while (walker.nextNode()) {
      nodes.push({ node: walker.currentNode, start: shown.length });
      shown += walker.currentNode.data.replaceAll('\u00a0', ' ');
    }
    const middle = shown.indexOf(text) + Math.floor(text.length / 2);
    if (!shown.includes(text)) continue;
    const { node, start } = nodes.filter((each) => each.start <= middle).pop()!;
    const range = document.createRange();
    range.setStart(node, middle - start);
    range.setEnd(node, middle - start + 1);
    const box = range.getBoundingClientRect();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }
  return undefined;
};

/**
 * Runs in the page: the middle of the row of the view that is so labelled, or of a part of it (of
 * the row, where the part is shown only under the mouse).
 */
const PLACE_IN_ROW = ({ label, part }: { label: string; part: string }) => {
  const { document } = globalThis as any;
  const rows = [...document.querySelectorAll('.pane-body .monaco-list-row')];
  const row = rows.find((each: any) => each.getAttribute('aria-label') === label);
  row?.scrollIntoView({ block: 'nearest' });
  const box = row && middleOf(part === '' ? row : (row.querySelector(part) ?? row), row);
  return box && { label, ...box };

  function middleOf(element: any, instead: any): { x: number; y: number } {
    const { x, y, width, height } = element.getBoundingClientRect();
    return width === 0 && element !== instead ? middleOf(instead, instead) : { x: x + width / 2, y: y + height / 2 };
  }
};

/** Runs in the page: the label of the row at a place of the screen. */
const ROW_AT = ({ x, y }: { x: number; y: number }): string | undefined =>
  (globalThis as any).document.elementFromPoint(x, y)?.closest('.monaco-list-row')?.getAttribute('aria-label');

/**
 * Runs in every page of the editor: keeps what its messages say, because they go by themselves, and
 * when it was first shown.
 */
const KEEP_MESSAGES = (): void => {
  const { document, performance, MutationObserver } = globalThis as any;
  const kept = new Map<string, number>();
  (globalThis as any).messagesSoFar = kept;
  new MutationObserver(() => {
    for (const { innerText } of document.querySelectorAll('.notification-toast'))
      if (!kept.has(innerText)) kept.set(innerText, performance.now());
  }).observe(document, { subtree: true, childList: true, characterData: true });
};

/** Runs in the page. */
const ADDRESS = (): string => decodeURIComponent((globalThis as any).location.href as string);

/** Runs in the page. */
const MESSAGES_SO_FAR = (): string[] => [...((globalThis as any).messagesSoFar?.keys() ?? [])];

/**
 * Runs in the page: files are on the first level of the tree, their problems on the second, their
 * notes on the third.
 */
const ROWS_OF_PROBLEMS = (rows: any[]): { level: string; text: string }[] =>
  rows.map((row) => {
    const level = row.getAttribute('aria-level');
    const file = row.querySelector('.label-name');
    return { level, text: level === '1' && file ? file.textContent : row.innerText.replaceAll('\n', ' ') };
  });

function toProblems(rows: { level: string; text: string }[]): Problem[] {
  let file = '';
  return rows.flatMap(({ level, text }) => {
    if (level === '1') file = text;
    return level === '2' ? [{ file, text }] : [];
  });
}

const SETTINGS = {
  'editor.hover.delay': 100,
  'files.autoSave': 'off',
  'window.confirmBeforeClose': 'never',
  // One suite has it.
  'httpdUpgrade.invitation': false,
};

const CHROMIUM_ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The build makes `require` of an `import()` in the tests, and a module cannot be required. */
const importModule = new Function('address', 'return import(address)') as (address: string) => Promise<unknown>;

/**
 * The scripts are shared with `client/scripts/open.mjs`, so they are not transpiled: the tests load
 * them from the source.
 */
function load<Module>(name: string): Promise<Module> {
  return importModule(pathToFileURL(path.join(HERE, name)).href) as Promise<Module>;
}

interface InstallModule {
  findEditor(): string | undefined;
  installEditor(say: (line: string) => void): Promise<string>;
  missing(packages: string[]): string[];
  programOf(packageName: string): string;
}

interface ServerModule {
  startServer(options: Record<string, unknown>): Promise<{ url: string; stop(): Promise<void> }>;
  installExtensions(options: { editor: string; data: string; extensions: readonly string[] }): Promise<void>;
}

/**
 * The part of playwright-core that is used; its own types are only there where the editor is
 * installed.
 */
interface Playwright {
  chromium: { launch(options: { executablePath: string; args: string[] }): Promise<Browser> };
}

interface Browser {
  newPage(options: object): Promise<Page>;
  close(): Promise<void>;
}

interface Page {
  keyboard: {
    press(key: string): Promise<void>;
    type(text: string): Promise<void>;
    down(key: string): Promise<void>;
    up(key: string): Promise<void>;
  };
  mouse: { move(x: number, y: number): Promise<void>; down(): Promise<void>; up(): Promise<void> };
  on(event: 'console', listener: (message: { type(): string; text(): string }) => void): void;
  setDefaultTimeout(milliseconds: number): void;
  addInitScript(script: () => void): Promise<void>;
  goto(url: string): Promise<unknown>;
  locator(selector: string): Locator;
  getByText(text: RegExp): Locator;
  waitForSelector(selector: string, options?: { state: 'attached' | 'detached' }): Promise<unknown>;
  evaluate<Argument, Result>(run: (argument: Argument) => Result, argument: Argument): Promise<Result>;
  frames(): { evaluate<Result>(run: () => Result): Promise<Result> }[];
  screenshot(options: { path: string; animations?: 'disabled' }): Promise<unknown>;
  setViewportSize(size: { width: number; height: number }): Promise<void>;
}

interface Locator {
  allInnerTexts(): Promise<string[]>;
  boundingBox(): Promise<object | null>;
  click(options?: { timeout: number }): Promise<void>;
  fill(text: string): Promise<void>;
  evaluateAll<Result>(run: (elements: any[]) => Result): Promise<Result>;
  first(): Locator;
  focus(): Promise<void>;
  getByText(text: string): Locator;
  hover(options?: { timeout: number }): Promise<void>;
  locator(selector: string): Locator;
  innerText(): Promise<string>;
  inputValue(): Promise<string>;
  isVisible(): Promise<boolean>;
  nth(index: number): Locator;
  waitFor(options?: { state?: 'hidden'; timeout: number }): Promise<void>;
}
