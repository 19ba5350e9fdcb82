/**
 * Whether every generator is linear, in a process of its own with the flags of counted.ts. Prints what is not, a line each. Given: characters of the smaller text; then, if wanted, regular expressions for names of generators
 * and kinds of work.
 */
import './counted';
import { grown } from './growth';

const [characters = '1000', names, kinds = ''] = process.argv.slice(2);
const asked =
  names === undefined
    ? undefined
    : (name: string, kind: string) => new RegExp(names).test(name) && new RegExp(kinds).test(kind);
for (const found of grown(Number(characters), asked)) console.log(found);
