/** load-module-twice, and fixes of configuration rules for lines that a macro brings in. */
import assert from 'node:assert/strict';
import { fixedFiles, listed, type Files } from '../support/configurations';

const load = (...names: string[]) => names.map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`).join('');
const ROOT = '/etc/httpd/conf/httpd.conf';
const BASE = '/etc/httpd/conf.modules.d/00-base.conf';
const main = (text: string) => `ServerRoot "/etc/httpd"\nIncludeOptional conf.modules.d/*.conf\n${text}`;
const USUAL = load('authz_core', 'authz_host', 'dir', 'mime', 'alias', 'unixd', 'mpm_event');

describe('load-module-twice', () => {
  it('is safe in the main file alone: another server may read a file that is included, and not the one with the first line', () => {
    const files = (text: string, included: string): Files => ({
      [ROOT]: main(`${text}Include conf.d/mods.conf\n`),
      [BASE]: USUAL,
      '/etc/httpd/conf.d/mods.conf': included,
    });
    assert.deepEqual(listed(files(load('dir'), ''), { rule: 'load-module-twice' }), [
      `${ROOT}:3: warning load-module-twice/twice safe`,
    ]);
    assert.deepEqual(listed(files('', load('dir')), { rule: 'load-module-twice' }), [
      '/etc/httpd/conf.d/mods.conf:1: warning load-module-twice/twice suggestion',
    ]);
  });

  for (const [name, text] of Object.entries({
    'a module that is loaded':
      '<Macro Module $name>\nLoadModule $name_module modules/mod_$name.so\n</Macro>\nUse Module dir\nUse Module info\n',
    'modules in the wrong order':
      '<Macro Modules $first $second>\nLoadModule $second_module modules/mod_$second.so\nLoadModule $first_module modules/mod_$first.so\n</Macro>\nUse Modules proxy proxy_http\n',
    'a module that another one has to follow':
      '<IfDefine !X>\n<Macro Module $name>\nLoadModule $name_module modules/mod_$name.so\n</Macro>\n</IfDefine>\nUse Module proxy_connection_pool_of_ours\nUse Module slotmem_shm\nAllowCONNECT 443\n',
    'a pattern that no file matches': '<Macro Read $how>\n$how conf.d/none-*.conf\n</Macro>\nUse Read Include\n',
  }))
    it(`the text of a macro stays: ${name}`, () => {
      for (const unsafe of [false, true]) {
        const files = {
          [ROOT]: main(`LoadModule macro_module modules/mod_macro.so\n${text}`),
          [BASE]: USUAL,
          '/etc/httpd/conf.d/README': '',
        };
        const fixed = fixedFiles(files, { unsafe })[ROOT];
        const macro = /<Macro[^]*<\/Macro>\n/.exec(text)![0];
        assert.ok(fixed.includes(macro), fixed);
      }
    });
});
