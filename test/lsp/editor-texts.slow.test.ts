/**
 * Texts in the editor name nothing that only the command line has: the extension does not install
 * it.
 */
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import type { CodeAction } from 'vscode-languageserver-protocol/node';
import type { ShownPlan } from '../../server/src/lsp/conversions';
import type { PlanReply } from '../../server/src/lsp/plans';
import { withFolder } from '../cli/run';
import { CENTOS6 } from '../support/centos6';
import { DEBIAN6 } from '../support/debian6';
import { Client } from './client';

const OURS = { initializationOptions: { client: 'httpd-upgrade', trusted: true } };
/** The program followed by one of its commands or options. */
const COMMAND_LINE =
  /httpd-upgrade (check|fix|plan|migrate|undo|verify|explain|init|diff|format|answer)\b|--(write|answer|map|unsafe)\b/;

describe(
  'the texts of the editor',
  withFolder((folder) => {
    for (const [name, files] of Object.entries({ 'CentOS 6': CENTOS6, 'Debian 6': DEBIAN6 })) {
      it(`of ${name}: problems, actions, hovers, plan, report and changes name no command line`, async () => {
        for (const [file, text] of Object.entries(files)) folder().write(file, text);
        const client = await Client.start({ folders: [pathToFileURL(folder().path).href], ...OURS });
        const send = <T>(method: string, params: object) => client.connection.sendRequest<T>(method, params);
        const texts: string[] = [];
        let problems = 0;
        let actions = 0;
        for (const [file, text] of Object.entries(files)) {
          const uri = pathToFileURL(folder().at(file)).href;
          await client.open(uri, text);
          for (const diagnostic of await client.diagnostics(uri)) {
            problems++;
            const offered = await send<CodeAction[]>('textDocument/codeAction', {
              textDocument: { uri },
              range: diagnostic.range,
              context: { diagnostics: [diagnostic] },
            });
            actions += offered.length;
            const hover = await send('textDocument/hover', {
              textDocument: { uri },
              position: diagnostic.range.start,
            });
            texts.push(JSON.stringify([diagnostic, offered.map(({ title }) => title), hover]));
          }
        }
        assert.ok(problems > 10 && actions > problems, `${problems} problems, ${actions} actions`);
        const plan = await send<PlanReply>('httpdUpgrade/plan', {});
        assert.ok(plan.plan.summary.ready > 0);
        const { text: report } = await send<{ text: string }>('httpdUpgrade/report', { format: 'markdown' });
        assert.match(report, /^# Upgrade from httpd 2\.2/);
        const changes = await send<ShownPlan>('httpdUpgrade/planConversion', { ready: {} });
        texts.push(JSON.stringify(plan), report, changes.question, changes.summary);
        const naming = texts.flatMap((text) => {
          const at = text.search(COMMAND_LINE);
          return at < 0 ? [] : [text.slice(Math.max(0, at - 80), at + 80)];
        });
        assert.deepEqual(naming, []);
        await client.stop();
      });
    }
  }),
);
