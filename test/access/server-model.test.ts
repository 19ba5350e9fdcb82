/** The model in requests.ts has to give all recorded answers of a real httpd 2.2. */
import assert from 'node:assert/strict';
import {
  FILES,
  isInStaff,
  knownUser,
  MAIN,
  readQuestion,
  readRecorded,
  ROOT,
  textsOf,
  type Question,
} from './recorded';
import { Server, type Client } from './server-model';

describe('requests as httpd 2.2 answers them', () => {
  it('135,000 recorded answers', () => {
    const recorded = readRecorded();
    const texts = textsOf(recorded);
    const folders = new Set([
      '/srv',
      ROOT,
      `${ROOT}/htdocs`,
      ...recorded.scenarios.flatMap(({ id }) => [`${ROOT}/htdocs/${id}`, `${ROOT}/htdocs/${id}/sub`]),
    ]);
    const nothing = { '2.2': new Set<string>(), '2.4': new Set<string>() };
    const server = new Server({ root: MAIN, texts, serverRoot: ROOT, defined: nothing, folders }, '2.2');
    let asked = 0;
    for (const { id, answers22 } of recorded.scenarios) {
      const sections = new Map(FILES.map((file) => [file, server.applied(`/${id}/${file}`, -1)]));
      recorded.questions.forEach((question, i) => {
        const { file, method } = readQuestion(question);
        const answer = server.answer(sections.get(file)!, method, client(readQuestion(question)));
        assert.equal(answer, { '1': 401, '2': 200, '3': 403 }[answers22[i]], `${id}: ${question}`);
        asked++;
      });
    }
    assert.equal(asked, 135_000);
  });
});

function client(question: Question): Client {
  const user = knownUser(question);
  const { from, variable } = question;
  return {
    address: from,
    name: null,
    variables: new Set(variable === null ? [] : [variable]),
    user,
    groups: user !== null && isInStaff(user) ? ['staff'] : [],
  };
}
