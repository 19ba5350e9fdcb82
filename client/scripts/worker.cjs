// Loaded by each worker of mocha (client/scripts/test.mjs).
//
// HTTPD_UPGRADE_SECONDS=FILE: the cost of each test file, one JSON line a file: processor seconds
// of its own and of the programs that it ran and waited for, or that continue for the next file
// (test/support/warm.ts), and elapsed seconds. Only Linux reports the times of ended programs.
const { appendFileSync, existsSync, readdirSync, readFileSync } = require('node:fs');
const path = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

/**
 * Bytes. To start a program the kernel copies the tables of all memory that the worker has: 40 ms
 * for 500 MB, and there are thousands of programs. So no garbage is kept.
 */
const MOST = 200e6;
/** Seconds: a tick of the clock of processes. */
const TICK = 0.01;
const { HTTPD_UPGRADE_SECONDS: report } = process.env;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
let before = { cpu: 0, wall: Date.now() - process.uptime() * 1000 };

if (process.env.UPDATE === '1') require(path.resolve('out/test/support/update.js'));

exports.mochaHooks = {
  afterAll() {
    if (process.memoryUsage.rss() > MOST) collect();
    if (!report || !existsSync('/proc/self/stat')) return;
    const file = this.test.parent.suites[0]?.file ?? this.test.parent.tests[0]?.file ?? '';
    const now = { cpu: cpuSeconds(), wall: Date.now() };
    appendFileSync(
      report,
      `${JSON.stringify({
        file: path.relative('out/test', file).split(path.sep).join('/').replace('.test.js', ''),
        cpu: rounded(now.cpu - before.cpu),
        wall: rounded((now.wall - before.wall) / 1000),
      })}\n`,
    );
    before = now;
  },
};

function cpuSeconds(id = 'self') {
  try {
    const fields = readFileSync(`/proc/${id}/stat`, 'utf8')
      .replace(/^[^]*\) /, '')
      .split(' ');
    const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK;
    return childrenOf(id).reduce((sum, child) => sum + cpuSeconds(child), own);
  } catch {
    // It has ended in the meantime.
    return 0;
  }
}

function childrenOf(id) {
  return readdirSync(`/proc/${id}/task`).flatMap((thread) =>
    readFileSync(`/proc/${id}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
  );
}

function rounded(seconds) {
  return Math.round(seconds * 100) / 100;
}
