/** Converts a generated configuration, and compares the answers of 2.2 before and of 2.4 after. */
import { reasonText } from '../../server/src/access/not-converted';
import { accessConditionDecider } from '../../server/src/access/conditions';
import { openQuestionText } from '../../server/src/access/open-question';
import { planAccessConversion } from '../../server/src/access/plan';
import { discoverHtaccess } from '../../server/src/access/htaccess-files';
import { ACCESS_NAMES, type ConversionOptions } from '../../server/src/access/conversion-input';
import { ONE_VERSION_NAMES } from '../../server/src/access/one-version';
import { applyEdits } from '../../server/src/analysis/fixes';
import { readConfiguration } from '../../server/src/config/configuration';
import { memoryFiles } from '../../server/src/config/memory-files';
import { Random } from '../support/random';
import { FILES, FOLDERS, MAIN, randomClient, ROOT, siteOf, smaller, textsOf, URLS, type Generated } from './generate';
import { Server, type Client } from './server-model';

export const METHODS = ['GET', 'POST', 'PUT', 'OPTIONS'];
const QUESTIONS = 24;

export interface Converted {
  readonly texts: Readonly<Record<string, string>>;
  readonly fixed: Readonly<Record<string, string>>;
  readonly reasons: readonly string[];
  readonly openQuestions: readonly string[];
  readonly edits: number;
}

export function convert(generated: Generated, base = '', options: ConversionOptions = {}): Converted {
  const texts = textsOf(generated, base);
  const view = memoryFiles({
    ...texts,
    ...Object.fromEntries(FOLDERS.flatMap((folder) => FILES.map((file) => [`${base}${folder}/${file}`, '']))),
  });
  const configuration = readConfiguration({
    root: base + MAIN,
    view,
    names: ACCESS_NAMES,
    oneVersionNames: ONE_VERSION_NAMES,
    decideCondition: accessConditionDecider(),
    serverRoot: base + ROOT,
  })!;
  const { files, openQuestions } = discoverHtaccess(configuration, view);
  const plan = planAccessConversion(configuration, files, openQuestions, options);
  const fixed: Record<string, string> = {};
  for (const path of Object.keys(texts)) fixed[path] = applyEdits(texts[path], plan.edits.get(path) ?? []);
  return {
    texts,
    fixed,
    reasons: plan.refusals.map(({ reason }) => reasonText(reason)),
    openQuestions: plan.openQuestions.map(openQuestionText),
    edits: [...plan.edits.values()].flat().length,
  };
}

let last = { isConverted: false, requests: 0 };

/**
 * Of the last call of `disagreement`: whether everything was converted, and how many requests were
 * compared.
 */
export function askedAbout(): { readonly isConverted: boolean; readonly requests: number } {
  return last;
}

/**
 * The first request that is answered otherwise, told with the configuration; null where there is
 * none.
 */
export function disagreement(generated: Generated, from: number, converted = convert(generated)): string | null {
  const { texts, fixed, openQuestions, edits, reasons } = converted;
  last = { isConverted: openQuestions.length === 0 && edits > 0 && reasons.length === 0, requests: 0 };
  return openQuestions.length > 0 || edits === 0 ? null : differenceOf(generated, texts, fixed, from);
}

/**
 * The first request that is answered otherwise by 2.4 with other texts than by 2.2; null where
 * there is none.
 */
export function differenceOf(
  generated: Generated,
  texts: Converted['texts'],
  fixed: Converted['fixed'],
  from: number,
  questions = QUESTIONS,
): string | null {
  return differenceAt(generated, texts, fixed, { from, questions })?.what ?? null;
}

export interface Difference {
  /** For people. */
  readonly what: string;
  readonly url: string;
  /** The virtual host; -1: the main server. */
  readonly host: number;
}

export function differenceAt(
  generated: Generated,
  texts: Converted['texts'],
  fixed: Converted['fixed'],
  {
    from,
    questions,
    clientOf = randomClient,
  }: { readonly from: number; readonly questions: number; readonly clientOf?: (random: Random) => Client },
): Difference | null {
  const before = new Server(siteOf(generated, texts), '2.2');
  if (before.isRefused) return null;
  const after = new Server(siteOf(generated, fixed), '2.4');
  // Of modules, as these lines mean them.
  const untouched = untouchedIn24(texts).map(
    (each) => new Server(siteOf({ ...generated, defines24: generated.defines }, each), '2.4'),
  );
  const random = new Random(from);
  const seen = new Set<string>();
  // All virtual hosts are for *:80: where the server listens on port 80 alone, the main server gets
  // no request.
  const first = before.hostCount > 0 && /^Listen 80$/m.test(texts[MAIN]!) ? 0 : -1;
  for (let host = first; host < before.hostCount; host++) {
    for (const url of URLS) {
      const old = before.applied(url, host);
      const now = after.applied(url, host);
      const key = `${old.map(({ id }) => id).join()} ${now.map(({ id }) => id).join()}`;
      if (seen.has(key)) continue;
      seen.add(key);
      for (let i = 0; i < questions; i++) {
        const method = random.pick(METHODS);
        const client = clientOf(random);
        const expected = before.answer(old, method, client);
        const given = after.answer(now, method, client);
        last.requests++;
        if (given === expected) continue;
        // Where the section was left as it is, the answer is that of mod_access_compat before and
        // after.
        if (untouched.some((server) => given === server.answer(server.applied(url, host), method, client))) continue;
        const asked = `${method} ${url} at host ${host} from ${told(client)}: 2.2 answers ${expected}, 2.4 ${given}`;
        return {
          url,
          host,
          what: `${asked}\n${listed(texts)}\n--- converted:\n${listed(fixed)}\n${defines(generated)}`,
        };
      }
    }
  }
  return null;
}

/**
 * The texts as they are, and as 2.4 starts with them: it takes no other spelling of what stands
 * behind Require, so that what one section is converted for shows what the others come to.
 */
export function untouchedIn24(texts: Converted['texts']): Converted['texts'][] {
  const lower = Object.fromEntries(
    Object.entries(texts).map(([path, text]) => [
      path,
      text.replace(/^([ \t]*require[ \t]+)([\w-]+)/gim, (_, start: string, name: string) => start + name.toLowerCase()),
    ]),
  );
  return [texts, lower];
}

/** The least of the configuration that still disagrees. */
export function shrunk(generated: Generated, from: number): Generated {
  let least = generated;
  again: for (;;) {
    for (const candidate of smaller(least)) {
      try {
        if (disagreement(candidate, from) === null) continue;
      } catch {
        continue;
      }
      least = candidate;
      continue again;
    }
    return least;
  }
}

export function told({ address, name, variables, user }: Client): string {
  return `${address} (${name ?? 'no name'}) ${[...variables].join('+')} as ${user ?? 'nobody'}`;
}

function defines({ defines: names }: Generated): string {
  return names.length > 0 ? `defined: ${names.join(' ')}` : '';
}

export function listed(texts: Readonly<Record<string, string>>): string {
  return Object.entries(texts)
    .map(([path, text]) => `# ${path}\n${text}`)
    .join('');
}
