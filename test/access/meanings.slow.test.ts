/**
 * Answers questions about the meaning of lines: whether the server is started with a name, what a
 * word after `from` is, whether two sections overlap. If the answer is true, 2.4 has to answer as
 * 2.2. If it is false and a response changes, each change has to state that it depends on the
 * answer. HTTPD_UPGRADE_CONFIGURATIONS is the number of servers.
 */
import assert from 'node:assert/strict';
import type { OpenQuestion } from '../../server/src/access/open-question';
import { accessConversion } from '../../server/src/analysis/access-conversion';
import { questionIdOrFallback, type Answers } from '../../server/src/analysis/answers';
import { Engine } from '../../server/src/analysis/engine';
import { applyEdits } from '../../server/src/analysis/fixes';
import { itemsAround } from '../../server/src/analysis/suppression';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { memoryFiles } from '../../server/src/config/memory-files';
import { Random, seed } from '../support/random';
import { differenceAt } from './converted';
import {
  FILES,
  FOLDERS,
  MAIN,
  randomClient,
  randomConfiguration,
  ROOT,
  siteOf,
  textsOf,
  type Generated,
} from './generate';
import { groupedBy } from '../../server/src/syntax/groups';
import type { Section } from '../../server/src/syntax/tree';
import { Server, type Client } from './server-model';

const COUNT = Number(process.env.HTTPD_UPGRADE_CONFIGURATIONS ?? 400);
const QUESTIONS = 12;

type Texts = Readonly<Record<string, string>>;
type Kind = 'define' | 'operand-host' | 'overlap';

/** What an answer comes to: whether it is true of the server, and who asks it. */
interface Trial {
  readonly value: string;
  readonly isTrue: boolean;
  readonly clientOf?: (random: Random) => Client;
}

describe('answers about what lines mean', function () {
  this.timeout(COUNT * 600 + 600_000);

  it(`${COUNT} servers: right where they are true, and told where they are not`, () => {
    const start = seed();
    const seen: Record<Kind, { asked: number; right: number; wrong: number }> = {
      define: { asked: 0, right: 0, wrong: 0 },
      'operand-host': { asked: 0, right: 0, wrong: 0 },
      overlap: { asked: 0, right: 0, wrong: 0 },
    };
    for (let i = 0; i < COUNT; i++) {
      const random = new Random(start + i);
      const generated = mistaken(randomConfiguration(random), random);
      const texts = { ...textsOf(generated) };
      texts[MAIN] = `Listen 80\n${texts[MAIN]}`;
      const unanswered = planned(texts, new Map());
      for (const asked of unanswered.asked) {
        const kind = asked.kind as Kind;
        const id = questionIdOrFallback(asked, { answers: new Map(), folder: '/' });
        seen[kind].asked++;
        for (const { value, isTrue, clientOf } of trialsOf(kind, asked, generated)) {
          const { fixed, restsOn } = planned(texts, new Map([[id, value]]));
          if (JSON.stringify(fixed) === JSON.stringify(unanswered.fixed)) continue;
          const difference = differenceAt(
            generated,
            texts,
            { ...texts, ...fixed },
            { from: start + i, questions: QUESTIONS, clientOf },
          );
          const where = `HTTPD_UPGRADE_SEED=${start + i}, ${id}=${value}`;
          // Of sections nobody says beforehand whether they meet: where a request tells them apart,
          // they do.
          const isRight =
            kind === 'overlap' ? difference === null || !meet(generated, texts, asked, difference) : isTrue;
          if (isRight) {
            seen[kind].right++;
            assert.equal(difference, null, `${where}: ${difference?.what}`);
          } else if (difference !== null) {
            seen[kind].wrong++;
            assert.ok(
              restsOn.length > 0 && restsOn.every((ids) => ids.includes(id)),
              `${where}: nothing says that it rests on it: ${difference.what}`,
            );
          }
        }
      }
    }
    for (const [kind, { asked, right }] of Object.entries(seen))
      assert.ok(asked > 0 && right > 0, `${kind}: ${JSON.stringify(seen)}`);
    assert.ok(Object.values(seen).reduce((sum, { wrong }) => sum + wrong, 0) > 0, JSON.stringify(seen));
    if (process.env.HTTPD_UPGRADE_CONFIGURATIONS) console.log(JSON.stringify(seen));
  });
});

function trialsOf(kind: Kind, { subject }: OpenQuestion, { defines }: Generated): Trial[] {
  if (kind === 'define')
    return ['off', 'on'].map((value) => ({ value, isTrue: (value === 'on') === defines.includes(subject) }));
  if (kind === 'overlap') return [{ value: 'never-meet', isTrue: false }];
  return [
    { value: 'never-matches', isTrue: true },
    { value: 'never-matches', isTrue: false, clientOf: namedSo },
    { value: 'is-a-host', isTrue: true, clientOf: namedSo },
  ];
}

/** A word that looks like a mistake, and may be a client's name after all. */
function mistaken(generated: Generated, random: Random): Generated {
  const word = random.pick(['10.1.*', '127.0.0.1,']);
  const texts = generated.files[MAIN].map((piece) => {
    if (typeof piece === 'string' || random.below(4) > 0) return piece;
    return {
      ...piece,
      body: piece.body.map((line) =>
        typeof line === 'string' && /^(allow|deny) from [^\\]*$/i.test(line) && random.below(2) === 0
          ? `${line} ${word}`
          : line,
      ),
    };
  });
  return { ...generated, files: { ...generated.files, [MAIN]: texts } };
}

function namedSo(random: Random): Client {
  const client = randomClient(random);
  return random.below(2) === 0 ? { ...client, name: random.pick(['10.1.*', 'host.127.0.0.1,']) } : client;
}

interface Planned {
  readonly asked: readonly OpenQuestion[];
  /** What ready changes make of the files. */
  readonly fixed: Texts;
  /** Of each ready change the ids of the questions that it rests on. */
  readonly restsOn: readonly (readonly string[])[];
}

function planned(texts: Texts, answers: Answers): Planned {
  const view = memoryFiles({
    ...Object.fromEntries(FOLDERS.flatMap((folder) => FILES.map((file) => [`${folder}/${file}`, '']))),
    ...texts,
  });
  const answerSet = { answers, folder: '/' };
  const engine = new Engine({ rules: ALL_RULES, answerSet });
  const { configurations, changes, editsOfFile } = accessConversion({
    roots: [{ mainFile: MAIN, engine, server: { serverRoot: ROOT }, isNamed: true }],
    view,
  });
  const fixed: Record<string, string> = {};
  for (const path of Object.keys(texts)) {
    const own = editsOfFile(path, false);
    if (own.length > 0) fixed[path] = applyEdits(texts[path], own);
  }
  const ready = changes.filter(({ safety }) => safety === 'safe');
  return {
    fixed,
    asked: configurations.flatMap(({ furtherQuestions }) => furtherQuestions),
    restsOn: ready.map((change) => change.restsOn.map((each) => questionIdOrFallback(each, answerSet))),
  };
}

/**
 * Whether the last section that a question names applies to a request, and one of the others:
 * without it, less applies. Several sections may have the same name.
 */
function meet(
  generated: Generated,
  texts: Texts,
  { places, subject }: OpenQuestion,
  { url, host }: { readonly url: string; readonly host: number },
): boolean {
  const count = (given: Texts) => new Server(siteOf(generated, given), '2.2').applied(url, host).length;
  const all = count(texts);
  const byName = groupedBy(places, ({ path, offset }) => sectionAt(texts[path], offset).item.open.text.trim());
  const applies = (name: string) =>
    byName.get(name)!.some(({ path, offset }) => {
      const { length } = sectionAt(texts[path], offset).item;
      return count({ ...texts, [path]: texts[path].slice(0, offset) + texts[path].slice(offset + length) }) < all;
    });
  const last = [...byName.keys()].find((name) => subject.endsWith(` and ${name}`))!;
  const others = [...byName.keys()].filter((name) => name !== last);
  return applies(last) && (others.length === 0 || others.some(applies));
}

function sectionAt(text: string, offset: number) {
  const found = itemsAround(Tree.parse(text), offset).find((each) => each.offset === offset)!;
  return found as typeof found & { readonly item: Section };
}
