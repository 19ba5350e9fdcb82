/**
 * Whether every generator is linear, in a process of its own with the flags of counted.ts. Prints
 * the others, a line each. Arguments: characters of the smallest text; optionally regular
 * expressions for names of generators and kinds of work. `all` for the kinds: the short form, all
 * of them at once; then optionally `2/6` for every sixth generator from the third on.
 */
import './counted';
import { GENERATORS } from './generators';
import { grown, grownInAll } from './growth';

const [characters = '1000', names = '', kinds = '', part = '0/1'] = process.argv.slice(2);
const [turn, turns] = part.split('/').map(Number) as [number, number];
const [name, kind] = [new RegExp(names), new RegExp(kinds)];
const chosen = new Set(Object.keys(GENERATORS).filter((_, index) => index % turns === turn));
const found =
  kinds === 'all'
    ? grownInAll(Number(characters), (each) => chosen.has(each) && name.test(each))
    : grown(Number(characters), (each, own) => name.test(each) && kind.test(own));
for (const line of found) console.log(line);
