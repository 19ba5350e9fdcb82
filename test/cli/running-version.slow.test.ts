/**
 * The question which version the server runs now: asked if lines show 2.4, and settled by one
 * answer in every command.
 */
import assert from 'node:assert/strict';
import type { ConfigurationPlan, UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import { withFolder } from './run';

const SET =
  'Options None\nTimeout 60\nEnableSendfile Off\nFileETag None\nLimitRequestBody 0\nMaxRequestsPerChild 0\nMaxMemFree 0\n';
const HEAD = `ServerRoot "/srv"\nListen 80\nServerName a\n${SET}`;
const DENIED = '<Directory />\n    AllowOverride None\n    Order deny,allow\n    Deny from all\n</Directory>\n';
const ANY = '<Directory /srv/www>\n    Order deny,allow\n    Deny from all\n    Satisfy Any\n</Directory>\n';
const OPEN = '<Directory /srv/www>\n    Order allow,deny\n    Allow from all\n</Directory>\n';
/** `fix` converts <Location />. The other sections stay, because of the pattern with a $. */
const PARTLY = `${OPEN}<DirectoryMatch /a$>
    Order allow,deny
    Allow from all
    Deny from 192.0.2.7
</DirectoryMatch>
<Location />
    Order deny,allow
    Deny from all
</Location>
`;
const NEW = '<Directory /srv/www/new>\n    Require all granted\n</Directory>\n';

describe(
  'which version the server runs now',
  withFolder((folder) => {
    const write = (text: string) => folder().write('conf/httpd.conf', `${HEAD}${text}`);
    const plan = async (...args: string[]): Promise<ConfigurationPlan> => {
      const { out, code, err } = await folder().run(['plan', '--format', 'json', ...args, 'conf/httpd.conf']);
      assert.equal(code, 0, err);
      assert.equal(err.includes('is not needed'), false, err);
      return (JSON.parse(out) as UpgradePlan).configurations[0];
    };
    const questions = async (...args: string[]) =>
      (await plan(...args)).questions
        .filter(({ id }) => id !== 'modules' && id !== 'mpm')
        .map(({ id, answers }) => `${id} ${answers.map(({ value, ready }) => `${value}:${ready}`).join(' ')}`);
    const fixed = async (...args: string[]): Promise<string> => {
      await folder().run(['fix', '--write', ...args, 'conf/httpd.conf']);
      return folder().text('conf/httpd.conf');
    };

    it('is asked where a line is of 2.4 and Satisfy or a login is among the old ones', async () => {
      write(`Define X\n${DENIED}${ANY}`);
      assert.deepEqual(await questions(), ['running-version 2.4:2 2.2:2 keep:0']);
      assert.deepEqual((await plan()).questions.find(({ id }) => id === 'running-version')!.places, [
        { file: 'conf/httpd.conf', line: 10 },
      ]);
      write(`Define X\n${DENIED}${OPEN}`);
      assert.deepEqual(await questions(), []);
      write(`${DENIED}${ANY}`);
      assert.deepEqual(await questions(), []);
    });

    it('keeps by its answer what the one or the other version decides', async () => {
      write(`Define X\n${DENIED}${ANY}`);
      assert.doesNotMatch(await fixed('--answer', 'running-version=keep'), /Require/);
      assert.doesNotMatch(await fixed(), /Require/);
      assert.match(await fixed('--answer', 'running-version=2.2'), /www>\n    Require all denied/);
      write(`Define X\n${DENIED}${ANY}`);
      assert.match(await fixed('--answer', 'running-version=2.4'), /www>\n    Require all granted/);
    });

    it('with --source 2.4, nothing compares with the defaults and the reading of 2.2', async () => {
      folder().write(
        'conf/httpd.conf',
        `Define X\n${HEAD.replace('Timeout 60\n', '')}ProxyPass /a/b !\nProxyPass /a http://127.0.0.1/\n${DENIED}`,
      );
      const { out } = await folder().run(['check', '--source', '2.4', 'conf/httpd.conf']);
      assert.doesNotMatch(out, /changed-defaults|2\.2 (?:ignored|had|sent|used)/);
      assert.match((await folder().run(['check', 'conf/httpd.conf'])).out, /changed-defaults/);
      assert.deepEqual(
        (await questions('--source', '2.4')).filter((row) => row.startsWith('defaults')),
        [],
      );
    });

    it('comes before the new defaults, which a server that runs 2.4 already has', async () => {
      folder().write('conf/httpd.conf', `Define X\n${HEAD.replace('Timeout 60\n', '')}${DENIED}${ANY}`);
      const ids = async (...args: string[]) => (await questions(...args)).map((row) => row.split(' ')[0]);
      assert.deepEqual(await ids(), ['running-version', 'defaults']);
      assert.deepEqual(await ids('--answer', 'running-version=2.2'), ['running-version', 'defaults']);
      assert.deepEqual(await ids('--answer', 'running-version=2.4'), ['running-version']);
    });

    it('is answered in .httpd-upgrade.json, too', async () => {
      write(`Define X\n${DENIED}${ANY}`);
      folder().write('.httpd-upgrade.json', '{ "answers": { "running-version": "2.4" } }');
      const { ready } = await plan();
      assert.deepEqual(
        ready.filter(({ rule }) => rule === 'order-allow-deny').map(({ restsOn }) => restsOn),
        [['running-version'], ['running-version']],
      );
      assert.match(await fixed(), /www>\n    Require all granted/);
    });

    it('is the question of a tree that is converted in part, which only a server of 2.4 explains', async () => {
      write(`${DENIED}${OPEN}${NEW}`);
      assert.deepEqual(await questions(), ['running-version 2.4:2 2.2:0 keep:0']);
      assert.deepEqual(await questions('--answer', 'running-version=2.2'), ['running-version 2.4:0 2.2:0 keep:0']);
      const text = await fixed('--answer', 'running-version=2.2');
      assert.match(text, /Allow from all/);
      assert.doesNotMatch(await fixed('--answer', 'running-version=2.4'), /Order|Deny from|Allow from/);
    });

    it('is not asked of a tree that fix converted in part', async () => {
      const text =
        '<Directory /srv/x>\n    Deny from al\n</Directory>\n' +
        '<LocationMatch ^/a/x>\n    Order allow,deny\n    Allow from all\n    Deny from 192.0.2.7\n</LocationMatch>\n' +
        '<Location /a>\n    Require user x\n</Location>\n';
      write(text);
      const overlap = 'overlap:<LocationMatch ^/a/x> and <Location /a>';
      assert.deepEqual(await questions(), [`${overlap} never-meet:1 meet:0`]);
      assert.match(await fixed(), /Require not host al\n[^]*Deny from 192\.0\.2\.7/);
      assert.deepEqual(await questions(), [`${overlap} never-meet:1 meet:0`]);
      assert.doesNotMatch(await fixed('--answer', `${overlap}=never-meet`), /Deny from|Allow from/);
    });

    it('is not in the reasons of a tree that fix converted in part', async () => {
      write(PARTLY);
      const text = async () => (await folder().run(['plan', 'conf/httpd.conf'])).out.replace(/\s+/g, ' ');
      await fixed();
      assert.match(folder().text('conf/httpd.conf'), /Require/);
      assert.match(await text(), /write Require lines in place of .* is already converted/s);
      assert.doesNotMatch(await text(), /runs 2\.4|running-version/);
    });

    it('is not asked where --source says it', async () => {
      write(`Define X\n${DENIED}${ANY}`);
      assert.deepEqual(await questions('--source', '2.4'), []);
      assert.match(await fixed('--source', '2.4'), /www>\n    Require all granted/);
    });

    it('is asked of a file by itself', async () => {
      folder().write('a.conf', `Protocols http/1.1\n${ANY}`);
      const asked = async (...args: string[]) => {
        const { out } = await folder().run(['plan', '--format', 'json', ...args, 'a.conf']);
        const { configurations } = JSON.parse(out) as UpgradePlan;
        return configurations.flatMap((each) => each.questions.map(({ id }) => id));
      };
      assert.deepEqual(await asked(), ['outside-unseen:.']);
      assert.deepEqual(await asked('--assume-standalone'), ['running-version']);
      await folder().run(['fix', '--write', '--assume-standalone', 'a.conf']);
      assert.match(folder().text('a.conf'), /Satisfy Any/);
      await folder().run(['fix', '--write', '--assume-standalone', '--answer', 'running-version=2.4', 'a.conf']);
      assert.match(folder().text('a.conf'), /Require all granted/);
    });

    it('is asked of a file by itself about no other file, and both answers are needed', async () => {
      folder().write('b.conf', `<Directory /srv/www>\n    Order deny,allow\n    Require all granted\n</Directory>\n`);
      const run = async (...args: string[]) => {
        const { out, err } = await folder().run(['plan', '--format', 'json', ...args, 'b.conf']);
        assert.equal(err, '');
        return (JSON.parse(out) as UpgradePlan).configurations[0];
      };
      const outside = ['--answer', 'outside-unseen:.=none'];
      const { questions: asked } = await run(...outside);
      assert.deepEqual(
        asked.map(({ id, places }) => ({ id, places })),
        [
          { id: 'running-version', places: [{ file: 'b.conf', line: 1 }] },
          { id: 'outside-unseen:.', places: [] },
        ],
      );
      const { ready } = await run(...outside, '--answer', 'running-version=2.4');
      assert.deepEqual(
        ready.map(({ rule, restsOn }) => `${rule} ${restsOn.join(' ')}`),
        ['order-allow-deny outside-unseen:. running-version'],
      );
    });

    it('is asked of a file by itself whose sections of both versions meet', async () => {
      folder().write('lone.conf', `<Directory /srv>\n    Require all granted\n</Directory>\n${OPEN}`);
      const { out } = await folder().run([
        'plan',
        '--answer',
        'outside-unseen:.=none',
        '--format',
        'json',
        'lone.conf',
      ]);
      const [{ questions: asked }] = (JSON.parse(out) as UpgradePlan).configurations;
      assert.deepEqual(
        asked.map(({ id, answers: [first] }) => `${id} ${first!.value}:${first!.ready}`),
        ['running-version 2.4:1', 'outside-unseen:. none:0'],
      );
      const answers = ['--answer', 'outside-unseen:.=none', '--answer', 'running-version=2.4'];
      await folder().run(['fix', '--write', ...answers, 'lone.conf']);
      assert.equal(
        folder().text('lone.conf'),
        '<Directory /srv>\n    Require all granted\n</Directory>\n<Directory /srv/www>\n    Require all granted\n</Directory>\n',
      );
    });

    it('is not asked where the new lines are right for both versions', async () => {
      const login = 'AuthType Basic\nAuthName a\nAuthUserFile /srv/users\nRequire valid-user\n';
      const hosts = 'Order deny,allow\nDeny from env=WRITES\n';
      folder().write(
        'lone.conf',
        `<Files backend>\n${login}${hosts}Satisfy any\n</Files>\n<Directory /srv>\nRequire all granted\n</Directory>\n`,
      );
      const mixed = folder().text('lone.conf');
      for (const answer of [[], ['--answer', 'running-version=2.2']]) {
        folder().write('lone.conf', mixed);
        await folder().run(['fix', '--write', '--assume-standalone', ...answer, 'lone.conf']);
        assert.match(folder().text('lone.conf'), /Require valid-user\n<RequireAll>/);
      }
      write(`Define X\n<Location />\n${login}Order allow,deny\nAllow from all\n</Location>\n`);
      assert.deepEqual(await questions(), []);
      assert.doesNotMatch(await fixed(), /Order/);
      // Both versions differ: 2.2 knows no such Require line, and refuses all requests.
      write(`Define X\n<Directory /srv/www>\nRequire all granted\n</Directory>\n<Location />\n${hosts}</Location>\n`);
      assert.deepEqual(await questions(), ['running-version 2.4:1 2.2:0 keep:0']);
      assert.match(await fixed(), /Order/);
    });

    it('is asked where fixes of other rules wrote lines of 2.4, and the answer 2.2 gives what the first run had', async () => {
      const old = [
        'Include conf/none*.d',
        'SSLMutex sem',
        'LockFile logs/accept.lock',
        'MaxClients 20',
        'RewriteLogLevel 0',
        'SSLCARevocationFile /srv/crl',
      ];
      write(`${old.join('\n')}\n${DENIED}${ANY}`);
      folder().write('.httpd-upgrade.json', '{ "severity": { "order-allow-deny": "off" } }');
      const half = await fixed('--unsafe');
      assert.match(half, /IncludeOptional/);
      assert.match(half, /Satisfy Any/);
      folder().write('.httpd-upgrade.json', '{}');
      assert.match(await fixed(), /Satisfy Any/);
      assert.match(await fixed('--answer', 'running-version=2.2'), /www>\n    Require all denied/);
    });

    it('names the sections that 2.4 denies and the old lines allow, and marks no answer as usual', async () => {
      const denied = '<Directory />\n    AllowOverride None\n    Require all denied\n</Directory>\n';
      write(`Define X\n${denied}${OPEN}${ANY.replaceAll('/srv/www', '/srv/any')}`);
      const { out } = await folder().run(['plan', 'conf/httpd.conf']);
      const words = out.replace(/\s+/g, ' ');
      assert.match(words, /2\.4 denies all requests in <Directory \/srv\/www>, although the Allow lines there/);
      assert.match(words, /2\.4 gives now[^(]*403[^(]*\(2 fixes then still need other answers\)/);
      const before = await folder().run(['fix', '--source', '2.4', 'conf/httpd.conf']);
      assert.doesNotMatch(before.err.replace(/\s+/g, ' '), /The fixes keep this access/);
      const answer = ['--answer', 'denied-now=denied'];
      const fix = await folder().run(['fix', '--source', '2.4', ...answer, 'conf/httpd.conf']);
      assert.match(
        `${fix.out}${fix.err}`.replace(/\s+/g, ' '),
        /denies all requests in <Directory \/srv\/www>, although .* correct the new Require lines/,
      );
    });

    it('is not asked where lines for 2.4 alone stand beside old ones that both versions convert in one way', async () => {
      const both =
        '<Directory /srv/www/b>\n<IfModule !mod_authz_core.c>\nOrder allow,deny\nAllow from all\nDeny from 10\n</IfModule>\n' +
        '<IfModule mod_authz_core.c>\n<RequireAll>\nRequire all granted\nRequire not ip 10\n</RequireAll>\n</IfModule>\n</Directory>\n';
      write(`Define X\n${DENIED}${both}${OPEN}`);
      assert.deepEqual(await questions(), []);
      assert.equal(
        await fixed(),
        `${HEAD.replace('MaxRequestsPerChild', 'MaxConnectionsPerChild')}Define X\n${DENIED.replace('Order deny,allow\n    Deny from all', 'Require all denied')}${both}${OPEN.replace('Order allow,deny\n    Allow from all', 'Require all granted')}`,
      );
    });

    it('is part of the question about other files, in a file that no main file reads', async () => {
      const text =
        '<Directory /srv/www>\n    Order deny,allow\n    Allow from all\n    Require all granted\n</Directory>\n';
      folder().write('part.conf', text);
      const asked = async (...args: string[]) => {
        const { out } = await folder().run(['plan', '--format', 'json', ...args, 'part.conf']);
        const [{ questions: all, waiting, ready }] = (JSON.parse(out) as UpgradePlan).configurations as [
          ConfigurationPlan,
        ];
        return {
          questions: all.map(
            ({ id, answers }) => `${id} ${answers.map((each) => `${each.value}:${each.ready}`).join(' ')}`,
          ),
          waiting: waiting.flatMap(({ waitsFor }) => waitsFor),
          ready: ready.length,
        };
      };
      assert.deepEqual(await asked(), {
        questions: ['outside-unseen:. none-2.4:1 none-2.2:0 keep:0'],
        waiting: ['outside-unseen:.'],
        ready: 0,
      });
      // The answer about other files alone leaves the version open.
      assert.deepEqual((await asked('--answer', 'outside-unseen:.=none')).waiting, ['running-version']);
      assert.equal((await asked('--answer', 'outside-unseen:.=none-2.4')).ready, 1);
      const { out: plan, err } = await folder().run(['plan', '--answer', 'outside-unseen:.=none-2.4', 'part.conf']);
      assert.match(plan, /Ready: 1 fix/);
      assert.doesNotMatch(err, /not needed/);

      await folder().run(['fix', '--write', '--answer', 'outside-unseen:.=none-2.2', 'part.conf']);
      assert.equal(folder().text('part.conf'), text);
      await folder().run(['fix', '--write', '--answer', 'outside-unseen:.=none-2.4', 'part.conf']);
      assert.equal(folder().text('part.conf'), '<Directory /srv/www>\n    Require all granted\n</Directory>\n');
    });

    it('is not listed as answered if the answer about other files names the version', async () => {
      folder().write(
        'part.conf',
        '<Directory /srv/www>\n    Order deny,allow\n    Allow from all\n    Require all granted\n</Directory>\n',
      );
      const planned = async (...answers: string[]) => {
        const args = answers.flatMap((each) => ['--answer', each]);
        const { out } = await folder().run(['plan', '--format', 'json', ...args, 'part.conf']);
        return (JSON.parse(out) as UpgradePlan).configurations[0] as ConfigurationPlan;
      };
      const found = await planned('outside-unseen:.=none-2.4');
      assert.deepEqual(
        [found.questions.map(({ id }) => id), found.ready.map(({ restsOn }) => restsOn)],
        [['outside-unseen:.'], [['outside-unseen:.']]],
      );
      assert.deepEqual(
        (await planned('outside-unseen:.=none', 'running-version=2.4')).questions.map(({ id }) => id),
        ['running-version', 'outside-unseen:.'],
      );
    });

    it('is no action by hand after the answer that the server runs 2.2', async () => {
      folder().write(
        'part.conf',
        '<Directory /srv/www>\n    Order deny,allow\n    Allow from all\n    Require all granted\n</Directory>\n',
      );
      for (const answers of [['outside-unseen:.=none-2.2'], ['outside-unseen:.=none', 'running-version=2.2']]) {
        const args = answers.flatMap((each) => ['--answer', each]);
        const { out } = await folder().run(['plan', '--format', 'json', ...args, 'part.conf']);
        assert.deepEqual(
          (JSON.parse(out) as UpgradePlan).configurations[0].byHand.map(({ what }) => what)[0],
          '<Directory /srv/www> has lines of 2.4, which the 2.2 server does not accept: remove the lines of 2.4, then run again',
        );
      }
    });

    it('is no part of the question about other files without lines of 2.4', async () => {
      folder().write('part.conf', OPEN);
      const { out } = await folder().run(['plan', '--format', 'json', 'part.conf']);
      const [{ questions: all }] = (JSON.parse(out) as UpgradePlan).configurations as [ConfigurationPlan];
      assert.deepEqual(
        all.map(({ id, answers }) => `${id} ${answers.map(({ value }) => value).join(' ')}`),
        ['outside-unseen:. none keep'],
      );
    });
  }),
);
