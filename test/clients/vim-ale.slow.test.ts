/**
 * Debian's Vim with ALE, without a window: with the entry of docs/editors.md it shows all features,
 * and applies fixes.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { withFolder } from '../cli/run';
import { lacks } from '../support/lacks';
import { bundle } from '../support/built';
import { repositoryRoot } from '../support/paths';
import { expectAll, runEditor, writeTree } from './support';

const ALE = '/usr/share/vim-ale';

/** ALE asks a person with ale#util#Input: here is what they type. */
const SCRIPT = `
let s:seen = {}
function! s:Wait(what, test) abort
  for l:round in range(1600)
    if a:test() | return | endif
    sleep 50m
  endfor
  throw 'no ' . a:what
endfunction
function! s:Codes() abort
  return map(copy(ale#engine#GetLoclist(bufnr(''))), {_, each -> get(each, 'code', '')})
endfunction
function! s:Text() abort
  return join(getline(1, '$'), "\\n") . "\\n"
endfunction
function! s:Completed(items) abort
  let s:seen.completion = map(copy(a:items), {_, each -> each.word})
endfunction
function! s:Menu(data, items) abort
  let s:menu = map(copy(a:items), {_, each -> each[1].title})
endfunction

try
  set nocompatible noswapfile hidden
  set runtimepath^=${ALE}
  filetype plugin on
  let g:ale_lint_on_enter = 0
  let g:ale_update_tagstack = 0
  let g:ale_hover_to_preview = 1
  runtime plugin/ale.vim
  source $ENTRY
  let g:ale_linters = {'apache': ['httpd-upgrade']}
  edit $SITE
  setfiletype apache
  ALELint
  call s:Wait('findings of the included file', {-> index(s:Codes(), 'missing-module') >= 0})
  let s:seen.closed = s:Codes()
  edit $FILE
  setfiletype apache
  ALELint
  call s:Wait('findings of the whole configuration', {-> index(s:Codes(), 'changed-defaults') >= 0})
  let s:seen.open = s:Codes()

  call search('MaxClients', 'cw')
  ALEHover
  call s:Wait('hover', {-> &previewwindow || bufnr('ALEPreviewWindow') > 0})
  let s:seen.hover = join(getbufline(bufnr('ALEPreviewWindow'), 1, '$'), "\\n")
  pclose

  " ALE shows completions in insert mode alone, and a script without a window is never in it.
  function! ale#util#Mode(...) abort
    return 'i'
  endfunction
  call cursor(search('MaxClients', 'cw'), 5)
  call ale#completion#GetCompletions('ale-callback', {'callback': function('s:Completed')})
  call s:Wait('completion', {-> has_key(s:seen, 'completion')})

  call search('MaxClients', 'cw')
  call ale#codefix#Execute(0, function('s:Menu'))
  call s:Wait('actions', {-> exists('s:menu')})
  let s:seen.actions = s:menu

  let s:number = index(s:menu, 'Apply all safe fixes of httpd-upgrade') + 1
  function! ale#util#Input(message, value, ...) abort
    return s:number
  endfunction
  call search('MaxClients', 'cw')
  ALECodeAction
  call s:Wait('Fix All', {-> search('MaxRequestWorkers', 'nw') > 0})
  let s:seen.fixed = s:Text()

  ALEFix
  call s:Wait('formatting', {-> s:Text() !=# s:seen.fixed})
  let s:seen.formatted = s:Text()

  function! ale#util#Input(message, value, ...) abort
    return 'HOST'
  endfunction
  call cursor(search('SITE a', 'cw'), 8)
  ALERename
  call s:Wait('rename', {-> search('{HOST}', 'nw') > 0})
  let s:seen.renamed = s:Text()
catch
  let s:seen.error = v:exception . ' at ' . v:throwpoint . ' ' . string(s:seen)
endtry
call writefile([json_encode(s:seen)], $SEEN)
call ale#lsp#StopAll()
qall!
`;

/** What docs/editors.md has for ALE, with the paths of this machine. */
function entry(): string {
  const page = readFileSync(path.join(repositoryRoot, 'docs/editors.md'), 'utf8');
  const code = /^ALE \(tested in CI\)[^]*?```vim\n([^]*?)```/m.exec(page)![1]!;
  return code
    .replaceAll('/path/to/httpd-upgrade/dist/cli.js', bundle('cli.js'))
    .replace("'executable': 'node'", `'executable': '${process.execPath}'`)
    .replace("'node /", `'${process.execPath} /`);
}

describe(
  'Vim with ALE',
  withFolder((folder) => {
    it('attaches, shows findings, hovers, completes, takes Fix All, formats, and renames', function () {
      if (!existsSync(ALE)) lacks(this, 'ALE is missing: apt-get install vim-ale');
      const tree = writeTree(folder());
      // The workspace is where this is: the included file belongs to it, too.
      folder().write('.httpd-upgrade.json', '{ "severity": { "server-name-missing": "off" } }');
      folder().write('entry.vim', entry());
      folder().write('run.vim', SCRIPT.replace('$ENTRY', folder().at('entry.vim')));
      const seen = runEditor({
        test: this,
        folder: folder(),
        program: '/usr/bin/vim',
        package: 'vim',
        args: ['-es', '-N', '-u', 'NONE', '-i', 'NONE', '-S', folder().at('run.vim')],
        tree,
      });
      expectAll(seen, tree);
    });
  }),
);
