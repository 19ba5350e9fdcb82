/** Links to the pages of rules (OSC 8): in terminals with colours, never in a pipe or a file. */
import assert from 'node:assert/strict';
import { planText } from '../../server/src/cli/plan-text';
import { markdownForTerminal } from '../../server/src/cli/markdown';
import { rulesText } from '../../server/src/cli/rules';
import { ruleLink } from '../../server/src/cli/rule-link';
import { Terminal, type TerminalOptions } from '../../server/src/cli/terminal';
import type { UpgradePlan } from '../../server/src/analysis/upgrade-plan';

const LINK =
  '\x1b]8;;https://httpd-upgrade.github.io/httpd-upgrade/rules/max-clients.html\x1b\\max-clients\x1b]8;;\x1b\\';

/** A terminal for a standard output that is a screen, or is not, with these variables. */
function terminalOn(isScreen: boolean, variables: Readonly<Record<string, string>>, options: TerminalOptions = {}) {
  const { isTTY } = process.stdout;
  const { env } = process;
  try {
    process.stdout.isTTY = isScreen;
    process.env = { ...variables };
    return new Terminal(options);
  } finally {
    process.stdout.isTTY = isTTY;
    process.env = env;
  }
}

describe('links to the pages of rules', () => {
  it('are in terminals with colours', () => {
    assert.equal(ruleLink(terminalOn(true, { TERM: 'xterm' }), 'max-clients'), LINK);
  });

  it('are not in pipes and files, with NO_COLOR, in a dumb terminal, or with --color never', () => {
    for (const terminal of [
      terminalOn(false, { TERM: 'xterm' }, { color: 'always' }),
      terminalOn(false, { FORCE_COLOR: '1' }),
      terminalOn(true, { TERM: 'xterm' }, { color: 'always', writesToFile: true }),
      terminalOn(true, { NO_COLOR: '1' }),
      terminalOn(true, { TERM: 'dumb' }),
      terminalOn(true, { TERM: 'xterm' }, { color: 'never' }),
    ])
      assert.equal(ruleLink(terminal, 'max-clients'), 'max-clients');
  });

  it('are in the plan and in the list of rules', () => {
    const terminal = terminalOn(true, { TERM: 'xterm' });
    const plan: UpgradePlan = {
      version: 1,
      configurations: [
        {
          root: 'httpd.conf',
          files: 1,
          state: 'steps',
          blocking: 0,
          mayBlock: 0,
          questions: [],
          ready: [
            {
              rule: 'max-clients',
              file: 'httpd.conf',
              line: 0,
              title: 'Rename MaxClients to MaxRequestWorkers',
              restsOn: [],
            },
          ],
          waiting: [],
          byHand: [],
          onServer: [],
          commentedOut: [],
        },
      ],
      summary: { blocking: 0, ready: 1, waiting: 0, byHand: 0, questions: 0, answered: 0 },
    };
    const options = {
      terminal,
      argumentsToRepeat: 'httpd.conf',
      argumentsToRepeatForWriting: 'httpd.conf',
      serverOptions: [],
      isInputPiped: false,
    };
    assert.ok(planText(plan, options).includes(`Rename MaxClients to MaxRequestWorkers [${LINK}]`));
    assert.ok(rulesText('text', terminal).includes(LINK));
  });
});

describe('our Markdown in a terminal', () => {
  it('keeps backslashes in code', () => {
    const terminal = terminalOn(false, {});
    assert.equal(
      markdownForTerminal('`<Files ~ "^\\.ht">` and `^\\.x` and \\*\n', terminal),
      '`<Files ~ "^\\.ht">` and ^\\.x and *\n',
    );
  });
});
