/** Files that no server reads: they are shown, cause no questions, and change only on request. */
import assert from 'node:assert/strict';
import type { ConfigurationPlan, UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import { withFolder } from './run';

const ACCESS = '<Directory />\n    AllowOverride None\n    Order deny,allow\n    Deny from all\n</Directory>\n';
const MAIN = `ServerRoot "/etc/httpd"\nListen 80\nMaxClients 5\n${ACCESS}Include conf.d/*.conf\n`;

const ASIDE = [
  'etc/httpd/conf/httpd.conf.org',
  'etc/httpd/conf/httpd.conf.orig',
  'etc/httpd/conf/httpd.conf.bak',
  'etc/httpd/conf/httpd.conf~',
  'etc/httpd/conf/httpd.conf.save',
  'etc/httpd/conf/httpd.conf.rpmsave',
  'etc/httpd/conf/httpd.conf.rpmnew',
  'etc/httpd/conf/httpd.conf.dpkg-dist',
  'etc/httpd/conf/httpd.conf.dpkg-old',
  'etc/httpd/conf/httpd.conf.ucf-dist',
  'etc/httpd/conf/httpd.conf_old',
  'etc/httpd/conf/httpd.conf-bak',
  'etc/httpd/conf/httpd.conf-2',
  'etc/httpd/conf/httpd.conf.1',
  'etc/httpd/conf/httpd.conf.14Apr2020',
  'etc/httpd/conf/httpd.conf.07Mar2019_1447',
  'etc/httpd/conf/httpd.conf-2012-05-01',
  'etc/httpd/conf/httpd.conf.bak2',
  'etc/httpd/conf/httpd.conf.bkp',
  'etc/httpd/conf/httpd.conf.pre-update',
  'etc/httpd/conf/httpd.conf~previous',
  'etc/httpd/conf/httpd.conf.applesaved',
  'etc/httpd/conf/original/httpd.conf',
  'etc/httpd/conf/original/extra/httpd-mpm.conf',
  'etc/httpd/conf/keepalived.conf.bak',
];

describe(
  'files that no server reads',
  withFolder((folder) => {
    const planned = async (...args: string[]): Promise<readonly ConfigurationPlan[]> => {
      const { out, err } = await folder().run(['plan', '--format', 'json', ...args]);
      assert.notEqual(out, '', err);
      return (JSON.parse(out) as UpgradePlan).configurations;
    };
    const dormantIn = (plan: readonly ConfigurationPlan[]) =>
      plan.flatMap(({ dormant = [] }) => dormant.map(({ file }) => file)).sort();

    for (const file of ASIDE) {
      it(`${file} is no main file, and stays as it is unless somebody asks`, async () => {
        folder().write('etc/httpd/conf/httpd.conf', MAIN);
        const expected = await planned('.');
        folder().write(file, MAIN);
        const plan = await planned('.');
        assert.deepEqual(
          plan.map(({ root, questions, ready }) => [root, questions.map(({ id }) => id), ready.map((row) => row.file)]),
          expected.map(({ root, questions, ready }) => [
            root,
            questions.map(({ id }) => id),
            ready.map((row) => row.file),
          ]),
        );
        assert.deepEqual(dormantIn(plan), [file]);
        const lines = plan.flatMap(({ dormant = [] }) => dormant.map((each) => each.lines));
        assert.ok(lines[0] > 0, lines.join());
        await folder().run(['fix', '--write', '.']);
        assert.equal(folder().text(file), MAIN);
        assert.match(folder().text('etc/httpd/conf/httpd.conf'), /MaxRequestWorkers/);
        await folder().run(['fix', '--write', '--dormant', '.']);
        assert.match(folder().text(file), /MaxRequestWorkers 5/);
      });
    }

    it('a copy that the server reads is read, and one that is given by itself is looked at', async () => {
      folder().write('etc/httpd/conf/httpd.conf', `${MAIN}Include conf.d/*\n`);
      folder().write('etc/httpd/conf.d/old.conf.bak', 'MaxClients 5\n');
      assert.deepEqual(dormantIn(await planned('.')), []);
      await folder().run(['fix', '--write', '.']);
      assert.equal(folder().text('etc/httpd/conf.d/old.conf.bak'), 'MaxRequestWorkers 5\n');
      folder().write('httpd.conf.bak', 'MaxClients 5\n');
      await folder().run(['fix', '--write', 'httpd.conf.bak']);
      assert.equal(folder().text('httpd.conf.bak'), 'MaxRequestWorkers 5\n');
    });

    it('says that another main file beside the given one stays', async () => {
      folder().write('etc/httpd/conf/httpd.conf', MAIN);
      const other = MAIN.replace('Listen 80', 'Listen 81');
      folder().write('etc/httpd/conf/other.conf', other);
      folder().write('etc/httpd/conf/httpd.conf.bak', MAIN);
      const main = 'etc/httpd/conf/httpd.conf';
      const { err } = await folder().run(['fix', '--write', '--dormant', main]);
      assert.match(
        err,
        /other\.conf stays: it looks like a main configuration file, too\. To convert it: httpd-upgrade plan \S+other\.conf$/m,
      );
      assert.match(err, /^ {4}etc\/httpd\/conf\/httpd\.conf: 2 old access lines\n {2}httpd-upgrade plan \S+\n$/m);
      assert.doesNotMatch(err, /other\.conf: \d/);
      assert.equal(folder().text('etc/httpd/conf/other.conf'), other);
      // The named command asks what is unknown; with the answers, it is converted.
      const [asked] = await planned('etc/httpd/conf/other.conf');
      const usual = asked!.questions.flatMap(({ id, answers }) => ['--answer', `${id}=${answers[0]!.value}`]);
      assert.deepEqual(
        asked!.questions.map(({ kind }) => kind),
        ['include-unseen', 'outside-unseen', 'other-main'],
      );
      await folder().run(['fix', '--write', ...usual, 'etc/httpd/conf/other.conf']);
      assert.match(folder().text('etc/httpd/conf/other.conf'), /Require all denied/);
      assert.match(folder().text('etc/httpd/conf/httpd.conf.bak'), /Require all denied/);
      assert.doesNotMatch((await folder().run(['fix', '--write', '--dormant', 'etc'])).err, /stays/);
    });

    it('converts each file by its own lines that no server in the directory reads', async () => {
      folder().write('etc/httpd/conf/httpd.conf', MAIN);
      folder().write('etc/httpd/conf.d/a.conf', 'MaxClients 6\n');
      const site = `<Directory /srv/app>\n    Order allow,deny\n    Allow from 192.0.2.1\n</Directory>\n`;
      folder().write('modules/app/files/site.conf', site);
      folder().write('www/.htaccess', '<Files *.inc>\nOrder deny,allow\nDeny from all\n</Files>\n');
      await folder().run(['fix', '--write', '.']);
      assert.equal(folder().text('modules/app/files/site.conf'), site);
      const { out, err } = await folder().run(['fix', '--write', '--dormant', '.']);
      assert.match(folder().text('modules/app/files/site.conf'), /^ {4}Require ip 192\.0\.2\.1\n/m);
      assert.equal(folder().text('www/.htaccess'), '<Files *.inc>\nRequire all denied\n</Files>\n');
      assert.doesNotMatch(out + err, /old access line/);
    });

    const GRANTS = [
      ['Order allow,deny\nAllow from all\n', 'Require all granted\n'],
      ['Order deny,allow\nDeny from all\nAllow from 192.0.2.1\n', 'Require ip 192.0.2.1\n'],
      [
        '<Limit POST>\nOrder deny,allow\nDeny from all\n</Limit>\n',
        '<RequireAll>\n    Require not method POST\n    Require all granted\n</RequireAll>\n',
      ],
    ] as const;
    for (const [before, after] of GRANTS)
      it(`a .htaccess file that allows requests needs the statement of the user: ${JSON.stringify(after)}`, async () => {
        folder().write('etc/httpd/conf/httpd.conf', MAIN);
        folder().write('etc/httpd/conf.d/a.conf', 'MaxClients 6\n');
        folder().write('www/.htaccess', before);
        await folder().run(['fix', '--write', '.']);
        const { err } = await folder().run(['fix', '--write', '--dormant', '.']);
        assert.equal(folder().text('www/.htaccess'), before);
        const lines = before.split('\n').filter((line) => /^(?:Order|Allow|Deny)/.test(line)).length;
        assert.match(err, new RegExp(`^    www/\\.htaccess: ${lines} old access lines$`, 'm'));
        const command = /^ {2}httpd-upgrade (fix --write --dormant --assume-standalone .*)$/m.exec(err)?.[1];
        assert.ok(command, err);
        await folder().run(command.split(' '));
        assert.equal(folder().text('www/.htaccess'), after);
      });

    it('a directory that the user named beside the main file may belong to a server', async () => {
      folder().write('a/conf/httpd.conf', MAIN);
      folder().write('a/conf.d/a.conf', 'MaxClients 6\n');
      const site = `<Directory /srv/app>\nOrder allow,deny\nAllow from all\n</Directory>\n`;
      folder().write('b/conf.d/app.conf', site);
      const { err } = await folder().run(['fix', '--write', '--dormant', 'a', 'b']);
      assert.equal(folder().text('b/conf.d/app.conf'), site);
      assert.match(err, /^You named these files, [^]*\n {4}b\/conf\.d\/app\.conf: 2 old access lines\n/m);
    });

    it('says which files keep old lines if an Include is not in the copy', async () => {
      const site = `<Directory /srv/app>\nOrder allow,deny\nAllow from all\n</Directory>\n`;
      folder().write('etc/httpd/conf/httpd.conf', `${MAIN}Include sites/*.conf\n`);
      folder().write('etc/httpd/conf.d/a.conf', 'MaxClients 6\n');
      folder().write('modules/app/files/app.conf', site);
      const { err } = await folder().run(['fix', '--write', '--dormant', '.']);
      assert.equal(folder().text('modules/app/files/app.conf'), site);
      assert.match(err, /^ {4}modules\/app\/files\/app\.conf: 2 old access lines$/m);
      const answer = 'include-unseen:*=no-access-control';
      assert.ok(err.includes(`  httpd-upgrade fix --write --dormant --answer '${answer}' .\n`), err);
      await folder().run(['fix', '--write', '--dormant', '--answer', answer, '.']);
      assert.match(folder().text('modules/app/files/app.conf'), /Require all granted/);
    });

    it('names the answer that converts them, for which the plan asks, too', async () => {
      const site = `<Directory /srv/app>\nOrder allow,deny\nAllow from all\n</Directory>\n`;
      folder().write('web/httpd.conf', 'ServerRoot /srv/web\nListen 80\nInclude etc/extra/site.conf\n');
      folder().write('web/site.conf', site);
      const plan = await planned('web/httpd.conf');
      assert.deepEqual(
        plan.flatMap(({ questions }) => questions.map(({ id }) => id)),
        ['include-unseen:etc/extra/site.conf'],
      );
      const { err } = await folder().run(['fix', '--write', '--dormant', 'web/httpd.conf']);
      const [, answer] = /^ {2}httpd-upgrade fix --write --dormant --answer '(.*)' web\/httpd\.conf$/m.exec(err)!;
      assert.equal(folder().text('web/site.conf'), site);
      await folder().run(['fix', '--write', '--dormant', '--answer', answer, 'web/httpd.conf']);
      assert.match(folder().text('web/site.conf'), /Require all granted/);
    });

    it('counts no line of a branch that only 2.2 reads, and no comment', async () => {
      const both =
        '<Directory /srv/app>\n<IfVersion < 2.4>\nOrder allow,deny\nAllow from all\n</IfVersion>\n' +
        '<IfModule !mod_authz_core.c>\nSatisfy all\n</IfModule>\n<IfVersion >= 2.4>\nRequire all granted\n' +
        '</IfVersion>\n#Order allow,deny\n</Directory>\n';
      folder().write('etc/httpd/conf/httpd.conf', `${MAIN}`);
      folder().write('etc/httpd/conf.d/a.conf', both);
      folder().write('modules/app/files/app.conf', both);
      await folder().run(['fix', '--write', '.']);
      const { out, err } = await folder().run(['fix', '--write', '--dormant', '.']);
      assert.doesNotMatch(out + err, /old access line/);
    });

    it('says why lines of a file that the server reads are left', async () => {
      const own = '<Directory /srv/app>\nOrder allow,deny\nAllow from all\nDeny from env=x=y host!\n</Directory>\n';
      folder().write('etc/httpd/conf/httpd.conf', `${MAIN}`);
      folder().write('etc/httpd/conf.d/a.conf', own);
      await folder().run(['fix', '--write', '.']);
      const { err } = await folder().run(['fix', '--write', '--dormant', '.']);
      assert.equal(folder().text('etc/httpd/conf.d/a.conf'), own);
      assert.match(err, /The server reads these files/);
      assert.match(err, /^ {4}etc\/httpd\/conf\.d\/a\.conf: 3 old access lines$/m);
      assert.match(err, /^ {2}httpd-upgrade plan \.$/m);
    });

    for (const main of ['conf/httpd.conf.09192011', 'conf/original/httpd.conf'])
      it(`the only main file counts as a copy, and is named with the command that reads it: ${main}`, async () => {
        const beside = 'conf/extra/userdir.conf';
        folder().write(main, MAIN.replace(/^Include .*\n/m, ''));
        folder().write(beside, ACCESS);
        const { err } = await folder().run(['plan', '.']);
        const command = /: httpd-upgrade (plan \S+ \.)$/m.exec(err)?.[1];
        assert.equal(command, `plan ${main} .`);
        assert.match((await folder().run(['fix', '.'])).err, new RegExp(`: httpd-upgrade plan ${main} \\.$`, 'm'));
        const plan = await planned(main, '.');
        assert.equal(plan[0]!.root, main);
        const usual = plan
          .flatMap(({ questions }) => questions)
          .flatMap(({ id, answers }) => ['--answer', `${id}=${answers[0]!.value}`]);
        await folder().run(['fix', '--write', ...usual, main, '.']);
        await folder().run(['fix', '--write', '--dormant', ...usual, main, '.']);
        assert.match(folder().text(main), /MaxRequestWorkers 5\n.*Require all denied/s);
        assert.match(folder().text(beside), /Require all denied/);
        folder().write('other/httpd.conf', MAIN);
        assert.doesNotMatch((await folder().run(['plan', '.'])).err, /has the lines of a main/);
      });

    it('what the team says is not used is not, with its directories', async () => {
      folder().write('etc/httpd/conf/httpd.conf', MAIN);
      folder().write('etc/httpd/test/httpd.conf', MAIN);
      folder().write('.httpd-upgrade.json', '{ "unused": ["etc/httpd/test"] }');
      const plan = await planned('.');
      assert.deepEqual(
        [plan.map(({ root }) => root), dormantIn(plan)],
        [['etc/httpd/conf/httpd.conf'], ['etc/httpd/test/httpd.conf']],
      );
      await folder().run(['fix', '--write', '.']);
      assert.equal(folder().text('etc/httpd/test/httpd.conf'), MAIN);
    });

    it('so is a file beside a configuration that is all here and does not read it', async () => {
      folder().write('etc/httpd/conf/httpd.conf', MAIN);
      folder().write('etc/httpd/conf.d/a.conf', 'MaxClients 6\n');
      folder().write('etc/httpd/extra/httpd-userdir.conf', `MaxClients 5\n${ACCESS}`);
      assert.deepEqual(dormantIn(await planned('.')), ['etc/httpd/extra/httpd-userdir.conf']);
      await folder().run(['fix', '--write', '.']);
      assert.equal(folder().text('etc/httpd/extra/httpd-userdir.conf'), `MaxClients 5\n${ACCESS}`);
      assert.equal(folder().text('etc/httpd/conf.d/a.conf'), 'MaxRequestWorkers 6\n');
    });

    it('--dormant with the main file converts what lies beside it', async () => {
      const beside = `MaxClients 5\n${ACCESS}`;
      folder().write('etc/httpd/conf/httpd.conf', MAIN);
      folder().write('etc/httpd/conf.d/a.conf', 'MaxClients 6\n');
      for (const file of ['etc/httpd/conf/httpd.conf.bak', 'etc/httpd/extra/userdir.conf', 'other/x.conf'])
        folder().write(file, beside);
      const { out } = await folder().run(['fix', '--write', '--dormant', 'etc/httpd/conf/httpd.conf']);
      assert.doesNotMatch(out, /^\//m);
      assert.match(out, /^etc\/httpd\/extra\/userdir\.conf: /m);
      assert.equal(folder().text('etc/httpd/conf/httpd.conf'), MAIN);
      assert.match(folder().text('etc/httpd/conf/httpd.conf.bak'), /MaxRequestWorkers 5\n.*Require all denied/s);
      assert.match(folder().text('etc/httpd/extra/userdir.conf'), /MaxRequestWorkers 5\n.*Require all denied/s);
      assert.equal(folder().text('other/x.conf'), beside);
    });

    it('says that a part is converted by itself, without .htaccess files', async () => {
      const users =
        '<IfDefine USERDIR>\nUserDir public_html\n<Directory /home/*/public_html>\nAllowOverride AuthConfig Limit\n' +
        'Order deny,allow\nDeny from all\nAllow from 10\n</Directory>\n</IfDefine>\n';
      const text = `${MAIN.replace(/^Include .*\n/m, '')}${users}`;
      folder().write('httpd.conf', text);
      const { out } = await folder().run(['plan', '-D', 'SSL', '.']);
      assert.match(
        out,
        /If the server will read them later, do not use this command:\s+convert them with\s+the whole configuration\.\s+For a file, add an Include line for\s+it, and run:\n {4}httpd-upgrade plan -D SSL \.\n {2}For a section in <IfDefine NAME>, run:\n {4}httpd-upgrade plan -D NAME -D SSL \.\n/,
      );
      const warned = /by itself: without[^]*\.htaccess\s+files[^]*\n {2}httpd-upgrade plan -D SSL \.\n/;
      const { err } = await folder().run(['fix', '--dormant', '-D', 'SSL', '.']);
      assert.match(err, warned);
      assert.match(err, /^Taken as false, so that the server does not read the lines inside: <IfDefine\s+USERDIR>\.$/m);
      assert.match((await folder().run(['fix', '--write', '--dormant', '-D', 'SSL', '.'])).err, warned);
      assert.match(folder().text('httpd.conf'), /Require ip 10/);
      assert.doesNotMatch((await folder().run(['fix', '--write', '--dormant', '-D', 'SSL', '.'])).err, /by itself/);
    });

    it('names the command only if it can convert something', async () => {
      const part = (line: string) =>
        `<IfModule !mod_authz_host.c>\n<Directory /srv>\n${line}</Directory>\n</IfModule>\n`;
      const doubtful = part('Order allow,deny\nAllow from all\nDeny from env=x=y host!\n');
      const main = `LoadModule authz_host_module modules/mod_authz_host.so\n${MAIN.replace(/^Include .*\n/m, '')}`;
      folder().write('httpd.conf', main + doubtful);
      folder().write('httpd.conf.bak', '<Directory /srv>\nOrder allow,deny\nDeny from env=x=y host!\n</Directory>\n');
      for (const command of ['plan', 'check'])
        assert.doesNotMatch((await folder().run([command, '.'])).out, /--dormant|not read by the server/, command);
      const convertible = part('Order allow,deny\nAllow from all\n');
      folder().write('httpd.conf', main + doubtful + convertible);
      assert.deepEqual(dormantIn(await planned('.')), ['httpd.conf']);
      await folder().run(['fix', '--write', '--dormant', '.']);
      assert.deepEqual(dormantIn(await planned('.')), []);
    });

    it('so is a file with access control, if the missing Includes have none', async () => {
      folder().write('etc/httpd/conf/httpd.conf', `${MAIN}Include extra/tls.conf\nInclude sites/*.conf\n`);
      folder().write('etc/httpd/conf.d/a.conf', 'MaxClients 6\n');
      folder().write('etc/httpd/extra/status.conf', `MaxClients 5\n${ACCESS}`);
      folder().write('etc/httpd/extra/limits.conf', 'MaxClients 7\n');
      assert.deepEqual(dormantIn(await planned('.')), []);
      for (const answer of [['include-unseen:*'], ['include-unseen:extra/tls.conf', 'include-unseen:sites/*.conf']]) {
        const answers = answer.flatMap((id) => ['--answer', `${id}=no-access-control`]);
        const plan = await planned(...answers, '.');
        assert.deepEqual(dormantIn(plan), ['etc/httpd/extra/status.conf']);
        assert.deepEqual(
          plan.flatMap(({ waiting }) => waiting.filter(({ file }) => file.endsWith('status.conf'))),
          [],
        );
      }
      assert.deepEqual(dormantIn(await planned('--answer', 'include-unseen:sites/*.conf=no-access-control', '.')), []);
      await folder().run(['fix', '--write', '--answer', 'include-unseen:*=no-access-control', '.']);
      assert.equal(folder().text('etc/httpd/extra/status.conf'), `MaxClients 5\n${ACCESS}`);
      assert.equal(folder().text('etc/httpd/extra/limits.conf'), 'MaxRequestWorkers 7\n');
      await folder().run(['fix', '--write', '--dormant', '--answer', 'include-unseen:*=no-access-control', '.']);
      assert.match(folder().text('etc/httpd/extra/status.conf'), /MaxRequestWorkers 5\n.*Require all denied/s);
    });

    it('a file in a directory that the user named beside the main file is checked', async () => {
      folder().write('conf/httpd.conf', MAIN.replace(/^Include .*\n/m, ''));
      folder().write('sites/new.conf', ACCESS);
      const problemsIn = async (...args: string[]) => {
        const { out } = await folder().run(['check', '--format', 'json', ...args]);
        const { files } = JSON.parse(out) as { files: { path: string; findings: unknown[] }[] };
        return files.filter(({ path, findings }) => path.endsWith('new.conf') && findings.length > 0).length;
      };
      assert.equal(await problemsIn('.'), 0);
      assert.equal(await problemsIn('conf/httpd.conf', 'sites'), 1);
      assert.equal(await problemsIn('conf', 'sites'), 1);
    });

    it('check lists them, and counts none of their problems', async () => {
      folder().write('etc/httpd/conf/httpd.conf', MAIN);
      folder().write('etc/httpd/conf/httpd.conf.bak', MAIN);
      const report = JSON.parse((await folder().run(['check', '--format', 'json', '.'])).out);
      assert.deepEqual(
        [report.files.map((each: { path: string }) => each.path), report.dormant, report.summary.blocking],
        [['./etc/httpd/conf/httpd.conf'], [{ file: 'etc/httpd/conf/httpd.conf.bak', lines: 4 }], report.summary.error],
      );
      const { out } = await folder().run(['check', '.']);
      assert.match(
        out,
        /\nOld lines not read by the server\n(?: {2}\S.*\n)+ {4}etc\/httpd\/conf\/httpd\.conf\.bak: 4 old lines\n/,
      );
      assert.doesNotMatch(out, /httpd\.conf\.bak:\d/);
      for (const format of ['sarif', 'github', 'checkstyle'])
        assert.doesNotMatch((await folder().run(['check', '--format', format, '.'])).out, /httpd\.conf\.bak/);
      assert.equal((await folder().run(['check', 'etc/httpd/conf/httpd.conf.bak'])).code, 1);
    });
  }),
);

/** A main file whose branch for mod_include is not read: it loads mod_include. */
const branch = (text: string) =>
  `ServerRoot "/etc/httpd"
Listen 80
LoadModule authz_host_module modules/mod_authz_host.so
LoadModule include_module modules/mod_include.so
${ACCESS}${text}`;

const PARTS: readonly (readonly [name: string, before: string, after: string])[] = [
  [
    'a branch whose condition does not hold',
    '<IfModule !mod_include.c>\n    <Directory /srv>\n        Order allow,deny\n        Allow from 10\n    </Directory>\n    MaxClients 5\n</IfModule>\n',
    '<IfModule !mod_include.c>\n    <Directory /srv>\n        Require ip 10\n    </Directory>\n    MaxRequestWorkers 5\n</IfModule>\n',
  ],
  [
    'a branch in a section',
    '<Directory /srv>\n  AllowOverride None\n  <IfModule !mod_include.c>\n    Order deny,allow\n    Deny from all\n    Allow from 192.0.2.1\n  </IfModule>\n</Directory>\n',
    '<Directory /srv>\n  AllowOverride None\n  <IfModule !mod_include.c>\n    Require ip 192.0.2.1\n  </IfModule>\n</Directory>\n',
  ],
  [
    'a section that is commented out',
    '# For the network.\n#\n#<Location /server-status>\n#    SetHandler server-status\n#    Order deny,allow\n#    Deny from all\n#    # Us\n#    Allow from 10\n#</Location>\n',
    '# For the network.\n#\n#<Location /server-status>\n#    SetHandler server-status\n#    # Us\n#    Require ip 10\n#</Location>\n',
  ],
  [
    'a section whose comments are indented, with other line ends',
    '  # <Files a>\r\n    #  Order allow,deny\r\n    #  Deny from all\r\n  # </Files>\r\n',
    '  # <Files a>\r\n    #  Require all denied\r\n  # </Files>\r\n',
  ],
  [
    'a section that is commented out in another one',
    '<Directory /srv>\n  AllowOverride None\n  #<Files a>\n  #Order allow,deny\n  #Allow from all\n  #</Files>\n</Directory>\n',
    '<Directory /srv>\n  AllowOverride None\n  #<Files a>\n  #Require all granted\n  #</Files>\n</Directory>\n',
  ],
];

/** Files beside a complete configuration, before and after. */
const FILES: readonly (readonly [name: string, before: string, after: string])[] = [
  ['NameVirtualHost', 'NameVirtualHost *:80\nAlias /a /srv/a\n', 'Alias /a /srv/a\n'],
  [
    'access control in a file that loads the modules for it',
    '<IfModule !mpm_netware_module>\r\nLoadModule authz_host_module "modules/mod_authz_host.so"\r\n</IfModule>\r\n<Directory />\r\n  Order allow,deny\r\n  Deny from all\r\n</Directory>\r\n',
    '<IfModule !mpm_netware_module>\r\nLoadModule authz_core_module "modules/mod_authz_core.so"\r\nLoadModule authz_host_module "modules/mod_authz_host.so"\r\n</IfModule>\r\n<Directory />\r\n  Require all denied\r\n</Directory>\r\n',
  ],
  [
    'modules that 2.4 does not have',
    '# Depends: cache\nLoadModule authz_default_module modules/mod_authz_default.so\nLoadModule mem_cache_module modules/mod_mem_cache.so\nLoadModule authn_alias_module modules/mod_authn_alias.so\n',
    '# Depends: cache\nLoadModule authn_core_module modules/mod_authn_core.so\n',
  ],
  [
    'a module with another name in 2.4, and its condition',
    'LoadModule disk_cache_module modules/mod_disk_cache.so\n<IfModule mod_disk_cache.c>\n    CacheRoot /var/cache/a\n</IfModule>\n',
    'LoadModule cache_disk_module modules/mod_cache_disk.so\n<IfModule mod_cache_disk.c>\n    CacheRoot /var/cache/a\n</IfModule>\n',
  ],
  [
    'access control of 2.4 with mod_access_compat',
    '<Directory /srv>\n  AllowOverride None\n  Order deny,allow\n  Deny from all\n  Allow from 192.0.2.1\n  Require all granted\n</Directory>\n',
    '<Directory /srv>\n  AllowOverride None\n  Require ip 192.0.2.1\n</Directory>\n',
  ],
  [
    'an MPM of 2.2 only',
    '<IfModule mpm_beos_module>\n    MaxClients 50\n</IfModule>\n',
    '<IfModule mpm_beos_module>\n    MaxRequestWorkers 50\n</IfModule>\n',
  ],
];

/** What stays, though it looks like that. */
const KEPT: readonly (readonly [name: string, text: string])[] = [
  [
    'the branch of 2.2 beside that of 2.4',
    '<Directory /srv>\n<IfModule !mod_authz_core.c>\nOrder allow,deny\nAllow from all\n</IfModule>\n<IfModule mod_authz_core.c>\nRequire all granted\n</IfModule>\n</Directory>\n',
  ],
  [
    'a branch for a release',
    '<IfVersion < 2.4>\n<Directory /srv>\nOrder allow,deny\nAllow from all\n</Directory>\n</IfVersion>\n',
  ],
  ['a branch for a module of 2.2', '<IfModule mod_authz_default.c>\nMaxClients 5\n</IfModule>\n'],
  ['prose', '# Order matters: Allow from all is read first.\n# Deny from all\n'],
  [
    'a section with prose in it',
    '#<Location /a>\n# Put your hosts here\n#Order allow,deny\n#Deny from all\n#</Location>\n',
  ],
  ['a section that is not whole', '#<Location /a>\n#Order allow,deny\n#Deny from all\n'],
];

describe(
  'what no server reads in files that it reads',
  withFolder((folder) => {
    const dormant = async (): Promise<readonly object[]> => {
      const { out } = await folder().run(['plan', '--format', 'json', '.']);
      return (JSON.parse(out) as UpgradePlan).configurations.flatMap((each) => each.dormant ?? []);
    };

    for (const [name, before, after] of PARTS)
      it(`${name} is listed, and changed only if somebody asks`, async () => {
        folder().write('httpd.conf', branch(before));
        const found = await dormant();
        assert.equal(found.length, 1);
        assert.match(JSON.stringify(found), /"file":"httpd\.conf","lines":[1-9]/);
        await folder().run(['fix', '--write', '--answer', 'modules=files', '.']);
        assert.ok(folder().text('httpd.conf').endsWith(before), folder().text('httpd.conf'));
        folder().write('httpd.conf', branch(before));
        await folder().run(['fix', '--write', '--dormant', '.']);
        assert.equal(folder().text('httpd.conf'), branch(after));
        assert.deepEqual(await dormant(), []);
        const again = await folder().run(['fix', '--write', '--dormant', '.']);
        assert.match(again.err + again.out, /nothing to fix/);
      });

    for (const [name, before, after] of FILES)
      it(`${name} in a file that nothing includes is changed only if somebody asks`, async () => {
        folder().write('httpd.conf', 'ServerRoot /etc/httpd\nListen 80\n');
        folder().write('extra/a.conf', before);
        assert.match(JSON.stringify(await dormant()), /"file":"extra\/a\.conf","lines":[1-9]/);
        await folder().run(['fix', '--write', '.']);
        assert.equal(folder().text('extra/a.conf'), before);
        await folder().run(['fix', '--write', '--dormant', '.']);
        assert.equal(folder().text('extra/a.conf'), after);
        assert.deepEqual(await dormant(), []);
      });

    for (const [name, text] of KEPT)
      it(`${name} stays`, async () => {
        folder().write('httpd.conf', branch(text));
        assert.deepEqual(await dormant(), []);
        await folder().run(['fix', '--write', '--dormant', '.']);
        assert.equal(folder().text('httpd.conf'), branch(text));
      });
  }),
);

const LACKING = 'ServerRoot /etc/apache2\nListen 80\nInclude sites-enabled/\n';
const SITE = '<Directory /srv>\n  Order allow,deny\n  Allow from all\n</Directory>\n';
const ID = 'include-unseen:sites-enabled/';

describe(
  'files that a missing file may include',
  withFolder((folder) => {
    const planOf = async (...args: string[]): Promise<ConfigurationPlan> => {
      const { out } = await folder().run(['plan', '--format', 'json', ...args]);
      return (JSON.parse(out) as UpgradePlan).configurations[0]!;
    };

    for (const given of ['apache2.conf', '.'])
      it(`plan ${given} asks about the missing file, and the answer lets --dormant convert them`, async () => {
        folder().write('apache2.conf', LACKING);
        folder().write('sites-available/a', SITE);
        const { questions, dormant } = await planOf(given);
        assert.deepEqual(
          questions.map(({ id, answers }) => [id, answers[0]!.value]),
          [[ID, 'no-access-control']],
        );
        assert.match(questions[0]!.why, / only sites-available\/a waits for the answer: /);
        assert.deepEqual(dormant, []);
        const answer = ['--answer', `${ID}=no-access-control`];
        const answered = await planOf(...answer, given);
        assert.deepEqual(answered.dormant, [{ file: 'sites-available/a', lines: 2 }]);
        assert.deepEqual(
          answered.questions.map(({ id, answer: current }) => [id, current]),
          [[ID, 'no-access-control']],
        );
        await folder().run(['fix', '--write', '--dormant', given]);
        assert.equal(folder().text('sites-available/a'), SITE);
        await folder().run(['fix', '--write', '--dormant', ...answer, given]);
        assert.equal(folder().text('sites-available/a'), '<Directory /srv>\n  Require all granted\n</Directory>\n');
      });

    it('are converted after the answer about a Windows path, however a line writes it', async () => {
      const main = 'ServerRoot "C:/wamp/apache"\nListen 80\nInclude "c:\\wamp/alias/*"\n';
      folder().write('conf/httpd.conf', `${main}<Directory "C:/wamp/www">\nAllowOverride None\n</Directory>\n`);
      folder().write('conf/extra/a.conf', SITE);
      const { questions } = await planOf('.');
      assert.deepEqual(
        questions.map(({ id }) => id),
        ['include-unseen:C:/wamp/alias/*'],
      );
      await folder().run(['fix', '--write', '--dormant', '--answer', `${questions[0]!.id}=no-access-control`, '.']);
      assert.match(folder().text('conf/extra/a.conf'), /Require all granted/);
    });

    it('get the safe fixes that they get if the server reads them', async () => {
      folder().write('apache2.conf', LACKING);
      folder().write('sites-available/a', `SSLMutex default\nNameVirtualHost *:80\n${SITE}`);
      await folder().run(['fix', '--write', '--dormant', 'apache2.conf']);
      assert.equal(folder().text('sites-available/a'), `NameVirtualHost *:80\n${SITE}`);
    });

    it('with virtual hosts are no files of the kind that has none', async () => {
      folder().write('apache2.conf', LACKING);
      folder().write('sites-available/a', 'NameVirtualHost *:80\n<VirtualHost *:80>\n</VirtualHost>\n');
      folder().write('sites-available/b', 'NameVirtualHost *:81\nListen 81\n');
      const files = () => ['a', 'b'].map((name) => folder().text(`sites-available/${name}`).split('\n')[0]);
      const write = (answer: string) =>
        folder().run(['fix', '--write', '--dormant', '--answer', `${ID}=${answer}`, '.']);
      await write('no-access-control');
      assert.deepEqual(files(), ['NameVirtualHost *:80', 'NameVirtualHost *:81']);
      const { byHand, dormant } = await planOf('--answer', `${ID}=no-hosts`, '.');
      assert.deepEqual([byHand, dormant], [[], [{ file: 'sites-available/a', lines: 1 }]]);
      await write('no-hosts');
      assert.deepEqual(files(), ['<VirtualHost *:80>', 'NameVirtualHost *:81']);
    });

    it('lose modules that 2.4 does not have, if nothing enables them', async () => {
      const load = '# Depends: cache\nLoadModule mem_cache_module /usr/lib/apache2/modules/mod_mem_cache.so\n';
      folder().write('apache2.conf', `${LACKING}Include mods-enabled/*.load\n`);
      folder().write('mods-available/mem_cache.load', load);
      await folder().run(['fix', '--write', '--dormant', '.']);
      assert.equal(folder().text('mods-available/mem_cache.load'), load);
      folder().write('mods-enabled/README', '');
      await folder().run(['fix', '--write', '--dormant', '.']);
      assert.equal(folder().text('mods-available/mem_cache.load'), '# Depends: cache\n');
    });

    it('cause no question without old lines, as a copy, or beside a second main file', async () => {
      folder().write('apache2.conf', LACKING);
      folder().write('sites-available/a', 'Alias /a /srv/a\n');
      folder().write('sites-available/a.bak', SITE);
      assert.deepEqual((await planOf('apache2.conf')).questions, []);
      folder().write('sites-available/b', SITE);
      folder().write('httpd.conf', 'ServerRoot /b\nListen 81\n');
      assert.deepEqual((await planOf('apache2.conf')).questions, []);
    });
  }),
);
