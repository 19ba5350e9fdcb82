/** The cost of short files that are made to be slow. */
import { accessTableMarkdown } from '../../server/src/features/access-table';
import assert from 'node:assert/strict';
import { accessConditionDecider } from '../../server/src/access/conditions';
import { convertConfiguration } from '../../server/src/access/configuration-conversion';
import { ACCESS_NAMES } from '../../server/src/access/conversion-input';
import { SectionsBefore, type AppliedSection } from '../../server/src/access/sections-before';
import { readConfiguration } from '../../server/src/config/configuration';
import { configView } from '../../server/src/config/config-view';
import { memoryFiles } from '../../server/src/config/memory-files';
import { readModel } from '../../server/src/config/read-model';
import { linksIn } from '../../server/src/features/navigation';
import { accessProof } from '../../server/src/features/report/access-proof';
import { provenTranslation } from '../../server/src/access/proof-cache';
import { overrideWordsFor, overrideCounts, overrideLines } from '../../server/src/access/override';
import type { Section22 } from '../../server/src/access/model';
import { parseOperand } from '../../server/src/access/operand';
import { HostTable } from '../../server/src/config/virtual-hosts';
import { HostGroups } from '../../server/src/config/host-groups';
import type { Host } from '../../server/src/host/host';
import { Tree } from '../../server/src/syntax/document';
import { Scheduler } from '../../server/src/lsp/scheduler';
import { WorkspaceFiles } from '../../server/src/lsp/workspace-files';
import { compareAccess } from '../../server/src/requests/access-diff';
import { urlClasses } from '../../server/src/requests/access-sections';
import { OpenFacts } from '../../server/src/requests/open-facts';
import { answersTogether } from '../../server/src/requests/together';
import { parseRequest } from '../../server/src/requests/parse';
import { siteOf } from '../../server/src/requests/site';
import { urlCounts } from '../../server/src/requests/urls';
import { witnessRequests } from '../../server/src/requests/witness-requests';
import { reasonsOfDirectories } from '../../server/src/requests/urls-of-file';
import { ask, configurationOf as requestsTo, MAIN } from '../requests/support';

const ACCESS = 'Order deny,allow\nDeny from all\nAllow from 192.0.2.7\n';

/** Runs a job. Returns what the calls of a method return. */
function callsOf<Result>(of: object, method: string, job: () => unknown): Result[] {
  const methods = of as Record<string, (...given: unknown[]) => Result>;
  const original = methods[method]!;
  const results: Result[] = [];
  methods[method] = function (...given) {
    const result = original.apply(this, given);
    results.push(result);
    return result;
  };
  try {
    job();
  } finally {
    methods[method] = original;
  }
  return results;
}

describe('hundreds of equal sections', () => {
  const sequencesOf = (count: number) => {
    // A directory with a pattern may be below any folder to which a URL leads.
    const text = `Listen 80\n<Directory /x*>\nOrder deny,allow\n</Directory>\n${`<Location /a>\n${ACCESS}</Location>\n`.repeat(count)}<Location /a>\nAllow from env=x\nRequire all granted\n</Location>\n`;
    return callsOf<ReturnType<SectionsBefore['sequencesBefore']>>(SectionsBefore.prototype, 'sequencesBefore', () =>
      convertConfiguration(
        readConfiguration({
          root: MAIN,
          view: memoryFiles({ [MAIN]: text }),
          names: ACCESS_NAMES,
          decideCondition: accessConditionDecider(),
        })!,
        [],
      ),
    ).flat();
  };

  it('are each compared with the others once, and not for each of them', () => {
    const steps = new Set<AppliedSection>();
    for (const { appliedSections } of sequencesOf(200)) for (const step of appliedSections) steps.add(step);
    assert.ok(steps.size >= 200 && steps.size < 1000, `${steps.size} steps`);
  });

  it('have one list of the sections before them for all folders with the same sections', () => {
    const sequences = sequencesOf(50);
    const lists = new Set(sequences.map(({ appliedSections }) => appliedSections));
    assert.ok(sequences.length > 2 * lists.size, `${lists.size} lists for ${sequences.length} folders`);
  });
});

describe('hundreds of lines that lead to missing parts', () => {
  const missing = (lines: number) =>
    `${Array.from({ length: lines }, (_, i) => `Use Q${i}\n`).join('')}${Array.from(
      { length: 10 },
      (_, i) => `<Location /a${i}>\n${ACCESS}Satisfy any\n</Location>\n`,
    ).join('')}`;

  it('are asked for once for each URL, to choose the URLs of requests', () => {
    const site = siteOf(requestsTo(missing(300)), '2.4-compat')!;
    let urls = 0;
    const asked = callsOf(OpenFacts.prototype, 'holds', () => {
      for (const url of urlClasses([site])) urls += url.path.length > 0 ? 1 : 0;
    });
    assert.ok(urls > 0);
    assert.ok(asked.length < 300 * 60, `${asked.length} questions for ${urls} URLs`);
  });
});

describe('a long list of addresses that many sections inherit', () => {
  const section = (count: number): Section22 => ({
    hostRules: {
      order: 'deny,allow',
      allow: Array.from({ length: count }, (_, i) => parseOperand(`10.${i >> 8}.${i & 255}.0/24`)),
      deny: [parseOperand('all')],
    },
    satisfy: 'all',
    userRequirements: [],
  });

  it('is translated and proven once', () => {
    const tree = provenTranslation(section(500));
    assert.ok(tree !== null);
    assert.equal(provenTranslation(section(500)), tree);
  });

  it('leaves the cache before the lists need much memory', () => {
    const tree = provenTranslation(section(500));
    for (let count = 501; count < 900; count++) provenTranslation(section(count));
    assert.notEqual(provenTranslation(section(500)), tree);
  });
});

describe('hundreds of virtual hosts whose AllowOverride has a pattern', () => {
  const hosts = Array.from(
    { length: 200 },
    (_, i) =>
      `<VirtualHost *:80>\nServerName h${i}\nDocumentRoot /srv/${i}\n<Directory /srv/*>\nAllowOverride ${i % 2 ? 'None' : 'All'}\n</Directory>\n</VirtualHost>\n`,
  ).join('');

  it('are asked as two groups of hosts for each folder', () => {
    const view = memoryFiles({ [MAIN]: `Listen 80\n${hosts}` });
    const configuration = readConfiguration({ root: MAIN, view, names: ACCESS_NAMES })!;
    const groups = callsOf<HostGroups<unknown, unknown>>(HostGroups.prototype, 'withHosts', () => {
      for (let i = 0; i < 200; i++) assert.equal(overrideWordsFor(configuration, `/srv/${i}`), null);
    });
    assert.equal(groups.length, 200);
    assert.deepEqual(new Set(groups.map(({ allGroups }) => allGroups.length)), new Set([2]));
  });
});

describe('hundreds of Include lines with one pattern', () => {
  const FOLDERS = ['/a', '/a/b', '/a/b/c'];
  const searchesOf = async (lines: number) => {
    const host = {
      status: (uri: string) =>
        Promise.resolve({ kind: FOLDERS.includes(uri) ? ('folder' as const) : ('file' as const), realUri: uri }),
      list: (uri: string) =>
        Promise.resolve(['b', 'c', 'd.conf', 'e.conf'].map((name) => ({ name, kind: kindOf(`${uri}/${name}`) }))),
      readNow: () => ({ text: 'ServerAdmin me\n' }),
    };
    const kindOf = (path: string) => (FOLDERS.includes(path) ? ('folder' as const) : ('file' as const));
    const path = (uri: string) => uri;
    const files = new WorkspaceFiles(host as unknown as Host, new Scheduler(), path, path, () => null, assert.fail);
    let found: readonly string[] = [];
    const searches: number[] = [];
    while (searches.length === 0 || files.hasRequestedReads) {
      await files.readRequested(() => false);
      const lists = callsOf(WorkspaceFiles.prototype, 'list', () => {
        for (let i = 0; i < lines; i++) found = files.included('/a/*/*/*.conf');
        for (const each of found) files.fileSummary(each);
      });
      searches.push(lists.length);
    }
    return { searches, found };
  };

  it('search the folders once in each walk, and not again when only files were read', async () => {
    const [one, many] = [await searchesOf(1), await searchesOf(300)];
    assert.deepEqual(many.found, ['/a/b/c/d.conf', '/a/b/c/e.conf']);
    assert.deepEqual(many.searches, one.searches);
    assert.equal(many.searches.at(-1), 0);
  });
});

describe('an Include whose pattern goes through a link to the folder above', () => {
  it('reads each folder and each status once, whatever the number of paths', async () => {
    const kindOf = (path: string) => (path.endsWith('.conf') ? ('file' as const) : ('folder' as const));
    const queries: string[] = [];
    const host = {
      status: (uri: string) => {
        queries.push(`status ${uri}`);
        // Each link `up` leads to its folder.
        return Promise.resolve({ kind: kindOf(uri), realUri: uri.replace(/(\/up)+/g, '') });
      },
      list: (uri: string) => {
        queries.push(`list ${uri}`);
        return Promise.resolve([
          { name: 'up', kind: 'link' as const },
          { name: 'a.conf', kind: 'file' as const },
        ]);
      },
    };
    const path = (uri: string) => uri;
    const files = new WorkspaceFiles(host as unknown as Host, new Scheduler(), path, path, () => null, assert.fail);
    let found: readonly string[] = [];
    do {
      await files.readRequested(() => false);
      found = files.included('/top/*/*/*/*/*/*/*/*.conf');
    } while (files.hasRequestedReads);
    assert.deepEqual(found, [`/top${'/up'.repeat(7)}/a.conf`]);
    assert.deepEqual(queries.sort(), ['list /top', 'status /top', 'status /top/up']);
  });
});

describe('lines that a short file includes again and again', () => {
  const files = {
    [MAIN]: `${'Include b.conf\n'.repeat(100)}<Location />\nOrder deny,allow\nDeny from env=e0\n</Location>\n`,
    '/etc/httpd/b.conf': Array.from({ length: 100 }, (_, i) => `SetEnvIf Remote_Host h${i} e${i}\n`).join(''),
  };

  it('are not read again for each combination of facts that the files do not show', () => {
    const questions = callsOf(OpenFacts.prototype, 'holds', () => {
      assert.equal(ask(files, 'GET http://a/').access, 'unknown');
    });
    assert.ok(questions.length < 20 * 100 * 100, `${questions.length} questions`);
  });

  it('are not read again for each directory to which no request of them leads', () => {
    const hosts = Array.from({ length: 50 }, (_, i) => `Alias /a${i} /srv/${i}\n`).join('');
    const reasonOf = reasonsOfDirectories(requestsTo({ ...files, [MAIN]: hosts + files[MAIN] }));
    const questions = callsOf(OpenFacts.prototype, 'holds', () => {
      for (let i = 0; i < 50; i++) reasonOf(`/srv/${i}`);
    });
    assert.ok(questions.length < 20 * 100 * 100, `${questions.length} questions`);
  });

  it('give no answer for some combinations alone', () => {
    const site = siteOf(requestsTo(files), '2.4-compat')!;
    const request = parseRequest('GET http://a/', { from: '192.0.2.7' })!;
    assert.equal(answersTogether(request, [site], { maxWork: 0 }).isStopped, true);
    const usual = siteOf(requestsTo('<Location />\nOrder deny,allow\n</Location>\n'), '2.4-compat')!;
    assert.equal(answersTogether(request, [usual], { maxWork: 0 }).isStopped, false);
  });
});

describe('a small file that inserts a long macro hundreds of times', () => {
  const LINES = Array.from(
    { length: 40 },
    (_, i) => `SetEnvIf X-${i} a.b e${i}\n<Location /$a/${i}>\nDeny from all\n</Location>\n`,
  );
  const uses = (count: number, argument: string) =>
    Array.from({ length: count }, (_, i) => `Use M ${argument}${i}\n`).join('');
  const macro = (lines: number) => `<Macro M $a>\n${LINES.slice(0, lines).join('')}</Macro>\n`;

  it('tries no further request if the first takes longer than all may take', () => {
    const asked = requestsTo(`Listen 80\nDocumentRoot /srv\n${macro(40)}${uses(600, 'argument')}`);
    const found = witnessRequests(asked)!;
    assert.equal(found.requests.length, 0);
    assert.match(found.whyUnreached(found.unreachedSections[0]!)?.what ?? '', /took too long/);
    // The table says it once, above the list of the sections.
    assert.equal(accessTableMarkdown(found, String).split('took too long').length, 2);
  });

  it('has no proof in the report if it has more sections than files of its length can have', () => {
    const proofOf = (count: number) =>
      accessProof(requestsTo(`Listen 80\nDocumentRoot /srv\n${macro(40)}${uses(count, 'argument')}`), (file) => file);
    assert.equal(proofOf(600), null);
    assert.equal(proofOf(3)?.sections.length, 120);
  });

  it('is compared within a limit that other searches share', () => {
    const configuration = requestsTo(`Listen 80\nDocumentRoot /srv\n${macro(2)}${uses(2, '')}`);
    const sides = [
      { configuration, server: '2.2' },
      { configuration, server: '2.4' },
    ] as const;
    const limit = { workLeft: 1 };
    const changes = compareAccess(...sides, { limit })!.map(({ change }) => change);
    assert.deepEqual([new Set(changes), limit.workLeft < 0], [new Set(['unknown']), true]);
    assert.deepEqual(new Set(compareAccess(...sides)!.map(({ change }) => change)), new Set(['none']));
  });
});

describe('hundreds of equal sections whose AllowOverride may apply', () => {
  const pattern = '<Directory /srv/*>\nAllowOverride None\n</Directory>\n';
  const configuration = (count: number) =>
    readConfiguration({
      root: MAIN,
      view: memoryFiles({ [MAIN]: `Listen 80\n<IfDefine A>\n${pattern.repeat(count)}</IfDefine>\n` }),
      names: ACCESS_NAMES,
      decideCondition: accessConditionDecider(),
    })!;
  const foldersOf = (count: number) => Array.from({ length: count }, (_, i) => `/srv/${i}`);

  it('are compared with each folder as one section', () => {
    const many = configuration(300);
    const before = overrideCounts.sections;
    for (const folder of foldersOf(100))
      assert.equal(overrideWordsFor(many, folder), overrideWordsFor(configuration(1), folder));
    assert.ok(overrideCounts.sections - before < 1000, `${overrideCounts.sections - before} sections`);
  });

  it('are all found by the search for their lines', () => {
    const section = '<Directory /srv>\nAllowOverride None\n</Directory>\n';
    const view = memoryFiles({ [MAIN]: `Listen 80\n${section}<IfDefine A>\n${section.repeat(3)}</IfDefine>\n` });
    const decideCondition = accessConditionDecider();
    const several = readConfiguration({ root: MAIN, view, names: ACCESS_NAMES, decideCondition })!;
    assert.equal(overrideLines(several, '/srv')?.length, 4);
  });
});

describe('hundreds of virtual hosts below hundreds of sections', () => {
  it('have only as many URLs as are tried', () => {
    const sections = Array.from({ length: 300 }, (_, i) => `<Location /a${i}>\nDeny from all\n</Location>\n`).join('');
    const hosts = Array.from({ length: 200 }, (_, i) => `<VirtualHost *:80>\nServerName h${i}\n</VirtualHost>\n`).join(
      '',
    );
    const site = siteOf(requestsTo(`Listen 80\nNameVirtualHost *:80\n${sections}${hosts}`), '2.2')!;
    const before = urlCounts.made;
    assert.equal([...urlClasses([site])].length > 200, true);
    // Twelve hosts have all URLs.
    assert.ok(urlCounts.made - before < 12 * 3 * 400 + 200 * 30, `${urlCounts.made - before} URLs`);
  });
});

describe('a virtual host among hundreds of addresses', () => {
  it('is found once for all requests to its name', () => {
    const hosts = Array.from(
      { length: 200 },
      (_, i) => `<VirtualHost 10.0.0.${i}:80>\nServerName h${i}\n</VirtualHost>\n`,
    ).join('');
    const site = siteOf(requestsTo(`Listen 80\n${hosts}`), '2.4-compat')!;
    const searches = callsOf(HostTable.prototype, 'answeringSection', () => {
      for (let i = 0; i < 50; i++) {
        const request = parseRequest(`GET http://h1/${i}`, { from: '192.0.2.7' })!;
        assert.equal(answersTogether(request, [site]).usualAnswers[0]!.answer.host.name, 'h1');
      }
    });
    assert.ok(searches.length < 2_000, `${searches.length} searches`);
  });
});

describe('hundreds of equal Include lines that each read hundreds of files', () => {
  it('are looked at once for the links of the file', () => {
    const files = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`/etc/httpd/conf/big/${i}.conf`, '']));
    const text = 'Include big/*.conf\n'.repeat(100);
    const view = memoryFiles({ [MAIN]: `ServerRoot /etc/httpd/conf\n${text}`, ...files });
    const model = readModel({ mainFile: MAIN, view: configView(view), server: {} })!;
    let looks = 0;
    for (const node of model.includes.get(MAIN)!) {
      const { files: filesOfNode } = node;
      Object.defineProperty(node, 'files', { get: () => (looks++, filesOfNode) });
    }
    const tree = view.read(MAIN)!;
    const links = linksIn(tree, {
      configurationModels: [model],
      path: MAIN,
      kindOfPath: () => null,
      fileSummary: () => null,
    });
    // A link leads to one file, so these lines have none.
    assert.deepEqual(links, []);
    assert.ok(looks >= 100 && looks <= 200, `${looks} looks`);
  });
});

describe('Include lines that read thousands of names and find no file', () => {
  const FOLDER = '/srv/large';
  /** How often the folder is listed, and whether an Include line is not followed. */
  const readingOf = (lines: readonly string[]) => {
    const names = Array.from({ length: 2_000 }, (_, i) => `f${i}.conf`);
    const view = memoryFiles({ [MAIN]: lines.join('') });
    let listings = 0;
    const model = readModel({
      mainFile: MAIN,
      view: configView({
        ...view,
        list: (path) => (path === FOLDER ? (listings++, names) : view.list(path)),
        kind: (path) => (path === FOLDER ? 'folder' : path.startsWith(FOLDER) ? 'file' : view.kind(path)),
        read: (path) => (path.startsWith(FOLDER) ? Tree.parse('Timeout 10\n') : view.read(path)),
      }),
      server: {},
    })!;
    return { listings, isLimited: model.gaps.some(({ reason }) => reason === 'too-many') };
  };
  const lines = (pattern: string) =>
    Array.from({ length: 45 }, (_, i) => `IncludeOptional ${FOLDER}/${pattern.replace('N', String(i))}\n`);

  it('are not all followed', () => {
    const { listings, isLimited } = readingOf(lines('xN*.conf'));
    assert.ok(isLimited && listings >= 40 && listings < 60, `${listings} listings`);
  });

  it('are followed if they find most of the files', () =>
    assert.deepEqual(readingOf(lines('f[!N]*.conf')).isLimited, false));
});
