/** Two waits with a time limit: for saving changed documents, and for work that shows progress. */

/** The part of `vscode.TextDocument` that this file needs. */
export interface OpenDocument {
  readonly isDirty: boolean;
  save(): PromiseLike<boolean>;
}

/**
 * Saves all changed documents at the same time, except those that had unsaved changes before.
 * Returns the documents that are not saved: they had unsaved changes before, saving failed, or
 * saving takes longer than `maxWaitMs` milliseconds. Never rejects.
 */
export async function saveChanged<Document extends OpenDocument>(
  changedDocuments: readonly Document[],
  wasDirty: (document: Document) => boolean,
  maxWaitMs: number,
): Promise<readonly Document[]> {
  const isSaved = async (document: Document): Promise<boolean> => {
    if (!document.isDirty) return true;
    return !wasDirty(document) && (await saveWithin(document, maxWaitMs));
  };
  const areSaved = await Promise.all(changedDocuments.map(isSaved));
  return changedDocuments.filter((_, index) => !areSaved[index]);
}

/**
 * Calls `showProgress` if `work` takes longer than `delayMs` milliseconds. Returns the result of
 * the work. Progress is not shown earlier, because a progress message that ends at once would hide
 * the next message.
 */
export async function showProgressIfLong<T>(
  work: Promise<T>,
  delayMs: number,
  showProgress: (work: Promise<T>) => unknown,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), delayMs);
  });
  try {
    if ((await Promise.race([work, deadline])) === 'late') showProgress(work);
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/** Saves a document. Returns whether it is saved after at most `maxWaitMs` milliseconds. */
async function saveWithin(document: OpenDocument, maxWaitMs: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeLimit = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(!document.isDirty), maxWaitMs);
  });
  try {
    return await Promise.race([document.save(), timeLimit]);
  } catch {
    // The document is not saved if it was closed meanwhile, or if it cannot be written. The editor
    // shows the reason.
    return !document.isDirty;
  } finally {
    clearTimeout(timer);
  }
}
