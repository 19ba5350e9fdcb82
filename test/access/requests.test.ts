/** The second opinion of requests.ts against a real httpd 2.2: it gives all of its recorded answers. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '../support/paths';
import { Server, type Client } from './requests';

interface Recorded {
  readonly questions: readonly string[];
  readonly main: string;
  readonly scenarios: readonly { readonly id: string; readonly conf: string; readonly htaccess?: string; readonly answers22: string }[];
}

const ROOT = '/srv/recorded';

describe('requests as httpd 2.2 answers them', () => {
  it('135,000 recorded answers', () => {
    const recorded = JSON.parse(readFileSync(path.join(repositoryRoot, 'test', 'access', 'recorded-answers.json'), 'utf8')) as Recorded;
    const local = (text: string) => text.replaceAll('@ROOT@', ROOT);
    const texts: Record<string, string> = { [`${ROOT}/conf/httpd.conf`]: local(recorded.main) };
    const folders = new Set(['/srv', ROOT, `${ROOT}/htdocs`]);
    for (const { id, conf, htaccess } of recorded.scenarios) {
      texts[`${ROOT}/conf/scenarios/${id}.conf`] = local(conf);
      if (htaccess !== undefined) texts[`${ROOT}/htdocs/${id}/sub/.htaccess`] = local(htaccess);
      folders.add(`${ROOT}/htdocs/${id}`).add(`${ROOT}/htdocs/${id}/sub`);
    }
    const nothing = { '2.2': new Set<string>(), '2.4': new Set<string>() };
    const server = new Server({ root: `${ROOT}/conf/httpd.conf`, texts, serverRoot: ROOT, defined: nothing, folders }, '2.2');
    let asked = 0;
    for (const { id, answers22 } of recorded.scenarios) {
      const sections = new Map(['index.html', 'sub/index.html', 'sub/secret.txt'].map((file) => [file, server.applied(`/${id}/${file}`, -1)]));
      recorded.questions.forEach((question, i) => {
        const [address, method, file, credentials, variable] = question.split(' ');
        const answer = server.answer(sections.get(file)!, method, client(address, credentials, variable));
        assert.equal(answer, { '1': 401, '2': 200, '3': 403 }[answers22[i]], `${id}: ${question}`);
        asked++;
      });
    }
    assert.equal(asked, 135_000);
  });
});

function client(address: string, credentials: string, variable: string): Client {
  const known: Record<string, string> = { 'alice:a': 'alice', 'bob:b': 'bob', 'carol:c': 'carol' };
  const user = known[credentials] ?? null;
  return { address, name: null, variables: new Set(variable === '-' ? [] : [variable]), user, groups: user === 'carol' ? ['staff'] : [] };
}
