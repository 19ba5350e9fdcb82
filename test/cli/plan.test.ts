/** `plan`, and answers to its questions: asked once, used by every command. */
import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import type { PlanQuestion, UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import { QUESTION, ROOT } from './one-question';
import { withFolder } from './run';

const OLD = /^\s*(Order|Allow|Deny)\b/m;

describe(
  'plan',
  withFolder((folder) => {
    const write = (answers?: Record<string, string>) => {
      folder().write('conf/httpd.conf', ROOT);
      if (answers) folder().write('.httpd-upgrade.json', JSON.stringify({ answers }));
    };
    const planned = async (...args: string[]): Promise<UpgradePlan> => {
      const { out, code, err } = await folder().run(['plan', '--format', 'json', ...args, 'conf/httpd.conf']);
      assert.equal(code, 0, err);
      return JSON.parse(out) as UpgradePlan;
    };

    it('asks once what keeps fixes from being ready, with its places, its answers and how to find out', async () => {
      write();
      const { version, configurations, summary } = await planned();
      assert.equal(version, 1);
      assert.equal(configurations.length, 1);
      const [{ root, files, questions, ready, waiting }] = configurations;
      assert.deepEqual([root, files], ['conf/httpd.conf', 1]);
      assert.deepEqual(
        questions.map(({ id, kind, subject, answer }) => ({ id, kind, subject, answer })),
        [{ id: QUESTION, kind: 'htaccess-unseen', subject: '/var/www/html', answer: null }],
      );
      const [{ answers, places, findOut, ifUnknown }] = questions;
      assert.equal(ifUnknown, '1 fix waits');
      assert.deepEqual(
        answers.map(({ value, ready: count }) => [value, count]),
        [
          ['none', 1],
          ['here=', 1],
          ['keep', 0],
        ],
      );
      assert.deepEqual(places, [{ file: 'conf/httpd.conf', line: 7 }]);
      assert.match(findOut, /;\nfind -L \/var\/www\/html -name \.htaccess/);
      assert.deepEqual(
        waiting.map(({ rule, line, waitsFor }) => ({ rule, line, waitsFor })),
        [{ rule: 'order-allow-deny', line: 13, waitsFor: [QUESTION] }],
      );
      assert.deepEqual(
        ready.map(({ rule, line, restsOn }) => ({ rule, line, restsOn })),
        [{ rule: 'max-clients', line: 16, restsOn: [] }],
      );
      assert.deepEqual(
        { ready: summary.ready, waiting: summary.waiting, questions: summary.questions, answered: summary.answered },
        { ready: 1, waiting: 1, questions: 1, answered: 0 },
      );
    });

    it('promises no fix for a file that an Include with unknown names may read', async () => {
      const section = (tag: string) => `<${tag}>\nOrder allow,deny\nAllow from all\n</${tag.split(' ')[0]}>\n`;
      folder().write('old/a.conf', section('Location "/a"'));
      const questionsWith = async (include: string) => {
        folder().write('httpd.conf', `ServerRoot "/etc/httpd"\nListen 80\n${include}${section('Directory "/srv/a"')}`);
        const { out, code } = await folder().run(['plan', '--format', 'json', '.']);
        assert.equal(code, 0);
        const { configurations } = JSON.parse(out) as UpgradePlan;
        return configurations.flatMap(({ questions, byHand }) => [
          ...questions.map(({ id }) => id),
          ...byHand.flatMap(({ rule, file }) => (rule === 'order-allow-deny' ? [`by hand: ${file}`] : [])),
        ]);
      };
      assert.deepEqual(await questionsWith('Include /etc/httpd/conf.d/*.conf\n'), [
        'include-unseen:/etc/httpd/conf.d/*.conf',
        'by hand: old/a.conf',
      ]);
    });

    it('reports the same for a main file with another name, alone and with its directory', async () => {
      folder().write('site.conf', 'ServerRoot /etc/httpd\nListen 80\nDocumentRoot /srv\nMonoApplications x\n');
      const toDo = async (argument: string) => {
        const { out } = await folder().run(['plan', '--format', 'json', argument]);
        const { configurations } = JSON.parse(out) as UpgradePlan;
        return configurations.flatMap(({ root, byHand }) => byHand.map(({ rule, file }) => [root, rule, file]));
      };
      const expected = [['site.conf', 'unknown-directive', 'site.conf']];
      assert.deepEqual(await toDo('.'), expected);
      folder().write('apache2.conf', 'ServerRoot /etc/httpd\nListen 80\n');
      assert.deepEqual(await toDo('.'), expected);
      assert.deepEqual(await toDo('site.conf'), expected);
    });

    it('lists a step that concerns the whole server once, if files beside its main file cause it, too', async () => {
      folder().write('httpd.conf', 'ServerRoot /etc/httpd\nListen 80\nLogLevel warn\nInclude /srv/unseen/*.conf\n');
      folder().write('extra/old.conf', 'Listen 443\nLogLevel warn\nDefaultType text/html\nDavLockDB var/lock\n');
      const { out } = await folder().run(['plan', '--format', 'json', '.']);
      const { configurations } = JSON.parse(out) as UpgradePlan;
      const [ids = [], idsOfPart, ...more] = configurations.map(({ onServer }) => onServer.map(({ id }) => id));
      for (const id of ['strict-protocol', 'error-log', 'error-page-text', 'beside']) assert.ok(ids.includes(id), id);
      assert.deepEqual([idsOfPart, more], [['dav-lock-db'], []]);
    });

    it('knows the directory of FreeBSD however the user names it', async () => {
      folder().write('etc/apache22/httpd.conf', 'ServerRoot "/usr/local"\nListen 80\n');
      for (const [argument, cwd] of [
        ['.', 'etc/apache22'],
        ['httpd.conf', 'etc/apache22'],
        ['etc', '.'],
      ] as const) {
        const { out } = await folder().run(['plan', argument], { cwd: folder().at(cwd) });
        assert.match(out, /^ +sysrc apache22_enable=NO apache24_enable=YES$/m, argument);
      }
    });

    it('names a second main file beside the given one, which is to be converted together with it', async () => {
      const main = 'ServerRoot /etc/httpd\nListen 80\n';
      folder().write('httpd.conf', `${main}MaxClients 10\n`);
      folder().write('apache2.conf', `${main}MaxClients 20\n`);
      const { out, err } = await folder().run(['plan', 'httpd.conf']);
      assert.equal(err, '');
      assert.match(out, /^2 main configuration files here can read the same files\. apache2\.conf\sis not /);
      assert.match(out, /\n {2}httpd-upgrade plan \.\n/);
      const json = await folder().run(['plan', '--format', 'json', 'httpd.conf']);
      assert.match(json.err, /^httpd-upgrade: 2 main configuration files .*: httpd-upgrade plan \.\n$/);
      const unused = await folder().run(['plan', '--answer', 'other-main:apache2.conf=none', 'httpd.conf']);
      assert.doesNotMatch(unused.out, /main configuration files here/);
      assert.equal((await folder().run(['plan', '.'])).err, '');
      folder().write('apache2.conf', 'MaxClients 20\n');
      assert.equal((await folder().run(['plan', 'httpd.conf'])).err, '');
    });

    it('takes httpd.conf with Listen as the main configuration file', async () => {
      const hosts = ['a', 'b'].map((name) => `<VirtualHost *:8080>\nServerName ${name}.example\n</VirtualHost>\n`);
      folder().write('conf/httpd.conf', `Listen 8080\nNameVirtualHost *:80\n${hosts.join('')}`);
      for (const given of ['conf/httpd.conf', 'conf', '.']) {
        const { out } = await folder().run(['plan', given]);
        assert.doesNotMatch(out, /not in this copy|Is it the main|Remove NameVirtualHost/);
        assert.match(out, /virtual-host-comes-alive/);
      }
    });

    it('names a directive that no loaded module has, and does not say that nothing blocks 2.4', async () => {
      const main = 'ServerRoot "/etc/httpd"\nListen 80\nPidFile run/httpd.pid\n';
      folder().write('conf/httpd.conf', `${main}MonoApplications "/:/x"\nFooBar 1\n`);
      const { out } = await folder().run(['plan', 'conf/httpd.conf']);
      const text = out.replace(/\n +/g, ' ');
      assert.match(text, /2 problems in the files may block httpd 2\.4\./);
      assert.match(text, /`MonoApplications` needs mod_mono, which no line here loads\./);
      assert.match(text, /write `<IfModule mod_mono\.c>` around the line, so that httpd skips it without the module/);
      assert.match(text, /httpd can send the source text of files that the module handled: deny access to them/);
      assert.match(text, /`FooBar` is not a directive of httpd 2\.4\./);
      assert.doesNotMatch(text, /No problem/);
      const checked = (await folder().run(['check', 'conf/httpd.conf'])).out.replace(/\n +/g, ' ');
      assert.match(checked, /warning\[unknown-directive\]: `FooBar` is not a directive of httpd 2\.4/);
      assert.match(checked.replaceAll('\n', ' '), /2 problems in the files may block httpd 2\.4\./);
    });

    it('asks about other files where httpd.conf has neither ServerRoot nor PidFile, as on Debian', async () => {
      folder().write('conf/httpd.conf', 'Listen 8080\n<Location /a>\nDeny from all\n</Location>\n');
      const { out } = await folder().run(['plan', 'conf']);
      assert.match(
        out.replace(/\n +/g, ' '),
        /has no ServerRoot and no PidFile, so a main configuration file may include it\./,
      );
      assert.match(out, /1 fix waits for an answer/);
    });

    it('asks whether httpd.conf without ServerRoot and Listen is the main configuration file', async () => {
      folder().write('conf/httpd.conf', 'DocumentRoot "/srv"\n<Location /a>\nDeny from all\n</Location>\n');
      const { out } = await folder().run(['plan', 'conf/httpd.conf']);
      assert.match(
        out.replace(/\n +/g, ' '),
        /conf\/httpd\.conf has neither a ServerRoot nor a Listen line\. If it is the main configuration file, add both \(httpd -V shows ServerRoot as HTTPD_ROOT\), and run again\./,
      );
    });

    it('does not call a line a change that may be right as it is', async () => {
      const entry = 'RewriteEngine On\nRewriteRule ^wiki/(.*)$ /index.php/$1\n';
      folder().write('a/.htaccess', entry);
      const alone = (await folder().run(['plan', 'a'])).out.replace(/\s+/g, ' ');
      assert.match(alone, /1 by hand .* Ready after 1 check by hand\. .*Otherwise leave the rule as it is\. /);
      assert.match(alone, /1\. Look at the entry by hand that is listed above: it may need no change\. $/);
      const checked = await folder().run(['check', 'a']);
      assert.match(checked.out, /Also to do: 1 check by hand\. plan describes it\./);
      folder().write('b/.htaccess', `${entry}AuthDigestGroupFile /etc/groups\nNoSuchDirective On\n`);
      const both = (await folder().run(['plan', 'b'])).out.replace(/\s+/g, ' ');
      assert.match(
        both,
        / by hand that (is|are) listed above\. Look at the other entry by hand, which may need no change\./,
      );
      const { byHand } = (JSON.parse((await folder().run(['plan', '--format', 'json', 'b'])).out) as UpgradePlan)
        .configurations[0];
      assert.deepEqual(
        byHand.filter(({ mayStay }) => mayStay).map(({ rule }) => rule),
        ['rewrite-target'],
      );
      assert.ok(byHand.length > 1);
    });

    it('names a lone .htaccess file without a directory', async () => {
      const section = 'Order allow,deny\nDeny from all\n';
      folder().write('lone/.htaccess', `${section}<Files secret>\n${section}</Files>\n`);
      const { out } = await folder().run(['plan', 'lone/.htaccess']);
      assert.match(out, /Convert the access control of 2 sections/);
    });

    it('says why the sections of a file that no configuration reads have no fix', async () => {
      const allowed = 'Order allow,deny\nAllow from all\n</Directory>\n';
      folder().write('part/z.conf', `<Directory "\${DIR}/www">\nSatisfy Any\n${allowed}<Directory /srv>\n${allowed}`);
      const shown = async (command: string) => (await folder().run([command, 'part/z.conf'])).out.replace(/\s+/g, ' ');
      for (const out of [await shown('plan'), await shown('check')]) {
        assert.match(
          out,
          /Not converted: the tag of this section contains a variable: replace the variable by its value/,
        );
        assert.match(out, /Not converted: waits for <Directory \$\{DIR\}\/www> \(z\.conf:1\), which can apply /);
        assert.doesNotMatch(out, /No fix is certain/);
      }
    });

    it('says that a file is a template only if it is one', async () => {
      const refused = '<Directory /srv>\n<IfDefine X>\nOrder deny,allow\nDeny from all\nAllow from 10\n</IfDefine>\n';
      folder().write(
        'part/x.conf',
        `${refused}</Directory>\n<Files x.bak>\nOrder allow,deny\nDeny from all\n</Files>\n`,
      );
      const { out } = await folder().run(['plan', 'part/x.conf']);
      assert.match(
        out.replace(/\s+/g, ' '),
        /Not converted: "Order deny,allow" \(x\.conf:3\) is in the conditional section <IfDefine X>, and it is not known /,
      );
      assert.doesNotMatch(out, /template/);
      folder().write(
        'part/y.conf',
        '{% for x in hosts %}\nServerAlias {{ x }}\n{% endfor %}\n<Directory /srv>\nOrder allow,deny\nAllow from all\n</Directory>\n',
      );
      const ofTemplate = await folder().run(['plan', 'part/y.conf']);
      assert.match(ofTemplate.out.replace(/\s+/g, ' '), /This file is a template, so no fix changes these lines\. /);
      assert.doesNotMatch(ofTemplate.out, /No fix is certain/);
    });

    it('names the options of the server that the files test', async () => {
      const step = (out: string) => /\d\. (The files test [^\n]*)/.exec(out.replace(/\n {5}/g, ' '))?.[1];
      folder().write(
        'conf/httpd.conf',
        'ServerRoot "/etc/httpd"\nListen 80\n<IfDefine SSL>\nListen 443\n</IfDefine>\n<IfDefine !OLD>\nListen 81\n</IfDefine>\nDefine OWN\n<IfDefine OWN>\nListen 82\n</IfDefine>\n',
      );
      const text = async (...args: string[]) => step((await folder().run(['plan', ...args, 'conf/httpd.conf'])).out);
      assert.equal(
        await text(),
        'The files test these names in <IfDefine>: SSL, OLD. If the server starts with some of them, add -D NAME to the commands, once for each, or write "defines": ["NAME"] into .httpd-upgrade.json. Then run plan again: such a server may have more problems, such as a missing module. The names are in APACHE_ARGUMENTS in /etc/apache2/envvars (Debian), APACHE2_OPTS in /etc/conf.d/apache2 (Gentoo), OPTIONS in /etc/sysconfig/httpd (Red Hat) or APACHE_SERVER_FLAGS in /etc/sysconfig/apache2 (SUSE).',
      );
      assert.match((await text('--answer', 'define:OLD=off'))!, /^The files test the name SSL in <IfDefine>\. /);
      folder().write('bsd/httpd.conf', 'ServerRoot "/usr/local"\n<IfDefine NOHTTPACCEPT>\nListen 81\n</IfDefine>\n');
      assert.match(step((await folder().run(['plan', 'bsd/httpd.conf'])).out)!, /FreeBSD adds NOHTTPACCEPT, unless/);
      assert.equal(await text('-D', 'SSL'), undefined);
      const { out } = await folder().run(['plan', '--format', 'json', 'conf/httpd.conf']);
      assert.deepEqual(JSON.parse(out).configurations[0].openNames, ['SSL', 'OLD']);
    });

    it('says that an error blocks only a server with an option', async () => {
      const lines = 'LoadModule mem_cache_module modules/mod_mem_cache.so\nCacheEnable mem /\n';
      const text = async (content: string) => {
        folder().write('conf/httpd.conf', `ServerRoot "/etc/httpd"\nListen 80\n${content}`);
        return (await folder().run(['plan', 'conf/httpd.conf'])).out.replace(/\n +/g, ' ');
      };
      const optional = await text(`<IfDefine CACHE>\n${lines}</IfDefine>\n`);
      assert.match(
        optional,
        /1 problem in the files blocks httpd 2\.4\. It blocks only an httpd that starts with `-D CACHE`\./,
      );
      assert.match(
        optional,
        /`mem_cache_module` was removed\. Only an httpd that starts with `-D CACHE` reads this line\. httpd 2\.4 has /,
      );
      assert.doesNotMatch(await text(lines), /-D CACHE/);
    });

    const ways: [title: string, args: string[], answers?: Record<string, string>][] = [
      ['by --answer', ['--answer', `${QUESTION}=none`]],
      ['by the project file', [], { [QUESTION]: 'none' }],
      ['by --answer against the project file', ['--answer', `${QUESTION}=none`], { [QUESTION]: 'keep' }],
    ];
    for (const [title, args, answers] of ways) {
      it(`makes ready what waited, ${title}, and fix writes it`, async () => {
        write(answers);
        const {
          configurations: [{ ready, waiting, questions }],
          summary,
        } = await planned(...args);
        assert.deepEqual(ready.find(({ rule }) => rule === 'order-allow-deny')?.restsOn, [QUESTION]);
        assert.deepEqual(waiting, []);
        assert.deepEqual(
          questions.map(({ answer }) => answer),
          ['none'],
        );
        assert.equal(summary.answered, 1);
        await folder().run(['fix', '--write', ...args, 'conf/httpd.conf']);
        assert.match(folder().text('conf/httpd.conf'), /^ {4}Require all granted$/m);
        assert.doesNotMatch(folder().text('conf/httpd.conf'), OLD);
      });
    }

    it('check tells of each finding what its fix waits for, or rests on', async () => {
      write();
      const fixOf = async (...args: string[]) => {
        const { out } = await folder().run(['check', '--format', 'json', ...args, 'conf/httpd.conf']);
        const [{ findings }] = (
          JSON.parse(out) as {
            files: {
              findings: {
                rule: string;
                fix: string;
                fixes: { title: string; safety: string }[];
                waitsFor: string[];
                restsOn: string[];
              }[];
            }[];
          }
        ).files;
        const { fix, fixes, waitsFor, restsOn } = findings.find(({ rule }) => rule === 'order-allow-deny')!;
        return { fix, safety: fixes[0].safety, hasTitle: fixes[0].title.length > 0, waitsFor, restsOn };
      };
      assert.deepEqual(await fixOf(), {
        fix: 'suggestion',
        safety: 'suggestion',
        hasTitle: true,
        waitsFor: [QUESTION],
        restsOn: [],
      });
      assert.deepEqual(await fixOf('--answer', `${QUESTION}=none`), {
        fix: 'safe',
        safety: 'safe',
        hasTitle: true,
        waitsFor: [],
        restsOn: [QUESTION],
      });
    });

    it('without an answer fix leaves what waits', async () => {
      write();
      await folder().run(['fix', '--write', 'conf/httpd.conf']);
      assert.match(folder().text('conf/httpd.conf'), OLD);
      assert.match(folder().text('conf/httpd.conf'), /MaxRequestWorkers/);
    });

    it('keeps what a person keeps, whatever else is taken', async () => {
      write({ [QUESTION]: 'keep' });
      await folder().run(['fix', '--write', '--unsafe', '--assume-standalone', 'conf/httpd.conf']);
      assert.match(folder().text('conf/httpd.conf'), OLD);
    });

    it('reads what an answer says is here', async () => {
      // With a login, it matters that the modules are those of 2.4.
      write({ [QUESTION]: 'here=www', 'running-version': '2.2' });
      folder().write('www/.htaccess', 'AuthType Basic\nAuthName a\nAuthUserFile /a\nRequire valid-user\n');
      folder().write('www/app/.htaccess', 'Order deny,allow\nDeny from all\n');
      const {
        configurations: [{ questions, ready }],
      } = await planned();
      // Both versions need the same lines, so the version is not asked either.
      assert.deepEqual(questions, []);
      assert.ok(ready.some(({ rule }) => rule === 'order-allow-deny'));
    });

    it('says of an answer that nothing asks for that it is not needed', async () => {
      write({ 'include-unseen:/etc/httpd/old.conf': 'no-access-control', [QUESTION]: 'none' });
      const { err, out, code } = await folder().run(['plan', 'conf/httpd.conf']);
      assert.deepEqual([err, code], ['', 0], 'a stored answer may be used up');
      assert.ok(
        out
          .replace(/\s+/g, ' ')
          .includes(
            `Answered: 1 ${QUESTION} = none .httpd-upgrade.json has 2 answers. No question needs these now: include-unseen:/etc/httpd/old.conf. `,
          ),
        out,
      );
      write({ 'client-address': 'remoteip' });
      assert.equal((await folder().run(['plan', 'conf/httpd.conf'])).err, '', 'used up');
      const given = await folder().run(['plan', '--answer', 'client-address=remoteip', 'conf/httpd.conf']);
      assert.match(given.err, /The answer to "client-address" is not needed/);
    });

    it('says nothing about answers that the written fixes used up', async () => {
      write();
      const answer = ['--answer', `${QUESTION}=none`];
      assert.equal((await folder().run(['fix', '--write', ...answer, 'conf/httpd.conf'])).code, 0);
      assert.equal((await folder().run(['plan', ...answer, 'conf/httpd.conf'])).err, '');
    });

    for (const [title, given, reason] of [
      ['no value', QUESTION, /--answer must be ID=VALUE/],
      [
        'no such answer',
        `${QUESTION}=no`,
        /the answer to "htaccess-unseen:\/var\/www\/html" must be "none", "here=PATH" or "keep", not "no"/,
      ],
      ['no such question', 'perl=5', /there is no question "perl"/],
      ['a subject where there is none', 'mpm:/srv=event', /there is no question "mpm:\/srv"/],
      ['no such choice', 'php=4', /the answer to "php" must be "8", "7", "5", "none", "any" or "keep", not "4"/],
    ] as const) {
      it(`refuses an --answer with ${title}`, async () => {
        write();
        const { err, code } = await folder().run(['plan', '--answer', given, 'conf/httpd.conf']);
        assert.equal(code, 2);
        assert.match(err, reason);
      });
    }

    it('is read by people', async () => {
      write();
      for (const format of ['text', 'markdown']) {
        const { out } = await folder().run(['plan', '--format', format, 'conf/httpd.conf']);
        assert.match(
          out,
          /Does\s+any\s+\.htaccess\s+file\s+in,\s+below\s+or\s+above\s+\/var\/www\/html\s+use\s+Order,\s+Allow,\s+Deny\s+or\s+Require\?/,
        );
        assert.match(out, /htaccess-unseen:\/var\/www\/html=none/);
        assert.match(out, /(Answer the open question|1 question is open): 1 fix waits for it\./);
        assert.match(out, /conf\/httpd\.conf:17/);
      }
    });

    it('fits 80 columns, but for commands, and ends with what to do next', async () => {
      write();
      const { out } = await folder().run(['plan', 'conf/httpd.conf']);
      const rows = out.trimEnd().split('\n');
      assert.deepEqual(
        rows.filter((row) => row.length > 80 && !/^ +(find |grep |p='|httpd-upgrade |--answer )/.test(row)),
        [],
      );
      const end = rows.slice(rows.indexOf('What to do next'));
      assert.match(
        end.join('\n'),
        /httpd-upgrade migrate conf\/httpd\.conf\n[^]*httpd-upgrade fix --write conf\/httpd\.conf\n[^]*httpd-upgrade verify conf\/httpd\.conf$/,
      );
      assert.doesNotMatch(out, /\x1b/);
    });

    it('reads what the copy lacks from the directory of an answer, and asks on for the rest', async () => {
      const site = '<Directory /srv>\nOrder allow,deny\nDeny from all\n</Directory>\n';
      folder().write(
        'c/apache2.conf',
        `Listen 81\nInclude /etc/apache2/ports.conf\nInclude /etc/apache2/sites-enabled/\nInclude /etc/apache2/mods-enabled/*.conf\n${site}`,
      );
      folder().write('c/ports.conf', 'Listen 80\n');
      folder().write('empty/notes', 'x\n');
      folder().write('part/sites-enabled/x', site);
      const planWith = async (answer: string) => {
        const args = ['plan', '--format', 'json', '--answer', answer, 'c/apache2.conf'];
        const { out, err } = await folder().run(args);
        const { files, questions } = JSON.parse(out).configurations[0];
        return { files, err, question: questions.find(({ kind }: { kind: string }) => kind === 'include-unseen') };
      };
      const none = await planWith('include-unseen:/etc/apache2=here=empty');
      assert.equal(none.files, 2);
      assert.equal(none.question.answer, null);
      assert.match(none.question.why, /^empty, which you named, does not have them\. They are/);
      assert.equal((await planWith('htaccess-unseen:/=here=empty')).files, 2);
      const part = await planWith('include-unseen:/etc/apache2=here=part');
      assert.equal(part.files, 3);
      const whole = 'include-unseen:/etc/apache2=here=part';
      folder().write('part/mods-enabled/x.conf', 'Listen 82\n');
      const { out } = await folder().run(['plan', '--answer', whole, 'c/apache2.conf']);
      assert.match(out, /^Answered: 1\n {2}include-unseen:\/etc\/apache2 = here=part$/m);
      assert.match(part.question.question, /mods-enabled/);
      assert.doesNotMatch(part.question.question + part.question.why, /sites-enabled/);
      assert.equal(part.err, '');
    });

    it('promises no fix for lone files that the answer does not convert, because of each other', async () => {
      folder().write(
        'e/dav.conf',
        '<Directory "/srv/up">\nOrder allow,deny\nAllow from all\nAuthType Basic\nAuthName a\nAuthUserFile /u\n<LimitExcept GET>\nRequire user admin\n</LimitExcept>\n</Directory>\n',
      );
      folder().write(
        'e/info.conf',
        '<Location /server-info>\nOrder deny,allow\nDeny from all\nAllow from 10.0.0.1\n</Location>\n',
      );
      const plan = async (...answers: string[]) => {
        const args = answers.flatMap((each) => ['--answer', each]);
        const { out } = await folder().run(['plan', '--format', 'json', ...args, 'e']);
        return (JSON.parse(out) as UpgradePlan).configurations[0];
      };
      const { questions, byHand } = await plan();
      const [{ id, answers }] = questions;
      const after = await plan(`${id}=none`);
      assert.equal(answers[0]!.ready, after.ready.length);
      assert.deepEqual(
        byHand.map(({ file }) => file),
        ['e/info.conf'],
      );
    });

    it('names the target of a broken link as the Include line does, without paths of this machine', async () => {
      const section = '<Directory /srv>\nOrder allow,deny\nDeny from all\n</Directory>\n';
      const subjects = async (lines: string) => {
        folder().write('c/apache2.conf', `Listen 81\n${lines}${section}`);
        const { out } = await folder().run(['plan', '--format', 'json', 'c/apache2.conf']);
        const { questions } = (JSON.parse(out) as UpgradePlan).configurations[0];
        const unseen = questions.find(({ kind }) => kind === 'include-unseen')!;
        assert.doesNotMatch(unseen.question + unseen.why + unseen.findOut, new RegExp(folder().at('c')));
        return unseen.id;
      };
      folder().write('c/conf.d/a.conf', 'Listen 80\n');
      symlinkSync('/usr/share/javascript-common.conf', folder().at('c/conf.d/j.conf'));
      assert.equal(await subjects('Include conf.d/*.conf\n'), 'include-unseen:conf.d/j.conf');
      assert.equal(await subjects('Include conf.d\n'), 'include-unseen:conf.d/j.conf');
      const ofServer = 'include-unseen:/etc/apache2/conf.d/j.conf';
      assert.equal(await subjects('Include /etc/apache2/conf.d/\n'), ofServer);
      assert.equal(await subjects('ServerRoot /etc/apache2\nInclude /etc/apache2/conf.d/\n'), ofServer);
    });

    it('names sites-available, and the command to link its sites, if sites-enabled is missing', async () => {
      const hintWith = async () => {
        const { out } = await folder().run(['plan', '--format', 'json', 'd/apache2.conf']);
        const [question] = JSON.parse(out).configurations[0].questions;
        return /This copy has \d+ sites? in [^]*host names[^]*?\./.exec(question.why)?.[0];
      };
      folder().write(
        'd/apache2.conf',
        'Listen 80\nInclude /etc/apache2/sites-enabled/\n<Directory /x>\nOrder allow,deny\n</Directory>\n',
      );
      assert.equal(await hintWith(), undefined);
      for (const name of ['a', 'b', '.keep', 'a.bak']) folder().write(`d/sites-available/${name}`, 'Listen 81\n');
      assert.equal(
        await hintWith(),
        'This copy has 2 sites in sites-available, and no links to them. Without the 2.2 server, choose the sites that you need. Run these commands in the directory of apache2.conf (repeat the last one for each site that you need: NAME is its name), then run again:\n- mkdir -p sites-enabled\n- ln -s ../sites-available/NAME sites-enabled/NAME\nThe first link in alphabetical order answers requests for unknown host names.',
      );
      // a2ensite of 2.2 links this site as the first one.
      folder().write('d/sites-available/default', 'Listen 81\n');
      assert.equal(
        await hintWith(),
        'This copy has 3 sites in sites-available, and no links to them. Without the 2.2 server, choose the sites that you need. Run these commands in the directory of apache2.conf (repeat the last one for each other site that you need: NAME is its name), then run again:\n- mkdir -p sites-enabled\n- ln -s ../sites-available/default sites-enabled/000-default\n- ln -s ../sites-available/NAME sites-enabled/NAME\nThe first link in alphabetical order answers requests for unknown host names: on Debian, 000-default.',
      );
      // The links are there, but one leads nowhere.
      folder().write('d/sites-enabled/a', 'Listen 81\n');
      symlinkSync('../sites-available/gone', folder().at('d/sites-enabled/b'));
      assert.equal(await hintWith(), undefined);
    });

    it('offers to read all of mods-available, as a question of its own, if mods-enabled is missing', async () => {
      const questionsWith = async (...options: string[]): Promise<PlanQuestion[]> => {
        const { out } = await folder().run(['plan', '--format', 'json', ...options, 'd/apache2.conf']);
        return JSON.parse(out).configurations[0].questions;
      };
      folder().write(
        'd/apache2.conf',
        'ServerRoot /etc/apache2\nListen 80\nInclude mods-enabled/*.load\nInclude /etc/apache2/mods-enabled/*.conf\nInclude /etc/apache2/sites-enabled/\n<Directory /x>\nAllowOverride None\nOrder allow,deny\n</Directory>\n',
      );
      folder().write('d/sites-available/a', 'Listen 81\n');
      const before = await questionsWith();
      assert.deepEqual(
        before.map(({ id }) => id),
        ['include-unseen:*'],
      );
      const status = '<Location /server-status>\nOrder deny,allow\nDeny from all\n</Location>\n';
      for (const name of ['a.load', 'a.conf', 'status.conf', 'old.conf.bak'])
        folder().write(`d/mods-available/${name}`, name === 'status.conf' ? status : '');
      // Access lines of the user would count although their module may not be enabled.
      const [{ why, answers: offered }] = (await questionsWith()) as [PlanQuestion];
      assert.match(
        why,
        / But status\.conf in mods-available has access lines of your own, not those of the Debian package\. .* So choose this answer only if /,
      );
      assert.equal(offered.at(-1)!.value, 'here=d/mods-available');
      assert.doesNotMatch((await folder().run(['plan', 'd/apache2.conf'])).out, /mods-available[^()]*\(the usual/);
      folder().write('d/mods-available/status.conf', '');
      const [modules, sites, ...more] = await questionsWith();
      assert.deepEqual(more, []);
      assert.equal(sites!.id, 'include-unseen:/etc/apache2/sites-enabled/');
      assert.match(sites!.why, /1 site in sites-available/);
      assert.equal(modules!.id, 'include-unseen:/etc/apache2/mods-enabled');
      assert.match(
        modules!.why,
        / This copy has 3 files in mods-available, but not the links that enable them\. .*as if all /,
      );
      assert.equal(modules!.answers[0]!.value, 'here=d/mods-available');
      assert.match(modules!.answers[0]!.label, /^Read the 3 files of mods-available/);
      assert.equal(modules!.answers[0]!.ready, 1);
      const { out } = await folder().run(['plan', 'd/apache2.conf']);
      assert.match(
        out,
        /Read the 3 files of mods-available[^()]*\(the usual answer[^]*=here=d\/mods-available\n(?! *For PATH)/,
      );
      const answered = await questionsWith(
        '--answer',
        'include-unseen:/etc/apache2/mods-enabled=here=d/mods-available',
      );
      assert.deepEqual(
        answered.map(({ id }) => id),
        ['include-unseen:/etc/apache2/sites-enabled/'],
      );
      // With a project file elsewhere, the path stays relative to the current directory.
      folder().write('d/.httpd-upgrade.json', '{}');
      assert.equal((await questionsWith())[0]!.answers[0]!.value, 'here=d/mods-available');
      // With links, the files are read, and nothing is asked about them.
      folder().write('d/mods-enabled/a.load', '');
      assert.deepEqual(
        (await questionsWith()).map(({ id }) => id),
        ['include-unseen:/etc/apache2/sites-enabled/'],
      );
    });

    it('a line that needs a module shows that 2.2 reads its file in mods-available', async () => {
      const main = 'ServerRoot /etc/apache2\nListen 80\nInclude mods-enabled/*.conf\nInclude sites-enabled/\n';
      const PROXY = 'ProxyPass /a http://192.0.2.1/\n';
      const access = '<Location /s>\nOrder deny,allow\nDeny from all\n</Location>\n';
      folder().write('d/mods-available/proxy.conf', access);
      const questionWith = async (site: string, mainText = main) => {
        folder().write('d/apache2.conf', `${mainText}${access}`);
        folder().write('d/sites-enabled/a', site);
        const { out } = await folder().run(['plan', '--format', 'json', 'd/apache2.conf']);
        const { questions } = JSON.parse(out).configurations[0] as { questions: PlanQuestion[] };
        const { why, answers } = questions.find(({ id }) => id === 'include-unseen:/etc/apache2/mods-enabled')!;
        return { why, isUsual: answers[0]!.value === 'here=d/mods-available' };
      };
      const proven = await questionWith(`Listen 81\n${PROXY}`);
      assert.match(
        proven.why,
        / The access lines of mods-available\/proxy\.conf are not those of the Debian package, and 2\.2 reads this file: sites-enabled\/a:2 has ProxyPass, so proxy was enabled\. .*take the usual answer/,
      );
      assert.doesNotMatch(proven.why, /only if/);
      assert.equal(proven.isUsual, true);
      const unproven = [
        await questionWith(`<IfModule mod_proxy.c>\n${PROXY}</IfModule>\n`),
        await questionWith(`<IfDefine X>\n${PROXY}</IfDefine>\n`),
        await questionWith(`# ${PROXY}`),
        await questionWith(`LoadModule proxy_module /usr/lib/apache2/modules/mod_proxy.so\n${PROXY}`),
        await questionWith(PROXY, main.replace(/^Include sites.*$/m, '<IfModule mod_x.c>\n$&\n</IfModule>')),
      ];
      for (const { why, isUsual } of unproven) {
        assert.match(
          why,
          /proxy\.conf in mods-available has access lines of your own, not those of the Debian package\. .* So choose this answer only if/,
        );
        assert.equal(isUsual, false);
      }
      // The other file still decides.
      folder().write('d/mods-available/status.conf', access);
      const { why, isUsual } = await questionWith(PROXY);
      assert.match(
        why,
        /so proxy was enabled\. The answer .* But status\.conf in mods-available has access lines of your own, not those of the Debian package\. .* So choose/,
      );
      assert.equal(isUsual, false);
    });

    it('names own lines in mods-available, whether the server reads it, and only of enabled modules', async () => {
      const taskWith = async (...options: string[]) => {
        const { out } = await folder().run(['plan', '--format', 'json', ...options, 'd/apache2.conf']);
        const { onServer } = JSON.parse(out).configurations[0];
        return onServer.find(({ id }: { readonly id: string }) => id === 'module-lines');
      };
      folder().write('d/apache2.conf', 'ServerRoot /etc/apache2\nListen 80\nInclude mods-enabled/*.conf\n');
      folder().write('d/mods-available/alias.conf', 'Redirect /a /b\n');
      folder().write('d/mods-available/dir.conf', 'DirectoryIndex own.html\n');
      const named = /d?mods-available\/alias\.conf \(line 1\) and mods-available\/dir\.conf \(line 1\)/;
      assert.match((await taskWith()).what, named);
      const answered = await taskWith('--answer', 'include-unseen:/etc/apache2/mods-enabled=here=d/mods-available');
      assert.match(answered.what, named);
      assert.deepEqual(answered.because, [
        { file: 'd/mods-available/alias.conf', line: 0 },
        { file: 'd/mods-available/dir.conf', line: 0 },
      ]);
      folder().write('d/mods-enabled/.keep', '');
      symlinkSync('../mods-available/alias.conf', folder().at('d/mods-enabled/alias.conf'));
      const enabled = await taskWith();
      assert.match(enabled.what, /: mods-available\/alias\.conf \(line 1\)\./);
      assert.doesNotMatch(enabled.what, /dir\.conf/);
    });

    it('names the answers that their fixes used up', async () => {
      folder().write('x/.htaccess', 'Order allow,deny\nDeny from all\n');
      const answer = ['--answer', 'outside-unseen:.=none'];
      await folder().run(['fix', '--write', ...answer, 'x']);
      assert.equal(folder().text('x/.htaccess'), 'Require all denied\n');
      const { out, err } = await folder().run(['plan', ...answer, 'x']);
      assert.match(out, /\nAnswers\n {2}Not asked any more: outside-unseen:\.\n/);
      assert.equal(err, '');
    });

    it('gives the reason if files need other lines together than alone, and no suggestion', async () => {
      folder().write(
        'www/a.conf',
        '<Directory /srv>\nOrder deny,allow\nDeny from all\nAllow from 192.0.2.1\n</Directory>\n',
      );
      folder().write(
        'www/b/b.conf',
        '<Directory /srv/b>\nAuthType Basic\nRequire valid-user\nSatisfy Any\n</Directory>\n',
      );
      const { out } = await folder().run(['plan', '--format', 'json', '--answer', 'outside-unseen:.=none', 'www']);
      const { waiting, byHand } = JSON.parse(out).configurations[0];
      assert.deepEqual(waiting, []);
      const notConverted = byHand.filter(({ rule }: { rule: string }) => rule === 'order-allow-deny');
      assert.equal(notConverted.length, 2);
      for (const { what, suggestion } of notConverted) {
        assert.match(
          what,
          /^Not converted: (?:www\/a|b\/b)\.conf has access lines for the same requests, .*: convert these lines/,
        );
        assert.equal(suggestion, undefined);
      }
    });

    it('fix --write ends with the questions that are open', async () => {
      write();
      const { err } = await folder().run(['fix', '--write', 'conf/httpd.conf']);
      assert.match(
        err,
        new RegExp(
          `One question is open. Add one of these options to the command:\\n {2}Does any [^?]*\\?\\n {4}--answer ${QUESTION}=keep {3}\\(Yes: keep the old lines\\)\\n {4}or --answer ${QUESTION}=here=PATH {3}\\(I have a copy\\. For PATH, write the path of your copy of /var/www/html\\)\\n {4}or --answer ${QUESTION}=none {3}\\(No\\)\\n1 problem is left\\. To see what to do, and how to find the answer:\\n {2}httpd-upgrade plan conf/httpd\\.conf\\n`,
        ),
      );
      assert.doesNotMatch(
        (await folder().run(['fix', '--write', '--answer', `${QUESTION}=none`, 'conf/httpd.conf'])).err,
        /question/,
      );
    });

    it('asks one question for files that no main file at hand includes', async () => {
      folder().write('site.conf', '<Directory /srv>\nOrder allow,deny\nAllow from all\n</Directory>\n');
      const {
        configurations: [{ root, questions, waiting }],
      } = JSON.parse((await folder().run(['plan', '--format', 'json', 'site.conf'])).out) as UpgradePlan;
      assert.equal(root, '.');
      assert.deepEqual(
        questions.map(({ id }) => id),
        ['outside-unseen:.'],
      );
      assert.equal(waiting.length, 1);
      await folder().run(['fix', '--write', '--answer', 'outside-unseen:.=none', 'site.conf']);
      assert.equal(folder().text('site.conf'), '<Directory /srv>\nRequire all granted\n</Directory>\n');
    });

    it('offers the mapping with which missing Include lines find files of the copy', async () => {
      const section =
        '<Directory /srv/a>\n    AllowOverride None\n    Order allow,deny\n    Allow from all\n</Directory>\n';
      folder().write(
        'flat/httpd.conf',
        `ServerRoot "/usr/local"\nListen 80\nInclude etc/apache22/extra/one.conf\nInclude etc/apache22/extra/two.conf\nInclude etc/other/*.conf\n${section}`,
      );
      folder().write('flat/one.conf', 'Timeout 60\n');
      folder().write('flat/two.conf', section.replace('/srv/a', '/srv/b'));
      const { out } = await folder().run(['plan', 'flat/httpd.conf']);
      assert.match(
        out.replace(/\s+/g, ' '),
        /2 of the 3 missing files are in another directory of this copy\. Best: add --map \/usr\/local\/etc\/apache22\/extra=flat to the command, and run it again\. To make this permanent, /,
      );
      const { out: mapped } = await folder().run([
        'plan',
        '--map',
        '/usr/local/etc/apache22/extra=flat',
        'flat/httpd.conf',
      ]);
      assert.match(mapped, /flat\/two\.conf:3/);
      assert.doesNotMatch(mapped, /extra\/one|This copy has/);
    });

    it('names the working directory in the mapping so that no full stop follows its name', async () => {
      const section = '<Directory /srv>\nOrder allow,deny\nAllow from all\n</Directory>\n';
      folder().write(
        'server/httpd.conf',
        `ServerRoot /srv/x\nListen 80\nInclude /opt/own/conf/extra/one.conf\n${section}`,
      );
      folder().write('server/extra/one.conf', 'Timeout 60\n');
      const { out } = await folder().run(['plan', '.'], { cwd: folder().at('server') });
      assert.match(out.replace(/\s+/g, ' '), / add --map \/opt\/own\/conf=\. to the command, /);
    });

    it('offers a mapping that works in the working directory, below a project file', async () => {
      folder().write('top/.httpd-upgrade.json', '{}');
      folder().write(
        'top/sub/httpd.conf',
        'ServerRoot /etc/httpd\nListen 80\nInclude /opt/x/one.conf\n<Directory /srv>\nOrder allow,deny\n</Directory>\n',
      );
      folder().write('top/sub/flat/notes', '');
      folder().write('top/sub/one.conf', 'Timeout 60\n');
      const inFlat = { cwd: folder().at('top/sub') };
      const { out } = await folder().run(['plan', 'httpd.conf'], inFlat);
      const offered =
        /add (--map) (\/opt\/x=\S+) to the command, and run it again\. To make this permanent, write \{"pathMap": \{"\/opt\/x": "sub"\}\} into the file \.httpd-upgrade\.json/.exec(
          out.replace(/\s+/g, ' '),
        );
      assert.ok(offered, out);
      const { out: mapped } = await folder().run(['plan', offered[1]!, offered[2]!, 'httpd.conf'], inFlat);
      assert.match(mapped, /^httpd\.conf \(2 files\)$/m);
    });

    it('asks of a lone file whether two of its sections meet', async () => {
      folder().write(
        'lone.conf',
        '<LocationMatch ^/a/x>\n    Order allow,deny\n    Allow from all\n    Deny from 192.0.2.7\n</LocationMatch>\n<Location /a>\n    Require user x\n</Location>\n',
      );
      const outside = ['--answer', 'outside-unseen:.=none'];
      const { out } = await folder().run(['plan', '--format', 'json', ...outside, 'lone.conf']);
      const id = 'overlap:<LocationMatch ^/a/x> and <Location /a>';
      const [{ questions }] = (JSON.parse(out) as UpgradePlan).configurations;
      assert.deepEqual(
        questions
          .filter((each) => each.id === id)
          .map(({ answers }) => answers.map((each) => [each.value, each.ready])),
        [
          [
            ['never-meet', 1],
            ['meet', 0],
          ],
        ],
      );
      await folder().run(['fix', '--write', ...outside, '--answer', `${id}=meet`, 'lone.conf']);
      assert.match(folder().text('lone.conf'), OLD);
      await folder().run(['fix', '--write', ...outside, '--answer', `${id}=never-meet`, 'lone.conf']);
      assert.doesNotMatch(folder().text('lone.conf'), OLD);
      assert.match(folder().text('lone.conf'), /Require not ip 192\.0\.2\.7/);
    });

    it('asks of a lone file whether a URL of a location leads to a directory', async () => {
      const login = 'AuthType Basic\n    AuthName x\n    AuthUserFile /x\n    Require valid-user';
      const docs = `<Directory /srv/docs>\n    ${login}\n</Directory>\n`;
      const location = '<Location /private>\n    Order deny,allow\n    Deny from all\n    Allow from 10\n</Location>\n';
      folder().write('docs.conf', docs + location);
      const outside = ['--answer', 'outside-unseen:.=none'];
      const idsOf = async (file: string) => {
        const { out } = await folder().run(['plan', '--format', 'json', ...outside, file]);
        return (JSON.parse(out) as UpgradePlan).configurations[0]!.questions.map(({ id }) => id);
      };
      const id = 'overlap:<Directory /srv/docs> and <Location /private>';
      assert.ok((await idsOf('docs.conf')).includes(id));
      await folder().run(['fix', '--write', ...outside, '--answer', `${id}=meet`, 'docs.conf']);
      assert.equal(folder().text('docs.conf'), docs + location);
      await folder().run(['fix', '--write', ...outside, '--answer', `${id}=never-meet`, 'docs.conf']);
      assert.equal(folder().text('docs.conf'), `${docs}<Location /private>\n    Require ip 10\n</Location>\n`);
      // If the directory has the DocumentRoot, a URL of the location leads into it.
      const host = `<VirtualHost *:80>\nServerName a\nDocumentRoot /srv/docs\n${docs}${location}</VirtualHost>\n`;
      folder().write('host.conf', host);
      assert.ok(!(await idsOf('host.conf')).some((each) => each.startsWith('overlap:')));
      // A server that is known has no such question: its lines show where the URL leads.
      folder().write('known.conf', `ServerRoot /etc/x\nListen 80\nDocumentRoot /srv/docs\n${docs}${location}`);
      assert.ok(!(await idsOf('known.conf')).some((each) => each.startsWith('overlap:')));
    });

    it('offers no mapping with a word that a shell would change', async () => {
      folder().write(
        'odd/httpd.conf',
        'ServerRoot "/usr/local"\nListen 80\nInclude "etc/$(touch x)/one.conf"\n<Directory /srv/a>\n    Order allow,deny\n    Allow from all\n</Directory>\n',
      );
      folder().write('odd/one.conf', 'Timeout 60\n');
      assert.doesNotMatch((await folder().run(['plan', 'odd/httpd.conf'])).out, /--map/);
    });
  }),
);
