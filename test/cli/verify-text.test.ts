/** The text of `verify`: which errors come first, and what is written about open steps. */
import assert from 'node:assert/strict';
import type { Terminal } from '../../server/src/cli/terminal';
import { verdictText, type Verdict } from '../../server/src/cli/verify';

const STEP = { id: 'debian-modules', title: 'Enable modules', commands: ['a2enmod mpm_prefork alias'] };

describe('the text of verify', () => {
  it('shows errors without an open step first, each step once, and the module of a directive', () => {
    const problem = (line: number, message: string, step?: typeof STEP) => ({
      file: 'apache2.conf',
      line,
      code: null,
      message,
      ...(step && { step }),
    });
    const verdict: Verdict = {
      version: 1,
      httpd: { program: 'httpd', version: '2.4.62' },
      root: 'apache2.conf',
      files: 1,
      way: 'copy',
      claimsPlace: false,
      ok: false,
      accepted: false,
      problems: [
        problem(0, 'Alias', STEP),
        problem(1, "Invalid command 'MonoApplications', perhaps misspelled"),
        problem(2, 'ScriptAlias', STEP),
      ],
      warnings: [],
      unchecked: [],
      unread: null,
      templates: [],
      assumedModules: [],
      neededModules: [],
    };
    const text = verdictText(verdict, () => null, {
      terminal: { style: (_: string, each: string) => each } as unknown as Terminal,
      argumentsToRepeat: 'apache2.conf',
    });
    assert.deepEqual(text.split('\n').slice(0, 6), [
      "apache2.conf:2: error: Invalid command 'MonoApplications', perhaps misspelled",
      '    It belongs to mod_mono, which is not loaded. Install mod_mono in a version',
      '    for 2.4 and load it with LoadModule, or remove the line.',
      'open step on the server: a2enmod mpm_prefork alias',
      'apache2.conf:1: error: Alias',
      'apache2.conf:3: error: ScriptAlias',
    ]);
  });

  const textOf = (unread: Verdict['unread'], ok = true) =>
    verdictText(
      {
        version: 1,
        httpd: { program: 'httpd', version: '2.4.62' },
        root: 'httpd.conf',
        files: 1,
        way: 'in-place',
        claimsPlace: false,
        ok,
        accepted: false,
        problems: [],
        warnings: [],
        unchecked: [],
        unread,
        templates: [],
        assumedModules: [],
        neededModules: [],
      },
      () => null,
      {
        terminal: { style: (_: string, each: string) => each } as unknown as Terminal,
        argumentsToRepeat: 'httpd.conf',
      },
    ).split('\n');

  it('says which lines httpd did not read, and how it reads them', () => {
    const text = textOf({
      lines: 5,
      virtualHosts: 1,
      conditions: ['DEFAULT_VHOST', 'SSL', 'PHP5', 'INFO'],
      names: ['DEFAULT_VHOST', 'SSL', 'PHP5', 'INFO'],
      isKnown: false,
    });
    assert.deepEqual(text.slice(1, 12), [
      'httpd reports no error in the lines that it read.',
      'It did not read 5 lines in `<IfDefine DEFAULT_VHOST>`, `<IfDefine SSL>` and 2',
      'more (1 virtual host), because it started without these names (-D).',
      'If the server starts with them, run this with its names, for example:',
      '  httpd-upgrade verify -D DEFAULT_VHOST -D SSL -D PHP5 httpd.conf',
      'All names: DEFAULT_VHOST, SSL, PHP5, INFO. The names are in APACHE_ARGUMENTS in',
      '/etc/apache2/envvars (Debian), APACHE2_OPTS in /etc/conf.d/apache2 (Gentoo),',
      'OPTIONS in /etc/sysconfig/httpd (Red Hat) or APACHE_SERVER_FLAGS in',
      '/etc/sysconfig/apache2 (SUSE). If the server never starts with one of them, add',
      '--answer define:NAME=off.',
      'Not tested: .htaccess files, ports, certificates and logs. Only the running 2.4',
    ]);
  });

  it('is short if it is known with which names the server starts', () => {
    const text = textOf({ lines: 2, virtualHosts: 0, conditions: ['SSL'], names: ['SSL'], isKnown: true });
    assert.deepEqual(text.slice(1, 5), [
      'httpd reports no error in the lines that it read.',
      'It did not read 2 lines in `<IfDefine SSL>`, because it started without this',
      'name (-D). If the server starts with it, add -D SSL.',
      'Not tested: .htaccess files, ports, certificates and logs. Only the running 2.4',
    ]);
  });

  it('advises no name for lines that a name hides', () => {
    const text = textOf({ lines: 1, virtualHosts: 0, conditions: ['!SSL'], names: [], isKnown: true });
    assert.deepEqual(text.slice(1, 5), [
      'httpd reports no error in the lines that it read.',
      'It did not read 1 line in `<IfDefine !SSL>`, because of the names (-D) with',
      'which it started.',
      'Not tested: .htaccess files, ports, certificates and logs. Only the running 2.4',
    ]);
  });
});
