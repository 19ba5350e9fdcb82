/**
 * Asks questions of the upgrade plan in a list: the question and its reason, the answers with their
 * effects, the places, how to find out. The answer is written into `.httpd-upgrade.json`, which all
 * editors, the command line and CI read.
 */
import * as vscode from 'vscode';
import type { ConfigurationPlan, PlanQuestion } from '../../server/src/analysis/upgrade-plan';
import {
  propertyForCopy,
  relativePathFrom,
  completionPlaceAt,
  propertyEdits,
  questionMarkdown,
  unusedListWith,
  type PropertyValue,
} from './answers-file';
import type { ChosenCopies } from './chosen-places';
import { errorMessage, exists } from './files';
import { NAME_PREFIX } from './language';
import type { PlanStore } from './plan';
import {
  canOpenAccess,
  findOutCommandOf,
  partsOfMeaning,
  DONT_KNOW_LABEL,
  markOfUsualAnswer,
  typeOfFindOut,
} from '../../server/src/analysis/question-surfaces';
import { openQuestions } from '../../server/src/analysis/plan-figures';
import {
  effectOf,
  placeText,
  questionKey,
  waitingFixesText,
  type ConfigurationOfReply,
  type PlanItem,
} from './plan-items';
import { openCommand } from './plan-view';
import { visibleItems } from './visible';
import { withVisibleCharacters } from '../../server/src/syntax/hidden-text';

/** A question with the configuration that it belongs to. */
interface QuestionOfPlan {
  readonly question: PlanQuestion;
  readonly plan: ConfigurationPlan;
  readonly configuration: ConfigurationOfReply;
  /**
   * The main file of the question's configuration if there are several configurations; otherwise
   * ''.
   */
  readonly root: string;
}

/**
 * Registers the commands for questions and answers, and the completion and hovers in
 * `.httpd-upgrade.json`.
 */
export function registerPlanQuestions(planStore: PlanStore, copies: ChosenCopies): vscode.Disposable {
  const allQuestions = () => questionsOfPlan(planStore);
  const questionOf = (item: unknown): QuestionOfPlan | undefined => {
    const subject = (item as PlanItem | undefined)?.subject;
    return subject?.kind === 'question'
      ? allQuestions().find(
          ({ question, configuration }) => question.id === subject.id && configuration.uri === subject.root,
        )
      : undefined;
  };
  const askQuestions = async (item?: unknown) => {
    if (!planStore.reply && !(await planStore.requestWithProgress())) return;
    const question = questionOf(item) ?? (await chooseQuestion(allQuestions()));
    if (!question) return;
    // If the lightbulb calls this command, this command asks only the question that one conversion
    // waits for.
    if ((item as { isAlone?: boolean } | undefined)?.isAlone) await askOne(question, planStore, copies);
    else await askUntilStopped(question, planStore, copies);
  };
  const answersFileSelector: vscode.DocumentSelector = { pattern: '**/.httpd-upgrade.json' };
  return vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(REASON_SCHEME, {
      provideTextDocumentContent: (uri) => uri.query,
    }),
    vscode.commands.registerCommand(`${NAME_PREFIX}.answerQuestion`, askQuestions),
    vscode.commands.registerCommand(`${NAME_PREFIX}.takeBackAnswer`, async (item?: unknown) => {
      const subject = (item as PlanItem | undefined)?.subject;
      const configurationOfQuestion =
        subject?.kind === 'question'
          ? planStore.reply?.configurations.find(({ uri }) => uri === subject.root)
          : undefined;
      if (!configurationOfQuestion || subject?.kind !== 'question') return;
      if (await writeProperty(configurationOfQuestion.answersIn, ['answers', subject.id], undefined))
        planStore.showAnswer({ id: subject.id, answersIn: configurationOfQuestion.answersIn, value: null });
    }),
    vscode.commands.registerCommand(`${NAME_PREFIX}.markUnused`, (item?: unknown) =>
      markUnused(item as PlanItem | undefined, planStore),
    ),
    vscode.commands.registerCommand(`${NAME_PREFIX}.copyFindOut`, async (item?: unknown) => {
      const questionOfItem = questionOf(item);
      if (questionOfItem) await copyFindOut(questionOfItem.question);
    }),
    vscode.commands.registerCommand(`${NAME_PREFIX}.openAnswers`, async (item?: unknown) => {
      const subject = (item as PlanItem | undefined)?.subject;
      const root = subject && 'root' in subject ? subject.root : undefined;
      const files = new Set(
        planStore.reply?.configurations.flatMap(({ uri, answersIn }) =>
          root === undefined || uri === root ? [answersIn] : [],
        ),
      );
      const uri = await chooseAnswersFile([...files].map((file) => vscode.Uri.parse(file)));
      if (uri) await openAnswers(uri);
    }),
    vscode.languages.registerCompletionItemProvider(
      answersFileSelector,
      { provideCompletionItems: (document, position) => answerCompletions(document, position, allQuestions()) },
      '"',
      ':',
    ),
    vscode.languages.registerHoverProvider(answersFileSelector, {
      provideHover(document, position) {
        const completionPlace = completionPlaceAt(document.getText(), document.offsetAt(position));
        const questionAtPosition =
          completionPlace && allQuestions().find(({ question }) => question.id === completionPlace.id);
        return questionAtPosition
          ? new vscode.Hover(new vscode.MarkdownString(questionMarkdown(questionAtPosition.question)))
          : undefined;
      },
    }),
  );
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Lets the user choose an open question. If only one question is open, returns it at once.
 * Undefined if the user chooses none.
 */
async function chooseQuestion(questions: readonly QuestionOfPlan[]): Promise<QuestionOfPlan | undefined> {
  const questionsStillOpen = questions.filter(({ question }) => openQuestions({ questions: [question] }).length > 0);
  if (questionsStillOpen.length === 0)
    return void vscode.window.showInformationMessage(
      'The upgrade plan has no open questions. See the view "httpd upgrade" for what is left.',
    );
  if (questionsStillOpen.length === 1) return questionsStillOpen[0];
  const questionItems = questionsStillOpen.map((questionOfPlan) => ({
    label: questionOfPlan.question.question,
    description: [questionOfPlan.root, waitingText(questionOfPlan.question)].filter(Boolean).join(' · '),
    detail: questionOfPlan.question.why,
    asked: questionOfPlan,
  }));
  return (
    await vscode.window.showQuickPick(visibleItems(questionItems), {
      title: 'Questions of the upgrade plan',
      placeHolder: 'Choose a question',
      matchOnDetail: true,
    })
  )?.asked;
}

/**
 * The `.httpd-upgrade.json` that the user chooses, because each folder may have its own answers;
 * undefined if none is chosen.
 */
async function chooseAnswersFile(files: readonly vscode.Uri[]): Promise<vscode.Uri | undefined> {
  if (files.length < 2) return files[0];
  const fileItems = files.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }));
  return (
    await vscode.window.showQuickPick(visibleItems(fileItems), { title: 'Which file of answers do you want to open?' })
  )?.uri;
}

/** A row of a list: an answer, another action, or a separator without `run`. */
interface Choice extends vscode.QuickPickItem {
  /** Called when the user chooses this row. Returns whether to ask the next question. */
  readonly run?: () => Promise<boolean>;
}

/**
 * Asks a question, and after an answer the next open one of its configuration, until the user
 * stops.
 */
async function askUntilStopped(
  askedQuestion: QuestionOfPlan,
  planStore: PlanStore,
  copies: ChosenCopies,
): Promise<void> {
  const askedBefore = new Set<string>();
  for (let nextQuestion: QuestionOfPlan | undefined = askedQuestion; nextQuestion; ) {
    const currentQuestion: QuestionOfPlan = nextQuestion;
    askedBefore.add(currentQuestion.question.id);
    if (!(await askOne(currentQuestion, planStore, copies))) return;
    nextQuestion = nextOpenQuestion(currentQuestion, askedBefore, planStore);
    if (nextQuestion) continue;
    // Some questions depend on earlier answers, so the next plan may have more questions.
    await planStore.untilPlanHasAnswers();
    nextQuestion = nextOpenQuestion(currentQuestion, askedBefore, planStore);
  }
}

/**
 * The next open question of the same configuration in the order of the view, except those in
 * `askedBefore`. Undefined if there is none.
 */
function nextOpenQuestion(
  { configuration }: QuestionOfPlan,
  askedBefore: ReadonlySet<string>,
  planStore: PlanStore,
): QuestionOfPlan | undefined {
  const { shownOrder = [] } = planStore.memory;
  const rank = (id: string) => shownOrder.indexOf(questionKey(configuration.uri, id));
  return questionsOfPlan(planStore)
    .filter(
      (each) =>
        each.configuration.uri === configuration.uri &&
        each.question.answer === null &&
        !askedBefore.has(each.question.id),
    )
    .sort((a, b) => rank(a.question.id) - rank(b.question.id))[0];
}

/** The questions of all configurations in the latest plan; empty if there is no plan. */
function questionsOfPlan({ reply }: PlanStore): QuestionOfPlan[] {
  return (
    reply?.plan.configurations.flatMap((plan, index, { length }) =>
      plan.questions.map((question) => ({
        question,
        plan,
        configuration: reply.configurations[index]!,
        root: length > 1 ? plan.root : '',
      })),
    ) ?? []
  );
}

/**
 * Asks one question. Returns whether the user answered or skipped it, so that the next question is
 * asked.
 */
async function askOne(askedQuestion: QuestionOfPlan, planStore: PlanStore, copies: ChosenCopies): Promise<boolean> {
  const { question, plan, configuration, root } = askedQuestion;
  const { id, subject, answers, places, why, answer } = question;
  const writeAnswer = async (path: readonly string[], value: string | undefined): Promise<boolean> => {
    const isWritten = await writeProperty(configuration.answersIn, path, value);
    // Only answers are shown at once. The place of a copy is a setting, which the server reads
    // itself.
    if (isWritten && path[0] === 'answers')
      planStore.showAnswer({ id, answersIn: configuration.answersIn, value: value ?? null });
    return isWritten && value !== undefined;
  };
  const isGivenAnswer = (value: string) =>
    answer === value || (value.endsWith('=') && answer?.startsWith(value) === true);
  const choices = answers.map(({ value, label }, index): Choice => {
    const effectText = [markOfUsualAnswer(question.id, index, value), effectOf(question, value, plan)]
      .filter(Boolean)
      .join(' · ');
    if (!value.endsWith('='))
      return {
        label: `$(${isGivenAnswer(value) ? 'pass-filled' : 'circle-outline'}) ${label}`,
        description: effectText,
        run: () => writeAnswer(['answers', id], value),
      };
    return {
      label: `$(folder-opened) ${label.replace(/: .*/s, '')}: choose…`,
      description: effectText,
      run: async () => {
        const localCopy = await chooseLocalFolder(configuration);
        if (!localCopy) return false;
        if (localCopy.path === null) {
          // A path outside of the project is only valid for this user, so it is not written into
          // the shared file.
          await copies.rememberCopy(localCopy.folder, subject, localCopy.fsPath);
          return true;
        }
        const property = propertyForCopy({ id, subject }, value, localCopy.path);
        return writeAnswer(property.path, property.value);
      },
    };
  });
  const unknownChoice: Choice = {
    label: `$(question) ${DONT_KNOW_LABEL}`,
    description: `${question.ifUnknown}; shows how to find out`,
    run: () => handleUnknown(question),
  };
  const choiceItems: Choice[] = [
    // The list preselects its first item. Enter alone must not give an answer that can open access.
    ...(canOpenAccess(question.kind) ? [unknownChoice, ...choices] : [...choices, unknownChoice]),
    {
      label: '$(info) Why this question?',
      run: async () => {
        await showReason(question);
        return askOne(askedQuestion, planStore, copies);
      },
    },
    ...(answer === null
      ? []
      : [{ label: '$(discard) Take back the answer', run: () => writeAnswer(['answers', id], undefined) }]),
    { label: 'Lines that the question is about', kind: vscode.QuickPickItemKind.Separator },
    ...places.slice(0, MAX_LISTED_PLACES).map(
      (each): Choice => ({
        label: `$(go-to-file) ${placeText(each)}`,
        run: async () => {
          const uri = planStore.reply?.uris[each.file];
          if (uri === undefined) return false;
          const { command, arguments: commandArguments = [] } = openCommand({ uri, line: each.line });
          await vscode.commands.executeCommand(command, ...commandArguments);
          return false;
        },
      }),
    ),
  ];
  const listCloser = new vscode.CancellationTokenSource();
  // A new plan may no longer have this question, because another answer decides it. Then the list
  // is closed, and the next question is asked.
  const planListener = planStore.onDidChange(() => {
    if (
      !questionsOfPlan(planStore).some(
        (each) => each.question.id === id && each.configuration.uri === configuration.uri,
      )
    )
      listCloser.cancel();
  });
  const chosenItem = await vscode.window.showQuickPick(
    visibleItems(choiceItems),
    {
      title: withVisibleCharacters(root === '' ? question.question : `${root}: ${question.question}`),
      placeHolder: withVisibleCharacters(firstSentence(why)),
      ignoreFocusOut: true,
    },
    listCloser.token,
  );
  planListener.dispose();
  const isDecidedElsewhere = listCloser.token.isCancellationRequested;
  listCloser.dispose();
  return chosenItem?.run ? chosenItem.run() : isDecidedElsewhere;
}

/** The URI scheme of the texts that explain questions, which exist only in memory. */
const REASON_SCHEME = 'httpd-upgrade-question';

/**
 * Shows beside the editor why a question is asked. The focus does not change, because the question
 * is then asked again.
 */
async function showReason({ id, question, why, answers, ifUnknown, findOut }: PlanQuestion): Promise<void> {
  const reasonMarkdown = `${questionMarkdown({ id, question, why, answers, ifUnknown })}\n\n${findOutMarkdown(findOut)}\n`;
  const uri = vscode.Uri.from({ scheme: REASON_SCHEME, path: '/Why this question.md', query: reasonMarkdown });
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, {
    preview: true,
    preserveFocus: true,
    viewColumn: vscode.ViewColumn.Beside,
  });
}

/**
 * Explains in Markdown how to find the answer: a command as a code block to copy, and the meaning
 * of its output.
 */
function findOutMarkdown(findOut: string): string {
  const title = 'How to find the answer';
  if (typeOfFindOut(findOut) !== 'command') return `${title}: ${findOut}`;
  const { placeToRun, command, meaning } = findOutCommandOf(findOut);
  const headingText = `${title}${placeToRun === '' ? '' : `, ${placeToRun}`}:`;
  const { intro, rules } = partsOfMeaning(meaning);
  const ruleList = rules.map((rule) => `- ${rule}`).join('\n');
  return [headingText, `\`\`\`sh\n${command}\n\`\`\``, intro, ruleList].filter(Boolean).join('\n\n');
}

/** The first sentence, which fits into the line above the answers. */
function firstSentence(text: string): string {
  const sentence = /^.*?[.:](?= |$)/.exec(text)?.[0] ?? text;
  return sentence.length <= 85 ? sentence : 'Choose an answer';
}

/** Limit for the listed places of a question. */
const MAX_LISTED_PLACES = 20;

/** What to offer for "I don't know", by the kind of advice on how to find the answer. */
const WAYS_TO_FIND_OUT = {
  command: {
    label: '$(copy) Copy the command',
    placeHolder: 'Run this command on the server, then answer the question',
  },
  page: { label: '$(link-external) Open the page', placeHolder: 'Read this page, then answer the question' },
  advice: { label: '$(search) Find out', placeHolder: 'Find the answer, then choose it' },
};

/**
 * Handles "I don't know": shows how to find out, changes nothing, and returns true to go on with
 * the next question.
 */
async function handleUnknown(question: PlanQuestion): Promise<boolean> {
  const { findOut } = question;
  const typeOfAdvice = typeOfFindOut(findOut);
  const runAdvice =
    typeOfAdvice === 'page'
      ? async () => Boolean(await vscode.env.openExternal(vscode.Uri.parse(findOut)))
      : typeOfAdvice === 'command'
        ? async () => {
            await copyFindOut(question);
            return true;
          }
        : undefined;
  const waysToProceed: Choice[] = [
    { label: WAYS_TO_FIND_OUT[typeOfAdvice].label, detail: findOut, run: runAdvice },
    {
      label: '$(watch) Ask me later',
      detail: 'Until you answer, httpd-upgrade does not write the fixes that wait for this answer.',
      run: () => Promise.resolve(true),
    },
  ];
  const chosenWay = await vscode.window.showQuickPick(visibleItems(waysToProceed), {
    title: withVisibleCharacters(question.question),
    placeHolder: WAYS_TO_FIND_OUT[typeOfAdvice].placeHolder,
    ignoreFocusOut: true,
  });
  return (await chosenWay?.run?.()) ?? false;
}

/** Copies the command that finds the answer. */
async function copyFindOut({ findOut }: PlanQuestion): Promise<void> {
  await vscode.env.clipboard.writeText(findOut);
  void vscode.window.setStatusBarMessage('$(copy) Copied the command: run it on the server', 5000);
}

/** A directory of this machine that the user has chosen as a copy of the server's files. */
interface ChosenCopy {
  /** The directory with the project file. */
  readonly folder: vscode.Uri;
  /** The path of the copy relative to that directory; null if the copy is elsewhere. */
  readonly path: string | null;
  /** The path of the copy in the file system. */
  readonly fsPath: string;
}

/** Lets the user choose a directory of this machine; null if none is chosen. */
async function chooseLocalFolder({ answersIn }: ConfigurationOfReply): Promise<ChosenCopy | null> {
  const folder = vscode.Uri.joinPath(vscode.Uri.parse(answersIn), '..');
  const [chosenFolder] =
    (await vscode.window.showOpenDialog({
      canSelectFolders: true,
      canSelectFiles: false,
      defaultUri: folder,
      openLabel: 'Use this directory',
      title: 'Where is the copy of the files?',
    })) ?? [];
  return chosenFolder ? { folder, path: relativePathFrom(folder, chosenFolder), fsPath: chosenFolder.fsPath } : null;
}

/**
 * Sets or removes a property, and saves the file unless it had unsaved changes. Returns false if
 * the file was not saved; then the user gets a message.
 */
async function writeProperty(
  answersIn: string,
  path: readonly string[],
  value: PropertyValue | undefined,
): Promise<boolean> {
  try {
    return await setProperty(vscode.Uri.parse(answersIn), path, value);
  } catch (error) {
    void vscode.window.showErrorMessage(`The answer was not saved: ${errorMessage(error)}`);
    return false;
  }
}

/** Sets or removes a property in a file. Returns whether the file was saved. */
async function setProperty(
  uri: vscode.Uri,
  path: readonly string[],
  value: PropertyValue | undefined,
): Promise<boolean> {
  if (!(await exists(uri))) {
    if (value === undefined) return true;
    const newFileText = propertyEdits('', path, value)!
      .map(({ content }) => content)
      .join('');
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(newFileText));
    return true;
  }
  const document = await vscode.workspace.openTextDocument(uri);
  const edits = propertyEdits(document.getText(), path, value);
  if (!edits) {
    await vscode.window.showTextDocument(document);
    void vscode.window.showErrorMessage(
      'The answer was not saved: .httpd-upgrade.json is not a JSON object. Correct that file first.',
    );
    return false;
  }
  const wasDirty = document.isDirty;
  const change = new vscode.WorkspaceEdit();
  change.set(
    uri,
    edits.map(
      ({ offset, length, content }) =>
        new vscode.TextEdit(
          new vscode.Range(document.positionAt(offset), document.positionAt(offset + length)),
          content,
        ),
    ),
  );
  await vscode.workspace.applyEdit(change);
  if (!wasDirty) return document.save();
  void vscode.window.showInformationMessage('.httpd-upgrade.json has unsaved changes. Save it to use the answer.');
  return false;
}

/**
 * Records in `.httpd-upgrade.json` that no server uses a file. Then no fix changes it, and it
 * causes no questions.
 */
async function markUnused(item: PlanItem | undefined, { reply }: PlanStore): Promise<void> {
  if (!item?.place || !reply) return;
  const { subject, place } = item;
  const root = subject.kind === 'configuration' ? subject.root : null;
  const configurations = reply.configurations;
  const { answersIn } = configurations.find(({ uri }) => uri === root) ?? configurations[0]!;
  const answersFileUri = vscode.Uri.parse(answersIn);
  const answersFileText = (await exists(answersFileUri))
    ? (await vscode.workspace.openTextDocument(answersFileUri)).getText()
    : '';
  const newUnusedList = unusedListWith(answersFileText, answersFileUri, vscode.Uri.parse(place.uri));
  if (newUnusedList) await writeProperty(answersIn, ['unused'], newUnusedList);
}

/** Opens the file of answers, or says that it does not exist yet. */
async function openAnswers(uri: vscode.Uri): Promise<void> {
  if (!(await exists(uri)))
    return void vscode.window.showInformationMessage(
      'There are no answers yet. Answer the questions in the view "httpd upgrade" first.',
    );
  await vscode.window.showTextDocument(uri);
}

/**
 * The ids of questions, or the answers to a question, that fit at a position in
 * `.httpd-upgrade.json`.
 */
function answerCompletions(
  document: vscode.TextDocument,
  position: vscode.Position,
  questions: readonly QuestionOfPlan[],
): vscode.CompletionItem[] {
  const completionPlace = completionPlaceAt(document.getText(), document.offsetAt(position));
  if (!completionPlace) return [];
  const replacedRange = document.getWordRangeAtPosition(position, /"[^"\n]*"?/) ?? new vscode.Range(position, position);
  const newCompletionItem = (
    text: string,
    detail: string,
    documentation: string,
    kind: vscode.CompletionItemKind,
  ): vscode.CompletionItem => {
    const completionItem = new vscode.CompletionItem(JSON.stringify(text), kind);
    completionItem.detail = detail;
    completionItem.documentation = new vscode.MarkdownString(documentation);
    completionItem.range = replacedRange;
    completionItem.filterText = JSON.stringify(text);
    return completionItem;
  };
  if (completionPlace.kind === 'id')
    return questions.map(({ question }) =>
      newCompletionItem(
        question.id,
        waitingText(question),
        questionMarkdown(question),
        vscode.CompletionItemKind.Property,
      ),
    );
  const questionOfAnswer = questions.find(({ question }) => question.id === completionPlace.id);
  return (
    questionOfAnswer?.question.answers.map(({ value, label }, index) => {
      const completionItem = newCompletionItem(
        value,
        markOfUsualAnswer(completionPlace.id, index, value) === '' ? label : `usual · ${label}`,
        label,
        vscode.CompletionItemKind.Value,
      );
      // Keeps the order of the answers in the question: the first answer is the usual one.
      completionItem.sortText = String(index).padStart(3, '0');
      completionItem.preselect = index === 0 && !canOpenAccess(questionOfAnswer.question.kind);
      return completionItem;
    }) ?? []
  );
}

/** How many fixes wait for the answer ('' if none does), or the answer that was given. */
function waitingText(question: PlanQuestion): string {
  return question.answer === null ? waitingFixesText(question) : `answered: ${question.answer}`;
}
