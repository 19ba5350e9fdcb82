/** The report for the person who approves an upgrade, as Markdown and as HTML. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { marked, type Token } from 'marked';
import { upgradePlan, type PlanFinding } from '../../../server/src/analysis/upgrade-plan';
import type { OpenQuestion } from '../../../server/src/access/open-question';
import { accessExplanationAt } from '../../../server/src/features/explain-access';
import { STYLE_SHEET, STYLE_SHEET_DIGEST } from '../../../server/src/features/report/html';
import { upgradeReport, type UpgradeReport } from '../../../server/src/features/report/upgrade-report';
import { Tree } from '../../../server/src/syntax/document';

const DOUBT: OpenQuestion = { kind: 'htaccess-unseen', subject: '/var/www', scope: 'outside', places: [] };
const QUESTION = 'htaccess-unseen:/var/www';

function report({
  answer,
  findings,
  config = '',
}: {
  answer?: string;
  findings: readonly PlanFinding[];
  config?: string;
}): UpgradeReport {
  const tree = Tree.parse(config);
  const access = [...config.matchAll(/^\s*(?=Order)/gm)].map(({ index, 0: lead }) => ({
    file: 'httpd.conf',
    line: tree.positionAt(index + lead.length).line,
    answer: (marks: Parameters<typeof accessExplanationAt>[2]) => accessExplanationAt(tree, index + lead.length, marks),
  }));
  const answerSet = { answers: new Map(answer === undefined ? [] : [[QUESTION, answer]]), folder: '/' };
  const plan = upgradePlan([{ root: 'httpd.conf', files: 1, findings, answerSet, placeOf: () => null }]);
  return {
    plan,
    details: [{ blocking: findings.filter(({ isBlocking }) => isBlocking), access, answers: [] }],
    argumentsToRepeat: 'httpd.conf',
    madeBy: 'httpd-upgrade 1',
    date: null,
  };
}

const finding = (over: Partial<PlanFinding> = {}): PlanFinding => ({
  rule: 'max-clients',
  messageId: 'renamed',
  file: 'httpd.conf',
  line: 4,
  message: 'MaxClients is old.',
  isBlocking: false,
  fix: { title: 'Rename it', isSafe: true, waitsFor: [], restsOn: [] },
  ...over,
});

const FINDINGS = [
  finding(),
  finding({ line: 9 }),
  finding({
    rule: 'order-allow-deny',
    line: 2,
    isBlocking: true,
    fix: { title: 'Convert it', isSafe: false, waitsFor: [DOUBT], restsOn: [] },
  }),
  finding({ rule: 'ssl-mutex', line: 7, isBlocking: true, message: 'SSLMutex is gone.', fix: null }),
];

describe('the report of an upgrade', () => {
  it('has all of it, in Markdown', () => {
    assert.equal(
      upgradeReport(
        report({
          findings: FINDINGS,
          config:
            '<Directory /srv>\nOrder deny,allow\nDeny from all\n</Directory>\n<Directory /tmp>\nOrder deny,allow\nDeny from all\n</Directory>\n',
        }),
        'markdown',
      ),
      `# Upgrade from httpd 2.2 to 2.4

**The access control of 1 section waits for an answer. 2 problems in the files block httpd 2.4.**

This report shows the upgrade of \`httpd.conf\`: what to do, who has access before and after, and what is left to decide.

## At a glance

\`███████████████▒▒▒▒▒▒▒▒·······\` Ready: 2 · Waiting for an answer: 1 · By hand: 1

- 2 blocking · 1 question open · 2 fixes ready · 1 fix waits for an answer · 1 by hand.
- 1 question is open: 1 fix waits for it.
- 2 fixes are ready: \`httpd-upgrade fix --write httpd.conf\`
- 1 change is left to do by hand.

## httpd.conf (1 file)

### What prevents 2.4 from starting

| Problem | Where | Fix |
| --- | --- | --- |
| MaxClients is old. \`order-allow-deny\` | \`httpd.conf:3\` | waits for an answer |
| SSLMutex is gone. \`ssl-mutex\` | \`httpd.conf:8\` | by hand |

### Ready: 2 fixes

| Rule | Change | Fixes | Where |
| --- | --- | --- | --- |
| \`max-clients\` | Rename it | 2 | \`httpd.conf:5, 10\` |

### Questions: 0 of 1 answered

#### Does any .htaccess file in, below or above /var/www use Order, Allow, Deny or Require?

The server reads .htaccess files there, but this copy does not have all of them. If one of them restricts access, new Require lines here can allow too much or too little. If you no longer have the 2.2 server, take these directories from a backup, and give the answer "I have a copy".

How to find the answer, on the 2.2 server, as root:

\`\`\`sh
p='^[^a-z#]*(order|allow[[:blank:]]|deny|satisfy|require|limit[[:blank:]e]|authmerging|authz)'; find -L /var/www -name .htaccess -type f -exec grep -liE "$p" {} +; grep -sliE "$p" /var/.htaccess /.htaccess
\`\`\`

The output names the .htaccess files with Order, Allow, Deny, Satisfy or Require. "No such file or directory" does not matter.

- Yes: the output names a file.
- No: it names none, and it has no "Permission denied".

- [ ] \`htaccess-unseen:/var/www=none\`: No: no .htaccess file there has Order, Allow, Deny or Require (the usual answer; makes 1 fix ready)
- [ ] \`htaccess-unseen:/var/www=here=PATH\`: I have a copy of /var/www: read the .htaccess files there (makes 1 fix ready)
- [ ] \`htaccess-unseen:/var/www=keep\`: Yes: keep the old lines, which 2.4 reads with mod\\_access\\_compat

**Not answered yet.** I don't know: 1 fix waits; the lines stay as they are until you answer.

1 fix waits for this answer, at \`httpd.conf:3\`.

### Waiting: 1 fix

| Rule | Change | Waits for | Where |
| --- | --- | --- | --- |
| \`order-allow-deny\` | Convert it | \`htaccess-unseen:/var/www\` | \`httpd.conf:3\` |

### Who has access, before and after

Each table is about the lines of one section. Other sections that apply to the same requests can restrict access further. “allowed” means that the client has access, “login” that it is asked for a password, “denied” that it gets 403.

#### 2 sections such as \\<Directory /srv>

Access by the lines of \`<Directory /srv>\`: nobody.

| Client | 2.2 and 2.4 |
| --- | --- |
| everyone | denied (403) |

In 2.4: \`Require all denied\`

The lines of these sections are at \`httpd.conf:2, 6\`.

### By hand: 1

| What to do | Where |
| --- | --- |
| SSLMutex is gone. \`ssl-mutex\` | \`httpd.conf:8\` |

## How to verify

1. Write the fixes that are ready: \`httpd-upgrade fix --write httpd.conf\`. All files are written, or none. \`httpd-upgrade undo\` restores the old files.
2. Let a real httpd 2.4 read the result, without starting a server: \`httpd-upgrade verify httpd.conf\`.
3. On the 2.4 server: \`apachectl -t\`, then the steps on the server. Then start httpd.
4. Send one request for each row of the tables "Who has access".

Made by httpd-upgrade 1.
`.replace('mod\\_access\\_compat', 'mod_access_compat'),
    );
  });

  it('has no bar where all of it is of one kind', () => {
    const markdown = upgradeReport(report({ findings: [finding({ fix: null })] }), 'markdown');
    assert.match(markdown, /^## At a glance\n\nReady: 0 · Waiting for an answer: 0 · By hand: 1$/m);
  });

  it('shows the answer that was given, and what rests on it', () => {
    const answered = report({
      answer: 'none',
      findings: [
        finding({
          rule: 'order-allow-deny',
          fix: { title: 'Convert it', isSafe: true, waitsFor: [], restsOn: [DOUBT] },
        }),
      ],
    });
    const markdown = upgradeReport(answered, 'markdown');
    assert.match(markdown, /### Questions: 1 of 1 answered/);
    assert.match(markdown, /^- \[x\] `htaccess-unseen:\/var\/www=none`/m);
    assert.match(markdown, /1 fix depends on this answer, at `httpd\.conf:5`/);
    assert.match(
      upgradeReport(answered, 'html'),
      /<li class="taken"><strong>Answered:<\/strong> <code>htaccess-unseen:\/var\/www=none<\/code>/,
    );
  });

  it('says what is to be done on the server, with its cause', () => {
    const given = report({ findings: [] });
    const onServer = [
      {
        id: 'dav-lock-db',
        title: 'Delete DavLockDB files',
        what: 'Delete the old file of DavLockDB.',
        because: [{ file: 'httpd.conf', line: 8 }],
      },
    ];
    const markdown = upgradeReport(
      { ...given, plan: { ...given.plan, configurations: [{ ...given.plan.configurations[0], onServer }] } },
      'markdown',
    );
    assert.match(markdown, /1 step on the server goes with the upgrade\./);
    assert.match(markdown, /### On the server: 1\n\n- Delete the old file of DavLockDB\. \(`httpd\.conf:9`\)/);
  });

  it('shows answers that nothing asks for any more, what was changed, and which tasks are done', () => {
    const given = report({ findings: [finding()] });
    const tasks = ['Delete the old file.', 'Label the paths.'].map((what) => ({
      id: what,
      title: what,
      what,
      because: [],
    }));
    const note = { id: 'note', title: 'Nothing', what: 'No action needed.', because: [], isNote: true as const };
    const done: UpgradeReport = {
      ...given,
      itemsDone: 19,
      plan: { ...given.plan, configurations: [{ ...given.plan.configurations[0], onServer: [...tasks, note] }] },
      details: [
        {
          ...given.details[0],
          answers: [
            { id: 'mpm', value: 'prefork', title: 'MPM?', question: 'Which MPM?', label: 'prefork: processes' },
            { id: 'mmp', value: 'event', title: 'mmp', question: null, label: 'event' },
          ],
          isTicked: (task) => task === tasks[0],
        },
      ],
    };
    const markdown = upgradeReport(done, 'markdown');
    assert.match(markdown, /^- 19 of 21 items of the plan are done\.$/m);
    assert.match(markdown, /^- The upgrade depends on 1 answer\.$/m);
    assert.match(markdown, /^- 1 of 2 steps on the server is done\.$/m);
    assert.match(
      markdown,
      /### Questions: 1 of 1 answered\n\n#### Which MPM\?\n\n- \[x\] `mpm=prefork`: prefork: processes\n\nNo fix waits for this answer now\./,
    );
    assert.match(
      markdown,
      /### On the server: 1 of 2 done\n\n- \[x\] Delete the old file\.\n- \[ \] Label the paths\.\n\n### Good to know: 1\n\n- No action needed\.\n/,
    );
    assert.doesNotMatch(markdown, /mmp/);
    const html = upgradeReport(done, 'html');
    assert.match(
      html,
      /<li class="taken"><strong>Done:<\/strong> Delete the old file\.<\/li>\n<li>Label the paths\.<\/li>/,
    );
    assert.match(html, /<li class="taken"><strong>Answered:<\/strong> <code>mpm=prefork<\/code>/);
    const ended = report({ findings: [] });
    assert.doesNotMatch(
      upgradeReport({ ...ended, argumentsToRepeat: null }, 'markdown'),
      /Apply what is ready|each row of the tables/,
    );
  });

  it('admits no style but its own: the digest in its policy is that of the style', () => {
    assert.equal(STYLE_SHEET_DIGEST, createHash('sha256').update(STYLE_SHEET).digest('base64'));
    assert.match(
      upgradeReport(report({ findings: [] }), 'html'),
      new RegExp(`default-src 'none'; style-src 'sha256-${STYLE_SHEET_DIGEST.replace(/[+/]/g, '\\$&')}'`),
    );
  });

  it('asks for no address, and links the ids of rules to their pages', () => {
    const html = upgradeReport(report({ findings: FINDINGS }), 'html');
    const LINK =
      /<a href="https:\/\/httpd-upgrade\.github\.io\/httpd-upgrade\/rules\/([\w-]+)\.html"><code>\1<\/code><\/a>/g;
    assert.doesNotMatch(html.replace(LINK, ''), /https?:|src=|url\((?!#)|@import/);
    assert.ok([...html.matchAll(LINK)].some(([, id]) => id === 'max-clients'));
  });

  it('opens with the verdict', () => {
    const html = upgradeReport(report({ findings: FINDINGS }), 'html');
    assert.match(
      html,
      /<\/h1>\n<p><strong>The access control of 1 section waits for an answer\. 2 problems in the files block httpd 2\.4\.<\/strong><\/p>/,
    );
  });

  for (const attack of [
    '![x](https://evil.example/a.png)',
    '<img src=x onerror=alert(1)>',
    '`x`![y](https://evil.example)',
    '</code></td></table><script>alert(1)</script>',
    'a|b\\|c',
    '[x](javascript:1)',
    '&lt;b&gt;',
    '"onmouseover=alert(1)',
    "'x",
    '\u202e',
  ]) {
    it(`shows ${JSON.stringify(attack)} as it stands there`, () => {
      const word = attack.replace(/\s/g, '');
      const given = report({
        findings: [
          finding({ message: attack, file: attack, rule: 'a', fix: null, isBlocking: true }),
          finding({ fix: { title: attack, isSafe: true, waitsFor: [], restsOn: [] } }),
        ],
        config: `<Directory "${attack.replace(/"/g, '')}">\nOrder deny,allow\nDeny from all\nAllow from env=${word} ${word}\n</Directory>\n`,
      });
      const strangers: string[] = [];
      marked.walkTokens(marked.lexer(upgradeReport(given, 'markdown')), (token: Token) => {
        // An address by itself is one that is seen, in a client that makes links of these.
        if (['image', 'html'].includes(token.type) || (token.type === 'link' && token.raw !== token.href))
          strangers.push(token.raw);
        if (token.type === 'table') assert.ok(token.rows.every((row: unknown[]) => row.length === token.header.length));
      });
      assert.deepEqual(strangers, []);
      const html = upgradeReport(given, 'html');
      const tags = new Set(
        [...html.replace(/<style>[^]*<\/style>/, '').matchAll(/<\/?([a-z]\w*)/gi)].map(([, name]) => name),
      );
      for (const tag of ['img', 'script', 'b', 'iframe', 'style']) assert.ok(!tags.has(tag), tag);
      assert.doesNotMatch(html.replace(/"[^"]*"/g, '""'), /<[^>]*\son\w+=/);
      assert.doesNotMatch(html, /\u202e/);
    });
  }

  it('is short where hundreds of sections say the same', () => {
    const config = Array.from(
      { length: 500 },
      (_, index) => `<Directory /srv/${index}>\nOrder allow,deny\nAllow from all\n</Directory>\n`,
    ).join('');
    const markdown = upgradeReport(report({ findings: [], config }), 'markdown');
    assert.ok(markdown.length < 4000, String(markdown.length));
    assert.match(markdown, /500 sections such as/);
  });

  it('leads to what is at hand where it does not show all: a command, or in an editor a hover', () => {
    const config = Array.from(
      { length: 61 },
      (_, index) => `<Directory /srv/${index}>\nOrder deny,allow\nDeny from 10.0.0.${index + 1}\n</Directory>\n`,
    ).join('');
    const given = report({ findings: [], config });
    const rest = (again: string | null) =>
      /1 more kind of access: .*/.exec(upgradeReport({ ...given, argumentsToRepeat: again }, 'markdown'))?.[0];
    assert.equal(rest('.'), '1 more kind of access: `httpd-upgrade explain --access FILE:LINE` shows each.');
    assert.equal(rest(null), '1 more kind of access: the hover of an access line shows each.');
  });
});
