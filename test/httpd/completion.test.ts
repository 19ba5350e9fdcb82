/**
 * The LoadModule lines that completion adds: a real httpd loads the modules in the written order.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { ALONE, complete } from '../features/completion/support';
import { configTest, requireHttpd, type Httpd } from './harness';

describe('LoadModule lines of completion', () => {
  let httpd: Httpd;
  before(function () {
    httpd = requireHttpd(this);
  });

  it('load what a directive needs, with what that needs', async () => {
    const own = `LoadModule authz_host_module ${httpd.modulesDir}/mod_authz_host.so`;
    const builtIn = [...httpd.builtin].map((name) => (name === 'core' ? name : `mod_${name}`));
    const fileContext = {
      ...ALONE,
      modules: new Set(['event', 'mod_authz_core', 'mod_authz_host', 'mod_unixd', ...builtIn]),
    };
    const { list, resolved } = complete(`${own}\n|\n`, { fileContext })!;
    const brought = new Map(
      list.items.flatMap((item) =>
        (resolved(item).additionalTextEdits ?? []).map(({ newText }) => [newText, item.label]),
      ),
    );
    assert.ok(brought.size > 60, `${brought.size} modules`);
    let tried = 0;
    for (const [lines, label] of brought) {
      const files = [...lines.matchAll(/\S+\.so/g)].map(([file]) => file);
      if (!files.every((file) => existsSync(file))) continue;
      const { ok, stderr } = await configTest(`${own}${lines}`, { modules: ['authz_core'] });
      assert.ok(ok, `${label}:${lines}\n${stderr}`);
      tried++;
    }
    assert.ok(tried > 40, `${tried} tried`);
  });
});
