/** The examples in the descriptions of directives, tried on a real server. */
import assert from 'node:assert/strict';
import { directives, displayName, type Directive } from '../../server/src/directives';
import { descriptionOfDirective } from '../../server/src/directives/descriptions';
import { configTest, requireHttpd, type Httpd } from '../httpd/harness';

describe('descriptions: the examples', () => {
  let httpd: Httpd;

  before(function () {
    httpd = requireHttpd(this);
  });

  it('are accepted by httpd', async function () {
    this.timeout(600_000);
    const problems = await Promise.all(
      directives().map(async (one) => {
        const { example } = descriptionOfDirective(one.name, { section: one.section })!;
        if (!example || !isKnown(one)) return [];
        const { ok, error, stderr } = await configTest(inPlace(one, example));
        return ok || OF_THIS_MACHINE.test(stderr) ? [] : [`${displayName(one)}: ${error?.message ?? stderr}`];
      }),
    );
    assert.deepEqual(problems.flat(), []);
  });

  /** In the modules that are installed here, and not newer than this server. */
  function isKnown({ '2.4': facts }: Directive): boolean {
    if (!facts) return false;
    const isNewer = Number(/^2\.4\.(\d+)/.exec(facts.since ?? '')?.[1] ?? 0) > Number(httpd.version.split('.')[2]);
    return (
      !isNewer &&
      facts.modules.some(
        (name) => name === 'core' || [...httpd.builtin, ...httpd.loadable].includes(name.replace(/^mod_/, '')),
      )
    );
  }
});

/** The example where it belongs; one that begins with a section brings its place along. */
function inPlace({ name, '2.4': facts }: Directive, example: string): string {
  if (name === 'Use') return `<Macro Site $name $root>\n</Macro>\n${example}`;
  if (facts!.contexts.includes('server config') || /^<(Directory|Location)/.test(example)) return example;
  const [open, close] =
    facts!.contexts[0] === 'virtual host'
      ? ['<VirtualHost *>', '</VirtualHost>']
      : ['<Directory "/srv">', '</Directory>'];
  return [open, example, close].join('\n');
}

/** Files, programs and drivers that an example names and a machine need not have. */
const OF_THIS_MACHINE =
  /does not exist|No such file|is not a directory|file for map|Can't load driver|Invalid (global certificate file path|Mutex directory)|Missing suexec|Empty passwords/;
