/** Boxes of tasks on the server that are clicked faster than the view shows the first click. */
import assert from 'node:assert/strict';
import { DEBIAN60 } from '../support/server-trees';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { folderWith, openWorkbenchFor, type Workbench } from './workbench';

describe('boxes that are clicked one after another', () => {
  let workbench: Workbench;

  before(async function () {
    const root = folderWith(DEBIAN60.files);
    for (const [link, target] of Object.entries(DEBIAN60.links)) {
      mkdirSync(path.dirname(path.join(root, link)), { recursive: true });
      symlinkSync(target, path.join(root, link));
    }
    workbench = await openWorkbenchFor(this, { name: 'ticks', folder: path.join(root, 'apache2') });
    await workbench.waitForStatus(/httpd 2\.2 → 2\.4 · \d+ blocking/);
    await workbench.commandByKeys('httpd-upgrade: Plan the Upgrade');
    await workbench.waitForItem(/^On the server, \d+/);
    await workbench.clickItem(/^On the server, /);
    await workbench.until('boxes', async () => (await workbench.boxes()).length >= 6 || undefined);
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  /** Clicks the middle of the boxes, so many milliseconds apart. */
  async function clickAll(labels: readonly string[], apart: number): Promise<void> {
    const { mouse } = workbench.page;
    for (const { x, y } of await workbench.page.evaluate(PLACES_OF_BOXES, labels)) {
      await mouse.move(x, y);
      await mouse.down();
      await mouse.up();
      await new Promise((resolve) => setTimeout(resolve, apart));
    }
  }

  for (const apart of [30, 100, 205, 420])
    it(`all hold when the clicks are ${apart} ms apart`, async () => {
      const chosen = (await workbench.boxes()).slice(0, 6);
      assert.equal(chosen.length, 6);
      const isTicked = !chosen[0]!.isTicked;
      const labels = chosen.map(({ label }) => label);
      await clickAll(labels, apart);
      const count = (await workbench.boxes()).length;
      await workbench.waitForItem(isTicked ? /^On the server, 6 of \d+ done/ : /^On the server, \d+$/);
      // A plan of the server for what the tasks change comes later.
      await new Promise((resolve) => setTimeout(resolve, 3000));
      const now = await workbench.boxes();
      assert.equal(now.length, count);
      assert.deepEqual(
        now.filter(({ label }) => labels.includes(label)).map((each) => each.isTicked),
        labels.map(() => isTicked),
      );
    });
});

/** Runs in the page: the middle of the box in each of these rows. */
const PLACES_OF_BOXES = (labels: readonly string[]): { x: number; y: number }[] => {
  const rows: any[] = [...(globalThis as any).document.querySelectorAll('.pane-body .monaco-list-row')];
  return labels.map((label) => {
    const row = rows.find((each) => each.getAttribute('aria-label') === label);
    const { x, y, width, height } = row.querySelector('.monaco-custom-toggle').getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2 };
  });
};
