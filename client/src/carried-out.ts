/** What follows a change of several files: open documents are saved as they were before, and nobody waits for ever. */

/** The part of an editor's document that counts here. */
export interface OpenDocument {
  readonly uri: { toString(): string };
  readonly isDirty: boolean;
  save(): PromiseLike<boolean>;
}

/**
 * Saves the changed documents but for those that a person had not saved before, all at once. Gives those that are not saved then: because a person has to, because the
 * editor could not, or because what else runs on a save takes longer than `patience` (milliseconds). Never rejects.
 */
export async function unsavedOf<Document extends OpenDocument>(
  changed: readonly Document[],
  wasDirty: (document: Document) => boolean,
  patience: number,
): Promise<readonly Document[]> {
  const isSaved = async (document: Document): Promise<boolean> => {
    if (!document.isDirty) return true;
    return !wasDirty(document) && (await saved(document, patience));
  };
  const all = await Promise.all(changed.map(isSaved));
  return changed.filter((_, index) => !all[index]);
}

/** Shows that `work` runs, where it runs longer than `delay` (milliseconds): what comes and goes at once hides what is told then. */
export async function shownWhereLong<T>(
  work: Promise<T>,
  delay: number,
  show: (work: Promise<T>) => unknown,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), delay);
  });
  try {
    if ((await Promise.race([work, late])) === 'late') show(work);
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

// ---------------------------------------------------------------------------------------------------------------------

async function saved(document: OpenDocument, patience: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const waited = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(!document.isDirty), patience);
  });
  try {
    return await Promise.race([document.save(), waited]);
  } catch {
    // A document that was closed meanwhile, or a file that cannot be written: the editor tells why.
    return !document.isDirty;
  } finally {
    clearTimeout(timer);
  }
}
