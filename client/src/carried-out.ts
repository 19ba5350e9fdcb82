/**
 * Saves documents after a change of several files, if they were saved before it, with a time limit.
 */

/** The part of an editor's document that is needed here. */
export interface OpenDocument {
  readonly uri: { toString(): string };
  readonly isDirty: boolean;
  save(): PromiseLike<boolean>;
}

/**
 * Saves the changed documents, except those that had unsaved changes before, all at once. Returns
 * those that are not saved: because they had unsaved changes, because saving failed, or because it
 * takes longer than `patience` (milliseconds). Never rejects.
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
  const areSaved = await Promise.all(changed.map(isSaved));
  return changed.filter((_, index) => !areSaved[index]);
}

/**
 * Shows progress while `work` runs longer than `delay` (milliseconds). Shorter progress would hide
 * the message that follows.
 */
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
    // The document was closed meanwhile, or cannot be written: the editor reports why.
    return !document.isDirty;
  } finally {
    clearTimeout(timer);
  }
}
