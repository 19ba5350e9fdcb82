/**
 * Whether every generator is linear, in a process of its own, after the same work each time: V8 counts nothing of a function before its first few
 * hundred calls, and less of one that it has optimized, so that counts in a process that has done other things are others. Prints what is not, as JSON.
 */
import { editsInProcess } from './edits';
import { GENERATORS } from './generators';
import { grown } from './growth';
import { hostileInputs } from './hostile';

editsInProcess(1, 600);
hostileInputs(1, 300);
console.log(JSON.stringify(grown(1_000, Object.keys(GENERATORS))));
