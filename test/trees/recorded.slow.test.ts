/**
 * The model of 2.2 has to give all recorded answers of a real 2.2, and the model of 2.4 those of a
 * real 2.4 with mod_access_compat.
 */
import assert from 'node:assert/strict';
import {
  confOf,
  FILES,
  htaccessOf,
  isInStaff,
  knownUser,
  MAIN,
  readQuestion,
  readRecorded,
  ROOT,
  textsOf,
} from '../access/recorded';
import { Disk } from './disk';
import { Server } from './server';

describe('the models of whole servers', function () {
  this.timeout(900_000);
  const recorded = readRecorded();
  const ids = recorded.scenarios.map(({ id }) => id);
  const served = Object.fromEntries(ids.flatMap((id) => FILES.map((file) => [`${ROOT}/htdocs/${id}/${file}`, ''])));
  const disk = Disk.of({ ...served, ...textsOf(recorded) }, ROOT);

  for (const [version, key] of [
    ['2.2', 'answers22'],
    ['2.4', 'answers24compat'],
  ] as const) {
    it(`give all recorded answers of ${version}`, () => {
      const server = new Server(disk, { defines: [] }, version, MAIN);
      assert.equal(server.refusal, null);
      const wrong: string[] = [];
      for (const scenario of recorded.scenarios) {
        recorded.questions.forEach((text, index) => {
          const question = readQuestion(text);
          const user = knownUser(question);
          const client = {
            address: question.from,
            name: null,
            variables: new Set(question.variable === null ? [] : [question.variable]),
            user,
            groups: user && isInStaff(user) ? ['staff'] : [],
          };
          const given = server.answer('', `/${scenario.id}/${question.file}`, question.method, client);
          const wanted = { '2': 200, '1': 401, '3': 403, '5': 500 }[scenario[key][index]];
          if (given !== wanted)
            wrong.push(
              `${scenario.id} ${text}: ${given}, recorded ${scenario[key][index]}\n${disk.text(confOf(scenario.id))}${disk.text(htaccessOf(scenario.id)) ?? ''}`,
            );
        });
      }
      assert.equal(wrong.length, 0, `${wrong.length} answers, such as\n${wrong.slice(0, 3).join('\n')}`);
    });
  }
});
