/** The upgrade plan of the view, as text: label, description, icon, two spaces for each level. */
import assert from 'node:assert/strict';
import {
  effectOf,
  endTexts,
  fixLabel,
  countsWithoutTicked,
  planItems,
  progressText,
  questionOrder,
  withAnswer,
  type ConfigurationOfReply,
  type PlanReply,
  type PlanItem,
} from '../../client/src/plan-items';
import type { ConfigurationPlan } from '../../server/src/analysis/upgrade-plan';
import { remainingCount } from '../../server/src/analysis/plan-figures';
import { isConfigurationDone, taskKey, withRememberedTasks } from '../../server/src/features/remembered-tasks';

const QUESTION = {
  id: 'htaccess-unseen:/var/www',
  kind: 'htaccess-unseen',
  subject: '/var/www',
  title: '.htaccess: /var/www?',
  question: 'Which .htaccess files below /var/www restrict access?',
  why: 'It is not here.',
  findOut: 'find /var/www',
  ifUnknown: '2 fixes wait',
  answers: [
    { value: 'none', label: 'None', ready: 1 },
    { value: 'here=', label: 'They are here: read them', ready: 1 },
    { value: 'keep', label: 'Keep', ready: 0 },
  ],
  answer: null,
  places: [{ file: 'conf/httpd.conf', line: 316 }],
};
const PLAN: ConfigurationPlan = {
  root: 'conf/httpd.conf',
  files: 2,
  state: 'blocking',
  blocking: 10,
  mayBlock: 0,
  questions: [QUESTION],
  ready: [
    {
      rule: 'listen-twice',
      file: 'conf.d/b.conf',
      line: 0,
      title: 'Remove Listen 80',
      directive: 'Listen',
      restsOn: [],
    },
    {
      rule: 'max-clients',
      file: 'conf/httpd.conf',
      line: 106,
      title: 'Rename MaxClients to MaxRequestWorkers',
      directive: 'MaxClients',
      restsOn: [],
    },
    {
      rule: 'max-clients',
      file: 'conf/httpd.conf',
      line: 119,
      title: 'Rename MaxClients to MaxRequestWorkers',
      directive: 'MaxClients',
      restsOn: [],
    },
  ],
  waiting: [
    {
      rule: 'order-allow-deny',
      file: 'conf/httpd.conf',
      line: 342,
      title: 'Convert to Require all granted',
      waitsFor: [QUESTION.id],
    },
  ],
  byHand: [
    {
      rule: 'default-type',
      file: 'conf/httpd.conf',
      line: 435,
      what: '`DefaultType` is ignored',
      suggestion: 'Remove DefaultType',
    },
    { rule: 'changed-defaults', file: 'conf/httpd.conf', line: 56, what: 'Write out the defaults' },
  ],
  commentedOut: [],
  onServer: [
    {
      id: 'dav-lock-db',
      title: 'Delete DavLockDB files',
      what: 'Delete the old DavLockDB',
      because: [{ file: 'conf/httpd.conf', line: 564 }],
    },
  ],
};
const NOTE = {
  id: 'deflate-grows',
  title: 'Nothing for mod_deflate',
  what: 'No action needed',
  because: [{ file: 'conf/httpd.conf', line: 2 }],
  isNote: true as const,
};
const PLACE: ConfigurationOfReply = {
  uri: 'file:///w/conf/httpd.conf',
  answersIn: 'file:///w/.httpd-upgrade.json',
  answers: [],
  files: [],
  includes: [
    {
      level: 0,
      label: 'conf/httpd.conf',
      detail: '2 files; others are not in this copy',
      uri: 'file:///w/conf/httpd.conf',
      row: null,
    },
    { level: 1, label: 'Include conf.d/*.conf', detail: '', uri: 'file:///w/conf/httpd.conf', row: 220 },
    { level: 2, label: 'conf.d/b.conf', detail: '', uri: 'file:///w/conf.d/b.conf', row: null },
    { level: 1, label: 'Include local.conf', detail: 'not in this copy', uri: 'file:///w/conf/httpd.conf', row: 221 },
  ],
};
const answer = (plan: ConfigurationPlan, place: ConfigurationOfReply): PlanReply => ({
  plan: {
    version: 1,
    configurations: [plan],
    summary: { blocking: 0, ready: 0, waiting: 0, byHand: 0, questions: 0, answered: 0 },
  },
  configurations: [place],
  uris: { 'conf/httpd.conf': 'file:///w/conf/httpd.conf', 'conf.d/b.conf': 'file:///w/conf.d/b.conf' },
});
const rows = (items: readonly PlanItem[], level = 0): string[] =>
  items.flatMap(({ label, description, icon, children }) => [
    `${'  '.repeat(level)}${label}${description ? ` (${description})` : ''} ${icon}`,
    ...rows(children, level + 1),
  ]);
const all = (items: readonly PlanItem[]): PlanItem[] => items.flatMap((item) => [item, ...all(item.children)]);

describe('the upgrade plan in the view', () => {
  it('lists files that no server reads in a group, which is converted by itself', () => {
    const dormant = [
      { file: 'conf/httpd.conf.bak', lines: 20 },
      { file: 'conf/old.conf', lines: 3 },
    ];
    const group = all(planItems(answer({ ...PLAN, dormant }, PLACE))).find((each) => each.context === 'group.dormant');
    assert.deepEqual(rows([group!]), [
      'Old lines not read by the server (23 old lines in 2 files) archive',
      '  conf/httpd.conf.bak (20 old lines) file',
      '  conf/old.conf (3 old lines) file',
    ]);
    assert.deepEqual(group!.subject, { kind: 'dormant' });
  });

  it('begins with the configuration: questions, what is ready, what waits and for what, what is left by hand and on the server, the files', () => {
    assert.deepEqual(rows(planItems(answer(PLAN, PLACE))), [
      'conf/httpd.conf (10 blocking) server-environment',
      '  Review 3 fixes… check-all',
      '  Questions (1 open) comment-discussion',
      '    .htaccess: /var/www? (1 fix waits) question',
      '  Ready (3 fixes) checklist',
      '    MaxClients → MaxRequestWorkers (2 places) wand',
      '      conf/httpd.conf:107 wand',
      '      conf/httpd.conf:120 wand',
      '    Remove Listen 80 (b.conf:1) wand',
      '  Waiting (1 fix) watch',
      '    Convert to Require all granted (httpd.conf:343) watch',
      '  By hand (1) tools',
      '    DefaultType is ignored (httpd.conf:436) edit',
      '  Changed defaults (1) settings',
      '    Write out the defaults (httpd.conf:57) symbol-property',
      '  On the server (1) server-process',
      '    Delete DavLockDB files (httpd.conf:565) ',
      '  Files (1 Include not in this copy) files',
      '    conf/httpd.conf (2 files; others are not in this copy) file',
      '      Include conf.d/*.conf (line 221) arrow-small-right',
      '        conf.d/b.conf file',
      '      Include local.conf (line 222 · not in this copy) arrow-small-right',
      '    Not in this workspace (1) circle-slash',
      '      Include local.conf (not in this copy) circle-slash',
    ]);
  });

  it('leads every item to its place, and names each once', () => {
    const items = all(planItems(answer(PLAN, PLACE)));
    assert.equal(new Set(items.map(({ id }) => id)).size, items.length);
    const lost = items.filter(
      ({ children, place, command }) => children.length === 0 && !place && command === undefined,
    );
    assert.deepEqual(lost, []);
  });

  it('fits into a side bar of 300 pixels, and is heard in full', () => {
    const shown = all(planItems(answer(PLAN, PLACE)));
    // A label of a file, or of a line that includes one, is a person's own.
    const long = shown.filter(({ label, context }) => label.length > 30 && context !== 'file' && context !== 'missing');
    assert.deepEqual(
      long.map(({ label }) => label),
      [],
    );
    const heard = shown.flatMap(({ label, accessibleText: heard }) =>
      heard === undefined || heard === label ? [] : [[label, heard]],
    );
    assert.deepEqual(heard, [
      ['.htaccess: /var/www?', `${QUESTION.question}, 1 fix waits`],
      ['MaxClients → MaxRequestWorkers', 'MaxClients → MaxRequestWorkers, 2 places'],
      ['Remove Listen 80', 'Remove Listen 80, b.conf:1'],
      [
        'Convert to Require all granted',
        `Convert to Require all granted, httpd.conf:343, waits for: ${QUESTION.question}`,
      ],
      ['Delete DavLockDB files', 'Delete the old DavLockDB, httpd.conf:565'],
    ]);
  });

  it('gives menus what they are about: one fix, a group of them, the configuration', () => {
    const [configuration] = planItems(answer(PLAN, PLACE));
    const ready = configuration.children.find(({ label }) => label === 'Ready')!;
    assert.deepEqual(ready.subject, { kind: 'configuration', root: PLACE.uri });
    assert.deepEqual(
      all([configuration]).flatMap(({ label, context }) => (context === 'finding.choice' ? [label] : [])),
      ['DefaultType is ignored'],
    );
    const [group, single] = ready.children.map(({ subject }) => subject);
    assert.deepEqual(
      [group.kind === 'fixes' && group.items.map(({ line }) => line), single.kind === 'fixes' && single.items],
      [
        [106, 119],
        [{ rule: 'listen-twice', file: 'conf.d/b.conf', line: 0, title: 'Remove Listen 80', directive: 'Listen' }],
      ],
    );
  });

  it('names a fix by what it changes', () => {
    for (const [title, label] of [
      ['Rename MaxClients to MaxRequestWorkers', 'MaxClients → MaxRequestWorkers'],
      ['Remove LoadModule authz_default_module', 'Remove authz_default_module'],
      ['Change CookieLog to CustomLog', 'CookieLog → CustomLog'],
      ['Change KeepAlive 1 to KeepAlive On', 'KeepAlive 1 → KeepAlive On'],
      ['Load cache_disk_module instead of disk_cache_module', 'Load cache_disk_module'],
    ] as const)
      assert.equal(fixLabel({ title }), label);
  });

  it('shows answers, also those that nothing asks for any more, by what was asked', () => {
    const questions = [{ ...QUESTION, answer: 'here=www' }];
    const answers = [
      {
        id: QUESTION.id,
        value: 'here=www',
        title: QUESTION.title,
        question: QUESTION.question,
        label: 'They are here: read them',
      },
      { id: 'mpm', value: 'event', title: 'MPM?', question: 'Which MPM?', label: 'event' },
      { id: 'mmp', value: 'event', title: 'mmp', question: null, label: 'event' },
    ];
    const shown = rows(planItems(answer({ ...PLAN, questions }, { ...PLACE, answers })));
    assert.ok(shown.includes('    .htaccess: /var/www? (They are here) pass'), shown.join('\n'));
    assert.ok(shown.includes('    MPM? (event) pass'), shown.join('\n'));
    assert.ok(shown.includes('    mmp (there is no such question) warning'), shown.join('\n'));
  });

  it('says when it is done, and what that rests on', () => {
    const done: ConfigurationPlan = {
      ...PLAN,
      state: 'steps',
      blocking: 0,
      questions: [{ ...QUESTION, answer: 'none' }],
      ready: [],
      waiting: [],
    };
    const { id, title, question } = QUESTION;
    const given = { id, value: 'none', title, question, label: 'None' };
    const place = { ...PLACE, answers: [given] };
    assert.equal(isConfigurationDone(done), true);
    assert.deepEqual(endTexts(done, place), [
      '0 blocking, 0 questions open',
      'Depends on 1 answer',
      '2 to check by hand',
      '1 of 1 step on the server left',
    ]);
    const shown = (memory?: Parameters<typeof planItems>[1]) =>
      rows(planItems(answer(done, place), memory)).slice(0, 8);
    assert.deepEqual(shown(), [
      'conf/httpd.conf (2 files) server-environment',
      '  Ready after 1 step on the server and 2 changes by hand list-ordered',
      '    0 blocking, 0 questions open check',
      '    Depends on 1 answer check',
      '    2 to check by hand info',
      '    1 of 1 step on the server left info',
      '    Verify with httpd -t verified',
      '    Save report… save',
    ]);
    const check = { errorCount: 46, openTaskErrorCount: 44, uncheckedCount: 0 };
    assert.equal(
      shown({ checkByMainFile: new Map([[place.uri!, check]]) })[6],
      '    httpd -t: 46 errors, 44 from open steps info',
      'a check that failed is no green',
    );
    assert.deepEqual(rows(planItems(answer({ ...done, state: 'accepted' }, place))).slice(0, 2), [
      'conf/httpd.conf (2 files) pass-filled',
      '  httpd -t accepts it pass-filled',
    ]);
    const others: [string, ConfigurationPlan][] = [
      ['something blocks', { ...done, blocking: 1 }],
      ['a question is open', { ...done, questions: [QUESTION] }],
      ['something is ready', { ...done, ready: PLAN.ready }],
      ['something waits', { ...done, waiting: PLAN.waiting }],
    ];
    for (const [why, plan] of others) {
      assert.equal(isConfigurationDone(plan), false, why);
      const all = rows(planItems(answer({ ...plan, state: plan.blocking > 0 ? 'blocking' : 'steps' }, place))).join(
        '\n',
      );
      assert.doesNotMatch(all, /pass-filled|Ready after|accepts it/, why);
    }
  });

  it('has a box for every task on the server, and none for a note; before what blocks is ticked off, only the files are ready', () => {
    const enable = {
      id: 'enable-modules',
      title: 'Enable modules',
      what: 'Enable the modules',
      commands: ['a2enmod filter', 'a2enmod authz_core'],
      because: [{ file: 'conf/httpd.conf', line: 1 }],
      isBlocking: true as const,
    };
    const done: ConfigurationPlan = {
      ...PLAN,
      state: 'steps',
      blocking: 0,
      questions: [],
      ready: [],
      waiting: [],
      byHand: [],
      onServer: [enable, ...PLAN.onServer, NOTE],
    };
    const place = { ...PLACE, includes: [] };
    const shown = (...keys: string[]) => rows(planItems(answer(done, place), { tickedKeys: new Set(keys) }));
    assert.deepEqual(shown(), [
      'conf/httpd.conf (2 files) server-environment',
      '  Ready after 2 steps on the server list-ordered',
      '    0 blocking, 0 questions open check',
      '    No answers were needed check',
      '    2 of 2 steps on the server left info',
      '    Verify with httpd -t verified',
      '    Save report… save',
      '  On the server (2) server-process',
      '    Enable modules (a2enmod filter; a2enmod authz_core) ',
      '    Delete DavLockDB files (httpd.conf:565) ',
      '    Nothing for mod_deflate (httpd.conf:3) info',
    ]);
    const ticked = shown(taskKey(PLACE.uri, enable));
    assert.deepEqual(
      [ticked[1], ticked[4], ticked[7]],
      [
        '  Ready after 1 step on the server list-ordered',
        '    1 of 2 steps on the server left info',
        '  On the server (1 of 2 done) server-process',
      ],
    );
    const allTicked = shown(taskKey(PLACE.uri, enable), taskKey(PLACE.uri, PLAN.onServer[0]));
    assert.deepEqual(
      [allTicked[1], allTicked[4]],
      ['  No change is left: verify the files list-ordered', '    2 steps on the server done check'],
      'ticks alone are no green',
    );
    assert.equal(
      shown(taskKey(PLACE.uri, { ...enable, commands: ['a2enmod filter'] }))[1],
      '  Ready after 2 steps on the server list-ordered',
      'another command is another task',
    );
    const boxes = all(planItems(answer(done, place), { tickedKeys: new Set([taskKey(PLACE.uri, enable)]) })).flatMap(
      ({ label, isTicked }) => (isTicked === undefined ? [] : [`${label}: ${isTicked}`]),
    );
    assert.deepEqual(boxes, ['Enable modules: true', 'Delete DavLockDB files: false']);
  });

  it('keeps at the end the tasks that a converted configuration gives no cause for any more, but not what is there by now', () => {
    const enable = {
      id: 'enable-modules',
      title: 'Enable modules',
      what: 'Enable',
      commands: ['a2enmod filter'],
      because: [],
      isBlocking: true as const,
    };
    const before = withRememberedTasks(answer({ ...PLAN, onServer: [enable, ...PLAN.onServer] }, PLACE), {});
    const shownOf = ({ answer: { plan } }: typeof before) =>
      plan.configurations.map(({ onServer }) => onServer.map(({ id }) => id));
    assert.deepEqual(shownOf(before), [['enable-modules', 'dav-lock-db']]);
    const half = withRememberedTasks(answer({ ...PLAN, onServer: [] }, PLACE), before.tasks);
    assert.deepEqual(shownOf(half), [[]], 'not before the end');
    const done: ConfigurationPlan = { ...PLAN, blocking: 0, questions: [], ready: [], waiting: [], onServer: [] };
    const end = withRememberedTasks(answer(done, PLACE), half.tasks);
    assert.deepEqual(shownOf(end), [['dav-lock-db']]);
    assert.deepEqual(
      shownOf(withRememberedTasks(answer(done, { ...PLACE, uri: 'file:///other/httpd.conf' }), half.tasks)),
      [[]],
      'of another configuration',
    );
  });

  it('measures progress by the most that was ever left', () => {
    const figures = {
      blocking: 1,
      mayBlock: 0,
      questions: 1,
      answered: 1,
      ready: 2,
      waiting: 1,
      byHand: 2,
      mayStay: 0,
      steps: 2,
    };
    assert.equal(remainingCount(figures), 8);
    assert.deepEqual(
      progressText(figures, 32).split(' '),
      [
        '▰▰▰▰▰▰▰▱▱▱\u00a075\u00a0%',
        '·',
        '1\u00a0blocking',
        '·',
        '1\u00a0question\u00a0open',
        '·',
        '2\u00a0fixes\u00a0ready',
        '·',
        '1\u00a0fix\u00a0waits\u00a0for\u00a0an\u00a0answer',
        '·',
        '2\u00a0by\u00a0hand',
        '·',
        '2\u00a0steps\u00a0on\u00a0the\u00a0server',
      ],
      'a line breaks between the parts alone',
    );
    const none = { ...figures, questions: 0, ready: 0, waiting: 0, byHand: 0, steps: 0 };
    assert.match(progressText(none, 0), /^▰{10}\u00a0100\u00a0%/);
    const before = { ...figures, questions: 4, answered: 0 };
    assert.match(progressText(figures, remainingCount(before)), /27\u00a0%/, 'three answers of eleven are progress');
  });

  it('lists files that no configuration reads under a name of their own', () => {
    const lone = { ...PLAN, root: '.', questions: [], ready: [], waiting: [], byHand: [], onServer: [] };
    assert.deepEqual(rows(planItems(answer(lone, { ...PLACE, uri: null, includes: [], files: ['conf.d/b.conf'] }))), [
      'No main configuration file (10 blocking) files',
      '  Files (1) files',
      '    conf.d/b.conf file',
    ]);
    const both = answer(lone, { ...PLACE, uri: null });
    assert.equal(planItems(both)[0].isExpanded, true, 'there is nothing else to see');
    const { plan, configurations } = both;
    const two = {
      ...both,
      configurations: [PLACE, ...configurations],
      plan: { ...plan, configurations: [PLAN, lone] },
    };
    assert.deepEqual(
      planItems(two).map(({ label, isExpanded: isOpen }) => [label, isOpen]),
      [
        ['conf/httpd.conf', true],
        ['Files that no configuration reads', false],
      ],
    );
  });

  it('keeps the order of the questions after an answer, and ticks at once', () => {
    const second = { ...QUESTION, id: 'mpm', title: 'MPM?' };
    const before = answer({ ...PLAN, questions: [QUESTION, second] }, PLACE);
    const order = questionOrder(before, []);
    const titles = (shown: PlanReply) =>
      all(planItems(shown, { shownOrder: questionOrder(shown, order) })).flatMap(({ label, icon, subject }) =>
        subject.kind === 'question' ? [`${label} ${icon}`] : [],
      );
    assert.deepEqual(titles(before), ['.htaccess: /var/www? question', 'MPM? question']);
    const ticked = withAnswer(before, { id: QUESTION.id, answersIn: PLACE.answersIn, value: 'none' });
    assert.deepEqual(titles(ticked), ['.htaccess: /var/www? pass', 'MPM? question']);
    assert.equal(countsWithoutTicked(ticked).questions, 1);
    const { id, title, question } = QUESTION;
    const settled = answer(
      { ...PLAN, questions: [second] },
      { ...PLACE, answers: [{ id, title, question, value: 'none', label: 'None' }] },
    );
    assert.deepEqual(titles(settled), ['.htaccess: /var/www? pass', 'MPM? question'], 'nothing asks any more');
  });

  it('says of an answer what it makes ready by itself, and what needs others as well', () => {
    const second = { ...QUESTION, id: 'mpm' };
    const waiting = [0, 1, 2].map((line) => ({
      ...PLAN.waiting[0]!,
      line,
      waitsFor: line === 0 ? [QUESTION.id] : [QUESTION.id, 'mpm'],
    }));
    const question = { ...QUESTION, answers: [{ value: 'none', label: 'None', ready: 3 }] };
    const effect = (questions: readonly (typeof QUESTION)[]) => effectOf(question, 'none', { questions, waiting });
    assert.equal(effect([QUESTION, second]), 'makes 1 fix ready; 2 fixes then still need other answers');
    assert.equal(
      effectOf(question, 'none', { questions: [QUESTION, { ...second, answer: 'event' as never }], waiting }),
      'makes 3 fixes ready',
    );
  });
});
