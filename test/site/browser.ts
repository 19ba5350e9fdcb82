/**
 * The web site in a real Chromium: builds it as users do (`npm run site`), serves it on the
 * loopback interface, and drives its page by keys, the mouse and files.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Folder } from '../cli/run';
import { openChromiumFor } from '../editor/workbench';
import { repositoryRoot } from '../support/paths';

/** The part of a page of playwright-core that the suites use. */
export interface BrowserPage {
  on(
    event: 'console' | 'pageerror' | 'request',
    listener: (what: { text?(): string; url?(): string; message?: string }) => void,
  ): void;
  goto(url: string): Promise<unknown>;
  url(): string;
  title(): Promise<string>;
  evaluate<Result, Argument>(run: (given: Argument) => Result, given: Argument): Promise<Awaited<Result>>;
  evaluate<Result>(run: () => Result): Promise<Awaited<Result>>;
  waitForFunction<Argument>(run: (given: Argument) => unknown, given?: Argument, options?: object): Promise<unknown>;
  waitForEvent(event: 'download'): Promise<{ path(): Promise<string>; suggestedFilename(): string }>;
  waitForTimeout(milliseconds: number): Promise<void>;
  click(selector: string): Promise<void>;
  hover(selector: string): Promise<void>;
  check(selector: string, options?: object): Promise<void>;
  fill(selector: string, text: string): Promise<void>;
  selectOption(selector: string, value: string): Promise<unknown>;
  setInputFiles(selector: string, files: string | readonly object[]): Promise<void>;
  textContent(selector: string): Promise<string | null>;
  setViewportSize(size: { width: number; height: number }): Promise<void>;
  emulateMedia(options: object): Promise<void>;
  screenshot(options: object): Promise<unknown>;
  context(): {
    grantPermissions(names: readonly string[]): Promise<void>;
    newCDPSession(page: BrowserPage): Promise<{ send(method: string, given: object): Promise<unknown> }>;
  };
  keyboard: {
    press(key: string): Promise<void>;
    type(text: string): Promise<void>;
    insertText(text: string): Promise<void>;
  };
  close(): Promise<void>;
}

export type Site = Awaited<ReturnType<typeof openSite>>;
export type SitePage = Awaited<ReturnType<Site['open']>>;

export interface ShownProblem {
  readonly severity: string;
  readonly place: string;
  readonly consequence: string;
  readonly rule: string;
  readonly message: string;
}

/** A script of the page: the compiler has no types of a document here. */
declare const document: any;
declare const Worker: any;
declare const DataTransfer: any;
declare const DragEvent: any;
declare const ClipboardEvent: any;
declare const File: any;

const SCREENSHOTS = path.join(repositoryRoot, 'out', 'screenshots');

/** Builds and serves the site for a suite, in its `before` hook. */
export async function openSite(context: Mocha.Context) {
  const browser = await openChromiumFor<BrowserPage>(context);
  const folder = new Folder();
  const script = path.join(repositoryRoot, 'client/scripts/site.mjs');
  const server = spawn(process.execPath, [script, '--out', folder.at('site'), '--serve', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => server.kill());
  const url = await new Promise<string>((resolve, reject) => {
    let output = '';
    server.stdout.on('data', (data) => {
      output += data;
      const [address] = /http:\/\/127\.0\.0\.1:\d+\//.exec(output) ?? [];
      if (address) resolve(address);
    });
    server.once('exit', () => reject(new Error(`the site was not built:\n${output}`)));
  });
  return {
    url,
    folder: folder.at('site'),

    /** Opens a page of the site; by default the one with the editor, when it is ready. */
    async open(address = '', { width = 1280, height = 900, colorScheme = 'light' } = {}) {
      const page = await browser.newPage({ viewport: { width, height }, colorScheme, acceptDownloads: true });
      const opened = driver(page);
      await page.goto(url + address);
      if (/^(?:#|$)/.test(address)) await opened.checked(null);
      return opened;
    },

    async close(): Promise<void> {
      server.kill();
      await browser.close();
      folder.remove();
    },
  };
}

function driver(page: BrowserPage) {
  const errors: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => errors.push(message.text!()));
  page.on('pageerror', (error) => errors.push(error.message!));
  page.on('request', (request) => requests.push(request.url!()));
  const mark = () => page.evaluate(() => document.querySelector('#state').setAttribute('data-checked', 'old'));

  /** Does something, and waits until the page has checked its files afterwards. */
  async function checked(act: (() => Promise<unknown>) | null): Promise<void> {
    if (act) {
      await mark();
      await act();
    }
    await page.waitForFunction(() => /^\d+$/.test(document.querySelector('#state').getAttribute('data-checked')));
  }

  return {
    page,
    /** Messages of the console, and errors. */
    errors,
    /** The addresses of all requests since the page was opened. */
    requests,
    checked,

    async paste(text: string): Promise<void> {
      await page.click('#editor .cm-content');
      await page.keyboard.press('Control+a');
      await checked(() =>
        page.evaluate((given) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData('text/plain', given);
          document
            .querySelector('#editor .cm-content')
            .dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
        }, text),
      );
    },

    /** Writes down, from now on, what the page asks its worker. */
    countQuestions: (): Promise<void> =>
      page.evaluate(() => {
        const { postMessage } = Worker.prototype;
        const questions: string[] = [];
        document.questions = questions;
        Worker.prototype.postMessage = function post(message: { name: string }) {
          questions.push(message.name);
          return postMessage.call(this, message);
        };
      }),

    /** What it has asked since. */
    questions: (): Promise<readonly string[]> => page.evaluate(() => document.questions),

    /** Drops files of the disk, and folders with all in them, on the page. */
    async drop(...paths: readonly string[]): Promise<void> {
      const session = await page.context().newCDPSession(page);
      const data = { items: [], files: paths, dragOperationsMask: 1 };
      await checked(async () => {
        for (const type of ['dragEnter', 'dragOver', 'drop'])
          await session.send('Input.dispatchDragEvent', { type, x: 300, y: 400, data });
      });
    },

    /** Drops files that exist only in the page. */
    async dropTexts(files: Readonly<Record<string, string>>): Promise<void> {
      await checked(() =>
        page.evaluate((given) => {
          const dataTransfer = new DataTransfer();
          for (const [name, text] of Object.entries(given)) dataTransfer.items.add(new File([text], name));
          document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
        }, files),
      );
    },

    /** The file that the button gives: one file, or an archive of all. */
    async download(): Promise<Buffer> {
      const [file] = await Promise.all([page.waitForEvent('download'), page.click('#download')]);
      return readFileSync(await file.path());
    },

    problems: (): Promise<ShownProblem[]> =>
      page.evaluate(() =>
        [...document.querySelectorAll('#problems .problem')].map((each: any) => ({
          severity: each.querySelector('.severity').textContent,
          place: each.querySelector('.place').textContent,
          consequence: each.querySelector('.consequence').textContent,
          rule: each.querySelector('.rule').textContent,
          message: each.querySelector('.headline').textContent,
        })),
      ),

    /** The names of the files that are checked. */
    names: (): Promise<string[]> =>
      page.evaluate(() => [...document.querySelectorAll('#file option')].map((each: any) => each.value)),

    text: (selector: string): Promise<string> =>
      page.evaluate((given) => document.querySelector(given).innerText as string, selector),

    /** Units of width that are outside of the window. */
    overflow: (): Promise<number> =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),

    async screenshot(name: string): Promise<void> {
      mkdirSync(SCREENSHOTS, { recursive: true });
      await page.screenshot({
        path: path.join(SCREENSHOTS, `site-${name}.png`),
        fullPage: true,
        animations: 'disabled',
      });
    },
  };
}
