/**
 * Checks the invariants about imports in ARCHITECTURE.md: they point down only, and the core does
 * no I/O.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { importsOf, SOURCES, sources } from './sources';

/**
 * From the top down. A folder may import from itself and from what stands below; `host` is handed
 * in from above.
 */
const LAYERS = [
  'lsp',
  'features',
  'settings',
  'symbols',
  'analysis',
  'rules',
  'requests',
  'access',
  'validation',
  'config',
  'directives',
  'syntax',
];

/** Entry points, the command line and the tools for agents: wiring, and may use anything. */
const WIRING = /^(server|node|browser|thread|cli|package)\.ts$|^(cli|mcp)\//;

describe('the arrows', () => {
  for (const file of sources(SOURCES)) {
    const name = path.relative(SOURCES, file).split(path.sep).join('/');
    it(`${name} imports what it may`, () => {
      for (const imported of importsOf(file)) {
        const problem = WIRING.test(name) ? '' : complaint(name, file, imported);
        assert.equal(problem, '');
      }
    });
  }
});

function complaint(name: string, file: string, imported: string): string {
  // The library does no I/O: it is wiring that may use what features may.
  const layer = name === 'library.ts' ? 'features' : name.split('/')[0];
  if (!imported.startsWith('.')) return packageComplaint(layer, name, imported);
  const target = path
    .relative(SOURCES, path.resolve(path.dirname(file), imported))
    .split(path.sep)
    .join('/');
  const targetLayer = target.split('/')[0];
  if (targetLayer === layer) return '';
  if (layer === 'host') return ['config', 'directives', 'syntax'].includes(targetLayer) ? '' : `host imports ${target}`;
  if (targetLayer === 'host')
    return layer === 'lsp' ? '' : `only lsp/ and the entry points know the host, not ${layer}`;
  const from = LAYERS.indexOf(layer);
  const to = LAYERS.indexOf(targetLayer);
  return from >= 0 && to > from ? '' : `${layer} must not import ${target}`;
}

function packageComplaint(layer: string, name: string, imported: string): string {
  if (layer === 'lsp') return imported === 'vscode-languageserver' ? '' : `lsp imports ${imported}`;
  if (
    /^host\/(worker|accepted|archive|change|change-home|collected|disk|git-revision|httpd|node|node-files|promises|read-now|replaceable|send-requests|uris)\.ts$/.test(
      name,
    )
  )
    return '';
  if (layer === 'features' && imported === 'vscode-languageserver-types') return '';
  if (name === 'settings/json.ts' && imported === 'jsonc-parser') return '';
  if (name === 'syntax/document.ts' && imported === 'vscode-languageserver-textdocument') return '';
  return `${layer} imports ${imported}`;
}
