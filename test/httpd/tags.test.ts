/** Random tags: we accept a text exactly if the server does. */
import assert from 'node:assert/strict';
import { Random } from '../support/random';
import { fileContext } from '../support/file-context';
import { configTest, requireHttpd } from './harness';
import { ourErrors } from './verdict';

const COUNT = 240;
const MODULES = ['authz_core', 'macro'];
const LINES = [
  '<Directory /a>',
  '<Directory /b',
  '</Directory>',
  '</Directory>',
  '</Directory >',
  '</directory> # end',
  '<Files c>',
  '</Files>',
  '</Files>',
  '<IfModule core.c>',
  '<IfModule nope.c>',
  '</IfModule>',
  '</IfModule>',
  '</IfModule>',
  '</IfModule> #',
  '<IfDefine NOPE>',
  '</IfDefine>',
  '<VirtualHost *:80>',
  '</VirtualHost>',
  '</VirtualHost>',
  '<If "true">',
  '</If>',
  'ServerAdmin a',
  'Options None',
  '# </If>',
];

describe('random tags on a real httpd', function () {
  this.timeout(300_000);

  before(function () {
    requireHttpd(this);
  });

  it('are refused where we say so, and nowhere else', async () => {
    const start = Number(process.env.HTTPD_UPGRADE_SEED ?? 1);
    const around = fileContext({
      modules: ['core', 'mod_so', 'mod_authz_core', 'mod_macro', 'event', 'mod_unixd'],
      defines: new Set(),
    });
    await Promise.all(
      Array.from({ length: COUNT }, async (_, index) => {
        const random = new Random(start + index);
        const text = Array.from({ length: 2 + random.below(6) }, () => random.pick(LINES)).join('\n') + '\n';
        const { ok, stderr } = await configTest(text, { modules: MODULES });
        const ours = ourErrors(text, { fileContext: around });
        assert.equal(
          ours.length === 0,
          ok,
          `HTTPD_UPGRADE_SEED=${start + index}\n${text}the server: ${stderr}ours: ${JSON.stringify(ours)}`,
        );
      }),
    );
  });
});
