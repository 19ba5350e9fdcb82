/**
 * Everything that fixes can do to a template, and the decisions of its renderings before and after.
 */
import { discoverHtaccess } from '../../server/src/access/htaccess-files';
import { planAccessConversion } from '../../server/src/access/plan';
import { ACCESS_NAMES } from '../../server/src/access/conversion-input';
import { Engine } from '../../server/src/analysis/engine';
import { applyEdits, fixesOf, fixText } from '../../server/src/analysis/fixes';
import { readConfiguration } from '../../server/src/config/configuration';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { Server, type Client, type Status, type Version } from '../access/server-model';
import { memoryFiles } from '../../server/src/config/memory-files';
import { HEAD, type Case } from './cases';

const FILE = { isHtaccess: false };

/**
 * The texts that a template can be made into, each with what did it: all fixes of a kind, those of
 * one rule, each fix by itself, the conversion of its whole configuration.
 */
export function fixedTexts(text: string, { isMain }: Case): Map<string, string> {
  const found = new Map<string, string>();
  const add = (what: string, fixed: string) => {
    if (fixed !== text && ![...found.values()].includes(fixed)) found.set(what, fixed);
  };
  for (const assumeStandalone of [false, true]) {
    const engine = new Engine({ rules: ALL_RULES, assumeStandalone });
    const assumed = assumeStandalone ? ', standalone' : '';
    for (const unsafe of [false, true])
      add(`${unsafe ? 'every' : 'safe'}${assumed}`, fixText(engine, text, FILE, { unsafe }).text);
    const findings = engine.analyze(Tree.parse(text), FILE).findings();
    for (const id of new Set(findings.map(({ rule }) => rule.id)))
      for (const unsafe of [false, true])
        add(`all of ${id}${assumed}`, fixText(engine, text, FILE, { unsafe, rules: [id] }).text);
    for (const finding of findings)
      for (const { fix, edits } of fixesOf(finding)) add(`${fix.title}${assumed}`, applyEdits(text, edits));
  }
  // As a part of a configuration, and written over one.
  for (const mayAdmit of [false, true]) {
    const texts: Record<string, string> = isMain
      ? { '/srv/conf/httpd.conf': text }
      : { '/srv/conf/httpd.conf': `${HEAD}Include part.conf\n`, '/srv/part.conf': text };
    const view = memoryFiles(texts);
    const configuration = readConfiguration({ root: '/srv/conf/httpd.conf', view, names: ACCESS_NAMES })!;
    const { files, openQuestions } = discoverHtaccess(configuration, view);
    add(
      'the whole configuration',
      applyEdits(
        text,
        planAccessConversion(configuration, files, openQuestions, { mayWidenOverride: mayAdmit }).edits.get(
          isMain ? '/srv/conf/httpd.conf' : '/srv/part.conf',
        ) ?? [],
      ),
    );
  }
  return found;
}

const CLIENTS: readonly Client[] = ['127.0.0.1', '127.0.1.9', '127.0.2.5', '192.0.2.1'].flatMap((address) =>
  [null, 'ann'].map((user) => ({ address, user, name: null, variables: new Set<string>(), groups: [] })),
);
const URLS = ['/file', '/secret', '/pub/file', '/pub/secret', '/b/file'];
export const REQUESTS = URLS.flatMap((url) =>
  ['GET', 'POST'].flatMap((method) => CLIENTS.map((client) => ({ url, method, client }))),
);
const FOLDERS = ['/srv', '/srv/www', '/srv/www/pub', '/srv/www/b'];

/** What a server answers to everybody, for what a template rendered. */
export function answers(rendering: string, version: Version, { isMain }: Case): readonly Status[] | 'refused' {
  const server = new Server(
    {
      root: '/srv/httpd.conf',
      texts: { '/srv/httpd.conf': isMain ? rendering : HEAD + rendering },
      serverRoot: '/srv',
      defined: { '2.2': new Set(), '2.4': new Set() },
      folders: new Set(FOLDERS),
      files: new Set(URLS.map((url) => `/srv/www${url}`)),
    },
    version,
  );
  if (server.isRefused) return 'refused';
  const host = server.hostCount - 1;
  return REQUESTS.map(({ url, method, client }) => server.answer(server.applied(url, host), method, client));
}
