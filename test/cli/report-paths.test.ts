/** Paths and links in the formats for code scanning and pull requests. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '../support/paths';
import { withFolder } from './run';

interface Sarif {
  readonly runs: readonly [
    {
      readonly automationDetails: { readonly id: string };
      readonly tool: {
        readonly driver: {
          readonly version: string;
          readonly semanticVersion: string;
          readonly informationUri: string;
          readonly rules: readonly { readonly id: string; readonly helpUri: string }[];
        };
      };
      readonly results: readonly {
        readonly locations: readonly [
          { readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } } },
        ];
      }[];
    },
  ];
}

const SITE = 'https://httpd-upgrade.github.io/httpd-upgrade/';

describe(
  'paths for services',
  withFolder((folder) => {
    beforeEach(() => folder().write('conf/httpd.conf', 'MaxClients 5\n'));

    const sarif = async (given: string) =>
      JSON.parse((await folder().run(['check', '--format', 'sarif', given])).out) as Sarif;
    const ways = () => ['.', './', './conf', 'conf/', './/conf/httpd.conf', 'conf/../conf/httpd.conf', folder().path];

    it('have no ./ and are relative to the current directory, in SARIF', async () => {
      for (const given of ways()) {
        const [{ results }] = (await sarif(given)).runs;
        const uris = results.map(({ locations }) => locations[0].physicalLocation.artifactLocation.uri);
        assert.deepEqual([...new Set(uris)], ['conf/httpd.conf'], given);
      }
    });

    it('have no ./ in the formats of GitHub and GitLab', async () => {
      for (const given of ways()) {
        const github = await folder().run(['check', '--format', 'github', given]);
        assert.match(github.out, /^::\w+ file=conf\/httpd\.conf,/, given);
        const gitlab = await folder().run(['check', '--format', 'gitlab', given]);
        const [issue] = JSON.parse(gitlab.out) as [{ location: { path: string } }];
        assert.equal(issue.location.path, 'conf/httpd.conf', given);
      }
    });

    it('above the current directory keep their dots', async () => {
      folder().write('sub/b.conf', '');
      const { out } = await folder().run(['check', '--format', 'github', '../conf'], { cwd: folder().at('sub') });
      assert.match(out, /^::\w+ file=\.\.\/conf\/httpd\.conf,/);
    });

    it('come with links to the pages of this project', async () => {
      const [{ automationDetails, tool }] = (await sarif('.')).runs;
      assert.equal(automationDetails.id, 'httpd-upgrade/');
      assert.equal(tool.driver.semanticVersion, tool.driver.version);
      assert.equal(tool.driver.informationUri, SITE);
      for (const { id, helpUri } of tool.driver.rules) {
        assert.equal(helpUri, `${SITE}rules/${id}.html`);
        assert.ok(existsSync(path.join(repositoryRoot, 'docs', 'rules', `${id}.md`)), id);
      }
    });
  }),
);
