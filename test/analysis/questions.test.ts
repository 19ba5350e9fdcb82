/** The texts of all questions: what they name, and which answers they offer. */
import assert from 'node:assert/strict';
import { ANSWER_KEEP, QUESTION_KINDS, questionText, type QuestionText } from '../../server/src/analysis/answers';
import { NO_LINE_SUFFIX } from '../../server/src/access/open-question';
import { canOpenAccess, findOutCommandOf, markOfUsualAnswer } from '../../server/src/analysis/question-surfaces';

const SUBJECTS: Readonly<Record<string, string>> = {
  'htaccess-unseen': '/srv/shop',
  'include-unseen': 'mods-enabled/*.load',
  'outside-unseen': 'conf/a.conf',
  'served-anywhere': 'UserDir public_html',
  'other-main': 'conf/httpd.conf.old',
  'override-admitted': 'AllowOverride Limit',
  define: 'SSL',
  'operand-host': 'None',
  overlap: '<Location /a> and <Directory /b>',
};

const textOf = (kind: string, facts: readonly string[] = []): QuestionText =>
  questionText(kind in SUBJECTS ? `${kind}:${SUBJECTS[kind]}` : kind, [], undefined, facts)!;

describe('the text of a question', () => {
  for (const kind of QUESTION_KINDS) {
    it(`names its subject, asks, and offers the usual answer first: ${kind}`, () => {
      const { question, why, choices } = textOf(kind);
      const subject = SUBJECTS[kind];
      if (subject !== undefined) assert.ok(question.includes(subject), question);
      assert.match(question, /\?$/);
      assert.ok(question.length <= 120, question);
      assert.notEqual(choices[0]!.value, ANSWER_KEEP);
      assert.ok(choices.length >= 2, question);
      assert.equal(new Set(choices.map(({ label }) => label)).size, choices.length);
      for (const text of [question, why, ...choices.map(({ label }) => label)])
        assert.doesNotMatch(text, /\b(folder|operand|blank|not here|unseen|new server|old server)\b/i, text);
    });
  }

  it('about other files names the sections and files that can apply to the same requests', () => {
    const about = (...tags: string[]) => {
      const search = { folders: [], names: ['*.conf'] };
      const { question, why, findOut } = questionText('outside-unseen:.', [], search, tags)!;
      return { question, why, findOut, searchesHtaccess: findOut.includes('-name .htaccess') };
    };
    const directory = about('<Directory /srv/www>');
    assert.match(directory.question, / for the same directory as <Directory \/srv\/www>, or for one above or below\?$/);
    assert.match(
      directory.findOut,
      / Yes: an access line is in a section for \/srv\/www, for a directory above or below it \(<Directory \/> counts\), or for a URL that leads there \(<Location>\); or in a <Files> section, except one for \.ht names\. /,
    );
    assert.match(
      about('<Directory "/srv/a b">', '<Directory /srv/c>').findOut,
      / in a section for \/srv\/a b or \/srv\/c, for a directory above or below them \(/,
    );
    assert.match(
      directory.findOut,
      / Also Yes: the second command names a \.htaccess file in, above or below such a directory\. No: neither /,
    );
    // `<Files>` applies in all directories, so nothing is above or below it.
    const files = about('<Files x.bak>', '<Directory /srv/www>');
    assert.match(files.question, / for any directory, URL or file name\?$/);
    assert.match(files.why, /<Files x\.bak> applies in all directories, so access lines in any section count\. /);
    assert.match(files.findOut, / Yes: an access line is in any section that is not for \.ht names\. Also Yes: /);
    assert.doesNotMatch(files.question + files.why + files.findOut, /above or below/);
    // Nothing is above these sections, and everything is below them.
    for (const [tag, why] of [
      ['<Location />', 'applies to all URLs'],
      ['<Location "/">', 'applies to all URLs'],
      ['<LocationMatch ^/>', 'applies to all URLs'],
      ['<Directory />', 'applies to all directories'],
    ] as const) {
      const all = about(tag, '<Directory /srv/x>', '<Location /svnroot>');
      assert.match(all.question, / for any directory, URL or file name\?$/, tag);
      assert.ok(all.why.includes(`${tag} ${why}, so access lines in any section count. `), all.why);
      assert.doesNotMatch(all.question + all.findOut, /above/, tag);
    }
    assert.match(about('<Location ~ "/$">', '<Directory /srv/x>').question, /above or below/);
    // mod_proxy reads no .htaccess file.
    const proxy = about('<Proxy http://localhost:8001/*>');
    assert.match(proxy.question, /, or for URLs that ProxyPass sends there\?$/);
    assert.match(proxy.findOut, / in a <Proxy> section for the same backend as <Proxy http:\/\/localhost:8001\/\*>, /);
    assert.doesNotMatch(proxy.why + proxy.findOut, /\.htaccess/);
    assert.deepEqual(
      [directory, files, proxy].map((each) => each.searchesHtaccess),
      [true, true, false],
    );
  });

  it('about other files asks about access lines, whatever waits for it: one answer settles all', () => {
    const about = (facts: readonly string[]) =>
      questionText('outside-unseen:.', [], { folders: [], names: ['*.conf'] }, facts)!.question;
    assert.match(about([]), /^Do other files of the server have Order, .* for a directory or URL of these files, or /);
    assert.match(about(['<Directory /srv>']), / lines for the same directory as <Directory \/srv>, or /);
  });

  it('about two sections names the lines that can lead from the URL to the directory', () => {
    const findOutFor = (location: string) => questionText(`overlap:<Directory /srv/x> and ${location}`)!.findOut;
    assert.match(findOutFor('<Location /a>'), / for Alias, AliasMatch, ScriptAlias, ScriptAliasMatch, DocumentRoot, /);
    for (const location of ['<Location /~ann>', '<Location />', '<LocationMatch x>'])
      assert.match(findOutFor(location), /, UserDir, /, location);
  });

  it('offers no answer first that weakens the server', () => {
    assert.equal(textOf('defaults').choices[0]!.value, '2.4');
  });

  it('shows the lines and values at stake', () => {
    const kinds = ['client-address', 'rewrite-log', 'php', 'modules', 'defaults'];
    for (const kind of kinds) {
      const { question, why } = textOf(kind, ['FACT 1 (was 2)', 'FACT 3']);
      assert.match(`${question} ${why}`, /FACT 1 \(was 2\)[^]*FACT 3/, kind);
    }
    assert.match(questionText('running-version', ['Require all granted'])!.why, /: Require all granted\./);
    assert.match(questionText('unknown-directives', ['FooAllow'])!.question, /FooAllow/);
  });

  it('lists new defaults in rows, and states how many the answer 2.2 keeps', () => {
    const { why, choices } = questionText('defaults', [], undefined, ['A 1 (was 2)', `B 3${NO_LINE_SUFFIX}`])!;
    assert.equal(why, 'The new default of 2.4:\n- A 1 (was 2)\nThe answer No does not restore this one:\n- B 3');
    assert.equal(choices[1]!.label, 'No: keep the values of 2.2: add lines, for 1 of the 2 settings');
    const all = questionText('defaults', [], undefined, ['A 1 (was 2)'])!;
    assert.equal(all.choices[1]!.label, 'No: keep the value of 2.2: add lines');
  });

  it('searches all mounts for the whole server, but not the files of the kernel', () => {
    for (const id of ['htaccess-unseen:/', 'served-anywhere:RewriteRule ^/q/(.*) /$1']) {
      const { question, findOut } = questionText(id)!;
      assert.match(findOut, /^find -L \/ \\\( -path \/proc .*-prune -o -name .*No: it names none, /, id);
      assert.doesNotMatch(findOut, /-xdev|2>/, id);
      assert.doesNotMatch(question, /above \//);
    }
    assert.doesNotMatch(questionText('htaccess-unseen:/var/www')!.findOut, /-prune/);
  });

  it('names lines that only a PHP module accepts, apart from names of the module', () => {
    const settings = textOf('php', ['php_admin_flag engine on']);
    assert.match(settings.why, /^These lines are only valid with a PHP module: php_admin_flag engine on\. /);
    assert.equal(settings.choices[0]!.label, 'PHP 8 as a module: keep these lines');
    assert.match(settings.choices.find(({ value }) => value === 'none')!.label, /\. The settings become comments/);
    const withoutModule = (...lines: string[]) =>
      textOf('php', lines).choices.find(({ value }) => value === 'none')!.label;
    assert.match(
      withoutModule('php_value memory_limit 1M'),
      /no PHP\. The settings become comments [^.]+: \.user\.ini/,
    );
    assert.match(withoutModule('php_flag engine off'), /no PHP\. You replace the lines with "engine off" by hand/);
    assert.match(withoutModule('PHPIniDir /etc'), /no PHP\. The PHPIniDir line is removed$/);
    assert.match(
      withoutModule('LoadModule php5_module modules/libphp5.so', '<IfModule mod_php5.c>'),
      /no PHP\. The LoadModule line of PHP is removed\. <IfModule> sections of PHP stay as they are$/,
    );
    const names = textOf('php', ['LoadModule php5_module modules/libphp5.so']);
    assert.doesNotMatch(`${names.why} ${names.choices.map(({ label }) => label).join(' ')}`, /settings|only valid/);
  });

  it('says what the output of a command of Windows means', () => {
    for (const [id, facts] of [
      ['include-unseen:D:/sites/*.conf', []],
      ['htaccess-unseen:D:/www', []],
      ['php', ['LoadModule php5_module "C:/php/php5apache2_2.dll"']],
    ] as const) {
      const { findOut } = questionText(id, [], undefined, facts)!;
      const { placeToRun, command, meaning } = findOutCommandOf(findOut);
      assert.match(placeToRun, /^on the 2\.[24] server/, id);
      assert.match(command, /^(findstr|dir) [^#]*"$/, id);
      assert.match(meaning, /means|Yes: |is PHP 8/, id);
    }
  });

  it('searches a server of Unix, also if a path of Windows is among the Includes', () => {
    const { findOut } = questionText('include-unseen:*', ['/etc/a/*.conf', 'C:/old/*.conf'])!;
    assert.match(findOut, /find -L \/etc\/a\/\*\.conf "\$R"\/C:\/old\/\*\.conf -type f /);
  });

  it('says which answer "No such file" means', () => {
    const meaning = (...paths: string[]) => findOutCommandOf(questionText('include-unseen:*', paths)!.findOut).meaning;
    for (const paths of [
      ['/a/*.conf', '/b/*.conf'],
      ['/a/x.conf', '/b/y.conf'],
      ['/a/*.conf', '/b/y.conf'],
    ])
      assert.match(
        meaning(...paths),
        / No, and without .*, or the 2\.2 server answers "No such file"\. I don't know: /,
      );
    assert.match(
      meaning('a/x.conf', 'b/*.conf'),
      /\. I don't know: "No such file", because .*ServerRoot\. Or the output has "Use NAME" /,
    );
    for (const { value, label } of questionText('include-unseen:/a/x.conf')!.choices)
      if (value === 'no-hosts') assert.match(label, / or it does not exist$/);
  });

  it('says what to do about missing included files without the 2.2 server', () => {
    const why = (id: string, files: readonly string[] = [], facts: readonly string[] = []) =>
      questionText(id, files, undefined, facts)!.why;
    assert.match(
      why('include-unseen:/a/x.conf'),
      /If you cannot copy it:\n- You can log in to the 2\.2 server: .* below\.\n- It is lost, and you will not write new ones: give the answer with "does not exist"\. Its restrictions are lost then\.\n- It is lost, and you will write new ones for the 2\.4 server: answer Yes/,
    );
    assert.match(
      why('include-unseen:*', ['/a/x.conf', '/b/y.conf']),
      /\n- They are lost, and you will not write new ones: give the answer with "do not exist"\. Their /,
    );
    for (const id of ['include-unseen:/a/x.conf', 'include-unseen:/a/*.conf', 'include-unseen:sites-enabled/']) {
      const [, named] = /the answer with "(do(?:es)? not exist)"/.exec(why(id))!;
      const labels = questionText(id)!.choices.filter(({ label }) => label.includes(named!));
      assert.deepEqual(
        labels.map(({ value }) => value),
        ['no-hosts'],
      );
    }
    // These files are in the copy, and modules of conf.modules.d can be those of the 2.4 server.
    const mapping = '1 of the 2 missing files is in another directory of this copy. Best: run again with --map /a=b.';
    assert.doesNotMatch(why('include-unseen:*', ['/a/x.conf', '/b/y.conf'], [mapping]), /no longer have/);
    assert.match(why('include-unseen:conf.modules.d/*.conf'), /You can log in to the server that reads these files: /);
  });

  it('offers the answer that missing files have no virtual hosts first, unless they are the sites', () => {
    const first = (id: string, files: readonly string[] = []) => questionText(id, files)!.choices[0]!.label;
    assert.equal(first('include-unseen:*', ['a.conf']), 'No, and they have no <VirtualHost>, or they do not exist');
    assert.equal(first('include-unseen:*', ['a.conf', 'sites-enabled/']), 'No, but they have <VirtualHost>');
    assert.equal(first('include-unseen:/etc/apache2/sites-enabled/'), 'No, but they have <VirtualHost>');
  });

  it('says first that the sites are missing', () => {
    const files = ['a.conf', 'b.conf', 'c.conf', 'sites-enabled/'];
    const { question } = questionText('include-unseen:*', files)!;
    assert.match(
      question,
      /^Your sites were not read: sites-enabled\/, a\.conf, b\.conf and 1 more are not in this copy\. /,
    );
    const one = questionText('include-unseen:/etc/apache2/sites-enabled/')!.question;
    assert.match(
      one,
      /^Your sites were not read: \/etc\/apache2\/sites-enabled\/ is not in this copy\. Do the files in it /,
    );
    assert.match(questionText('include-unseen:extra/sites.conf')!.question, /^The included file extra\/sites\.conf /);
  });

  it('counts missing files instead of a long list, and names them in the explanation', () => {
    const files = ['one', 'two', 'three', 'four'].map((each) => `/usr/local/apache/conf/${each}.conf`);
    const { question, why } = questionText('include-unseen:/', files)!;
    assert.equal(question, '4 included files are not in this copy. Do they use Order, Allow, Deny or Require?');
    assert.match(why, /^They are \/usr\/local\/apache\/conf\/one\.conf, .* and 1 more\. Best: copy them /);
    const mapping = '4 of the 4 missing files are in another directory of this copy. Best: run again with --map /a=b.';
    const mapped = questionText('include-unseen:/', files, undefined, [mapping])!.why;
    assert.equal(mapped.split('Best:').length, 2, mapped);
  });

  it('does not call it usual that the server does not use httpd.conf', () => {
    assert.equal(markOfUsualAnswer('other-main:conf/httpd.conf', 0), '');
    assert.equal(markOfUsualAnswer('other-main:httpd-old.conf', 0), 'the usual answer');
  });

  it('tells which servers need the defaults of 2.2', () => {
    const silent = 'Timeout 60 (was 300): a request or script that is silent for 60 seconds ends';
    assert.match(
      textOf('defaults', [silent]).findOut,
      /^Yes is right for most servers\. If a site here needs the old value, /,
    );
    assert.equal(textOf('defaults', ['FileETag MTime Size']).findOut, 'Yes is right for most servers');
  });

  it('finds PHP by its files, because httpd -M lists nothing where the configuration has an error', () => {
    assert.match(questionText('php')!.findOut, /^find \/usr \/opt -name 'libphp\*\.so' /);
  });

  it('searches the homes of macOS, and those below a directory of /home', () => {
    const search = { folders: ['~*/Sites'], names: [] };
    const { findOut } = questionText('served-anywhere:UserDir Sites', [], search)!;
    assert.match(findOut, /;\n\(getent passwd \| cut -d: -f6; ls -d \/Users\/\*\) .* find -L "\$h"\/Sites -name /);
  });

  it('looks for a client only where a log has its name', () => {
    const { findOut } = questionText('operand-host:a.b')!;
    const [, pattern] = /^grep -shiE '([^']+)'/.exec(findOut)!;
    const isFound = (row: string) => new RegExp(pattern!).test(row);
    assert.ok(isFound('a.b - - [1/Jan/2010]') && isFound('x.a.b - - [') && isFound('www.example.org:80 a.b - - ['));
    assert.ok(!isFound('192.0.2.1 - a.b [1/Jan/2010]') && !isFound('xa.b - - [') && !isFound('axb - - ['));
  });

  it('names the Require lines of a section, because the section is also of 2.2', () => {
    const { why } = questionText('running-version', ['<Directory "/var/www">', '<RequireAll>'])!;
    assert.match(why, /: Require in <Directory "\/var\/www"> and <RequireAll>\./);
  });

  it('asks about each of several main files', () => {
    const { question, choices } = questionText('other-main:a.conf', ['a.conf', 'b.conf'])!;
    assert.match(question, /any of these files: a\.conf and b\.conf\?$/);
    assert.match(choices[1]!.label, /^Yes, at least one/);
  });

  it('names a single fact without "and"', () => {
    for (const kind of ['php', 'modules', 'rewrite-log']) {
      const { why } = questionText(kind, [], undefined, ['FACT 1', ''])!;
      assert.match(why, /FACT 1/);
      assert.doesNotMatch(why, / {2}|and FACT/, kind);
    }
  });

  it('the answer that modules are files says that logins work on 2.2, if it loads a module of a login', () => {
    const labelOf = (...modules: readonly string[]) =>
      questionText('modules', [], undefined, modules)!.choices[0]!.label;
    assert.equal(labelOf('mod_alias'), 'Separate files: add a LoadModule line for this module');
    const forLogins = 'Separate files, and logins work on 2.2: add a LoadModule line for each of these modules';
    for (const module of ['mod_authz_user', 'mod_auth_basic']) assert.equal(labelOf('mod_alias', module), forLogins);
  });

  it('asks whether the packages load modules if the copy lacks their files, and takes it that they do', () => {
    const { question, why, findOut, choices } = questionText('modules', [], undefined, [
      'mod_unixd',
      'conf.modules.d/*.conf',
      'mod_alias',
    ])!;
    assert.equal(question, 'Do the files of conf.modules.d/*.conf load mod_unixd and mod_alias on the 2.4 server?');
    assert.match(why, /^conf\.modules\.d\/\*\.conf is not in this copy[^]*Red Hat and Fedora load their modules there/);
    assert.match(findOut, /httpd -M/);
    assert.deepEqual(
      choices.map(({ value, label }) => [value, label]),
      [
        ['keep', 'Yes: the packages load them, so add no line'],
        ['files', 'No: add a LoadModule line for each of these modules'],
      ],
    );
    const one = questionText('modules', [], undefined, ['mod_unixd', '/etc/httpd/conf.modules.d/*.conf'])!;
    assert.match(one.choices[1]!.label, /^No: add a LoadModule line for this module$/);
  });

  it('is answered by Yes or No where a wrong answer opens access and it asks a fact', () => {
    for (const kind of QUESTION_KINDS.filter(canOpenAccess).filter((each) => each !== 'client-address'))
      assert.match(
        textOf(kind)
          .choices.map(({ label }) => label)
          .join('\n'),
        /^(Yes|No)\b/m,
        kind,
      );
  });
});
