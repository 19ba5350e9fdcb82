/** How the program that runs is to use its memory. Whoever starts it knows the engine that it runs in, and sets this (start.ts). */
import { latest } from '../syntax/memory';

/** Called once it is known that a run holds many files for as long as it takes. */
export const onManyFiles = latest<() => void>(() => {});
