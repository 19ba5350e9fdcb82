/**
 * The question whether 2.4 is right to deny requests that Allow lines allow: asked if the server
 * runs 2.4, before a fix writes `Require all denied`.
 */
import assert from 'node:assert/strict';
import type { ConfigurationPlan, UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import { withFolder } from './run';

const HEAD = 'ServerRoot "/srv"\nListen 80\nServerName a\nDocumentRoot /srv/www\n';
const DENIED = '<Directory />\n    AllowOverride None\n    Require all denied\n</Directory>\n';
const OPEN = '<Directory /srv/www>\n    Order allow,deny\n    Allow from all\n</Directory>\n';
const LIMITED =
  '<Directory /srv/www/in>\n    Order deny,allow\n    Deny from all\n    Allow from 10.0.0.1\n</Directory>\n';

describe(
  'a section that 2.4 denies and Allow lines open',
  withFolder((folder) => {
    const write = (text: string) => folder().write('conf/httpd.conf', `${HEAD}${text}`);
    const plan = async (...args: string[]): Promise<ConfigurationPlan> => {
      const { out } = await folder().run(['plan', '--format', 'json', ...args, 'conf/httpd.conf']);
      return (JSON.parse(out) as UpgradePlan).configurations[0];
    };
    const fixed = async (...args: string[]): Promise<string> => {
      await folder().run(['fix', '--write', ...args, 'conf/httpd.conf']);
      return folder().text('conf/httpd.conf');
    };
    const asked = async (...args: string[]) =>
      (await plan(...args)).questions
        .filter(({ id }) => id === 'denied-now')
        .map(({ answers }) => answers.map(({ value, ready }) => `${value}:${ready}`).join(' '));

    for (const answer of [
      ['--source', '2.4'],
      ['--answer', 'running-version=2.4'],
    ])
      it(`is converted only after the answer: ${answer.join(' ')}`, async () => {
        write(`${DENIED}${OPEN}`);
        const before = folder().text('conf/httpd.conf');
        assert.deepEqual(await asked(...answer), ['denied:1 allowed:1 keep:0']);
        assert.equal(await fixed(...answer), before);
        assert.match(await fixed(...answer, '--answer', 'denied-now=denied'), /www>\n {4}Require all denied\n/);
        write(`${DENIED}${OPEN}`);
        assert.match(await fixed(...answer, '--answer', 'denied-now=allowed'), /www>\n {4}Require all granted\n/);
      });

    it('says what 2.4 does, and which line to write if that is a mistake', async () => {
      write(`${DENIED}${OPEN}`);
      const { out } = await folder().run(['plan', '--source', '2.4', 'conf/httpd.conf']);
      const words = out.replace(/\s+/g, ' ');
      assert.match(words, /httpd 2\.4 denies all requests in <Directory \/srv\/www>, although the Allow lines there/);
      assert.match(words, /No, it is a mistake: [^.]*Require all granted/);
      assert.match(words, /Questions: 1 /);
    });

    it('writes the addresses of the Allow lines, and keeps all other sections as 2.4 decides them', async () => {
      write(`${DENIED}${LIMITED}<Directory /srv/other>\n    Order allow,deny\n</Directory>\n`);
      const text = await fixed('--source', '2.4', '--answer', 'denied-now=allowed');
      assert.match(text, /in>\n {4}Require ip 10\.0\.0\.1\n/);
      assert.match(text, /other>\n {4}Require all denied\n/);
    });

    it('opens also the sections that inherit the new lines, and none beside them', async () => {
      write(`${DENIED}${OPEN}<Directory /srv/www/x>\n    Order deny,allow\n    Deny from 10.0.0.1\n</Directory>\n`);
      const text = await fixed('--source', '2.4', '--answer', 'denied-now=allowed');
      assert.match(text, /x>\n {4}<RequireAll>\n {8}Require all granted\n {8}Require not ip 10\.0\.0\.1\n/);
      assert.match(text, /<Directory \/>\n {4}AllowOverride None\n {4}Require all denied\n/);
    });

    it('is not asked where 2.4 lets the requests in, and for 2.2', async () => {
      write(`<Directory />\n    Require all granted\n</Directory>\n${OPEN}`);
      assert.deepEqual(await asked('--source', '2.4'), []);
      write(`<Directory />\n    Order deny,allow\n    Deny from all\n</Directory>\n${OPEN}`);
      assert.deepEqual(await asked(), []);
      assert.deepEqual(await asked('--source', '2.4'), []);
    });
  }),
);
