/** The proof that a Require tree of 2.4 decides as the old lines of 2.2 do. */
import assert from 'node:assert/strict';
import { decideCompatTree } from '../../server/src/access/decide-compat';
import { decide24 } from '../../server/src/access/decide24';
import type { Leaf24, Section22, SectionCompat, Tree24, UserRequirement } from '../../server/src/access/model';
import { parseOperand } from '../../server/src/access/operand';
import { prove, proveCompat } from '../../server/src/access/prove';
import { translate, translateCompat } from '../../server/src/access/translate';
import { Random } from '../support/random';

describe('the proof of access control', () => {
  it('sees a missing Require line among many', () => {
    const requirements = Array.from({ length: 15 }, (_, i): UserRequirement => ({ text: `user u${i}` }));
    const section = { hostRules: null, satisfy: 'all' as const, userRequirements: requirements };
    const anyOf = (listed: readonly UserRequirement[]): Tree24 => ({
      type: 'any',
      inner: listed.map((requirement) => ({ type: 'user', requirement })),
    });
    assert.equal(prove(section, anyOf(requirements)), 'proven');
    for (const missing of requirements)
      assert.equal(prove(section, anyOf(requirements.filter((each) => each !== missing))), 'differs', missing.text);
  });
});

describe('the proof for lines that mod_access_compat reads', () => {
  const WORDS = ['10.0.0.1', '10.0.0.2', '10.0.0.3', 'env=a', 'env=!a', 'env=b', 'env=!b', 'all'];
  const KEYS = ['ip 10.0.0.1', 'ip 10.0.0.2', 'ip 10.0.0.3', 'env a', 'env b'];

  for (let seed = 1; seed <= 20; seed++)
    it(`finds what each combination of operands finds (seed ${seed})`, () => {
      const random = new Random(seed);
      const found = new Set<string>();
      for (let i = 0; i < 500; i++) {
        const before: SectionCompat = {
          hostRules: { order: random.pick(['allow,deny', 'deny,allow']), allow: operands(), deny: operands() },
          satisfy: random.pick(['all', 'any']),
          tree: random.pick([null, tree(2)]),
        };
        const after = [translateCompat(before), tree(3), leaf()][random.below(3)]!;
        const result = proveCompat(before, after);
        assert.equal(result === 'proven', decidesAlike(before, after), JSON.stringify([before, after]));
        found.add(result);
      }
      assert.deepEqual([...found].sort(), ['differs', 'proven']);

      function operands() {
        return Array.from({ length: random.below(4) }, () => parseOperand(random.pick(WORDS)));
      }
      function leaf(): Leaf24 {
        if (random.below(4) === 0) return { type: random.pick(['granted', 'denied']) };
        const provider = random.pick(['ip', 'env'] as const);
        const names = provider === 'ip' ? ['10.0.0.1', '10.0.0.2', '10.0.0.3'] : ['a', 'b'];
        return { type: 'match', provider, operands: names.filter(() => random.below(2) === 0) };
      }
      function tree(depth: number): Tree24 {
        if (depth === 0 || random.below(3) === 0) return leaf();
        const inner = Array.from({ length: 1 + random.below(3) }, () =>
          random.below(4) === 0 ? ({ type: 'not', inner: leaf() } as const) : tree(depth - 1),
        );
        return { type: random.pick(['any', 'all', 'none']), inner };
      }
    });

  for (let seed = 1; seed <= 10; seed++)
    it(`finds the same for lines that 2.2 reads (seed ${seed})`, () => {
      const random = new Random(seed);
      for (let i = 0; i < 500; i++) {
        const operands = () => Array.from({ length: random.below(5) }, () => parseOperand(random.pick(WORDS)));
        const hostRules = {
          order: random.pick(['allow,deny', 'deny,allow'] as const),
          allow: operands(),
          deny: operands(),
        };
        const [section, other] = [hostRules, { ...hostRules, deny: operands() }].map(
          (rules): Section22 => ({ hostRules: rules, satisfy: 'all', userRequirements: [] }),
        ) as [Section22, Section22];
        assert.equal(prove(section, translate(section)), 'proven', JSON.stringify(section));
        const tree = translate(other);
        const compat: SectionCompat = { ...section, tree: null };
        if (prove(section, tree) === 'proven') assert.ok(decidesAlike(compat, tree), JSON.stringify([section, tree]));
      }
    });

  it('tells "one is missing" from "all are missing"', () => {
    const both = [parseOperand('env=!a'), parseOperand('env=!b')];
    const match = { type: 'match', provider: 'env', operands: ['a', 'b'] } as const;
    const needsBoth: SectionCompat = {
      hostRules: { order: 'deny,allow', allow: [], deny: both },
      satisfy: 'all',
      tree: null,
    };
    assert.equal(proveCompat(needsBoth, { type: 'all', inner: [match] }), 'differs');
    const lacksOne: SectionCompat = {
      hostRules: { order: 'allow,deny', allow: both, deny: [] },
      satisfy: 'all',
      tree: null,
    };
    const lacksBoth: Tree24 = { type: 'all', inner: [{ type: 'granted' }, { type: 'not', inner: match }] };
    assert.equal(proveCompat(lacksOne, { type: 'any', inner: [lacksBoth] }), 'differs');
  });

  it('tries two combinations for many variables that the server does not know', () => {
    const names = Array.from({ length: 14 }, (_, i) => `e${i}`);
    const hostRules = {
      order: 'allow,deny' as const,
      allow: names.map((name) => parseOperand(`env=!${name}`)),
      deny: [],
    };
    const section: Section22 = { hostRules, satisfy: 'any', userRequirements: [{ text: 'user a' }] };
    let evaluations = 0;
    const counted = (tree: Tree24): Tree24 =>
      tree.type === 'match'
        ? {
            ...tree,
            get operands() {
              evaluations++;
              return tree.operands;
            },
          }
        : 'inner' in tree
          ? ({
              ...tree,
              inner: Array.isArray(tree.inner) ? tree.inner.map(counted) : counted(tree.inner as Tree24),
            } as Tree24)
          : tree;
    assert.equal(prove(section, translate(section)), 'proven');
    assert.equal(
      proveCompat(
        { hostRules, satisfy: 'all', tree: null },
        counted(translateCompat({ hostRules, satisfy: 'all', tree: null })),
      ),
      'proven',
    );
    assert.ok(evaluations < 200, `${evaluations} evaluations`);
  });

  it('tries two combinations for many addresses that are allowed together', () => {
    const addresses = Array.from({ length: 15 }, (_, i) => `10.0.0.${i}`);
    let evaluations = 0;
    const after: Tree24 = {
      type: 'match',
      provider: 'ip',
      get operands() {
        evaluations++;
        return addresses;
      },
    };
    const hostRules = { order: 'allow,deny' as const, allow: addresses.map(parseOperand), deny: [] };
    assert.equal(proveCompat({ hostRules, satisfy: 'all', tree: null }, after), 'proven');
    assert.ok(evaluations < 10, `${evaluations} evaluations`);
  });

  it('evaluates no Require line after the one that decides', () => {
    let evaluations = 0;
    const counted: Tree24 = {
      type: 'match',
      provider: 'env',
      get operands() {
        evaluations++;
        return ['a'];
      },
    };
    const assignment = { matches: () => true, user: null };
    assert.equal(decide24({ type: 'any', inner: [{ type: 'granted' }, counted] }, assignment), 'allowed');
    assert.equal(decide24({ type: 'all', inner: [{ type: 'denied' }, counted] }, assignment), 'forbidden');
    assert.equal(evaluations, 0);
  });

  /** Whether both decide alike for each combination of operands that match. */
  function decidesAlike(before: SectionCompat, after: Tree24): boolean {
    const usedBefore = JSON.stringify([before.hostRules, before.tree]);
    const isNew = (tree: Tree24): boolean =>
      tree.type === 'match'
        ? tree.operands.some((operand) => !usedBefore.includes(`"${operand}"`))
        : 'inner' in tree && [tree.inner].flat().some((child) => isNew(child as Tree24));
    // The proof refuses operands that the old lines do not have.
    if (isNew(after)) return false;
    for (let bits = 0; bits < 2 ** KEYS.length; bits++) {
      const matches = (provider: string, operand: string) =>
        (bits & (1 << KEYS.indexOf(`${provider} ${operand}`))) !== 0;
      const assignment = { matches, user: null };
      if (decideCompatTree(before, assignment) !== decide24(after, assignment)) return false;
    }
    return true;
  }
});
