/** Debian's Neovim, without a window: shows all features, and applies fixes. */
import path from 'node:path';
import { withFolder } from '../cli/run';
import { repositoryRoot } from '../support/paths';
import { expectAll, runEditor, writeTree } from './support';

const ENTRY = path.join(repositoryRoot, 'docs/editors/nvim-lspconfig/lsp/httpd_upgrade.lua');

const SCRIPT = `
local seen = {}
local function code(diagnostic) return diagnostic.code or (diagnostic.user_data and diagnostic.user_data.lsp and diagnostic.user_data.lsp.code) end
local function codes(name)
  local list = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(vim.uri_to_bufnr(vim.uri_from_fname(name)))) do table.insert(list, code(diagnostic)) end
  return list
end
local function wait(what, test) if not vim.wait(20000, test, 50) then error('no ' .. what) end end
local function has(list, item) return vim.tbl_contains(list, item) end
local function at(text) vim.fn.search(text, 'cw') end

local ok, message = pcall(function()
  vim.o.swapfile = false
  vim.cmd('edit ' .. os.getenv('FILE'))
  vim.bo.filetype = 'apache'
  local buffer = vim.api.nvim_get_current_buf()
  -- As in the entry for nvim-lspconfig, with the program of this checkout.
  local entry = dofile([[${ENTRY}]])
  local cmd = vim.list_extend({ os.getenv('NODE'), os.getenv('CLI') }, vim.list_slice(entry.cmd, 2))
  local id = vim.lsp.start_client({
    name = 'httpd-upgrade', cmd = cmd, root_dir = os.getenv('ROOT'),
    init_options = { trusted = true, settings = { severity = { ['server-name-missing'] = 'off' } } },
  })
  vim.lsp.buf_attach_client(buffer, id)
  wait('findings of the whole configuration', function() return has(codes(os.getenv('FILE')), 'changed-defaults') and has(codes(os.getenv('SITE')), 'missing-module') end)
  seen.open = codes(os.getenv('FILE'))
  seen.closed = codes(os.getenv('SITE'))

  at('MaxClients')
  vim.lsp.buf.hover()
  local function float()
    for _, window in ipairs(vim.api.nvim_list_wins()) do if vim.api.nvim_win_get_config(window).relative ~= '' then return window end end
  end
  wait('hover', float)
  seen.hover = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(float()), 0, -1, false), '\\n')
  vim.api.nvim_win_close(float(), true)

  local position = vim.lsp.util.make_position_params()
  position.position.character = 4
  local answer = vim.lsp.buf_request_sync(buffer, 'textDocument/completion', position, 10000)[id].result
  seen.completion = vim.tbl_map(function(item) return item.word end, vim.lsp.util.text_document_completion_list_to_complete_items(answer, 'MaxC'))

  vim.ui.select = function(items, _, choose)
    seen.actions = vim.tbl_map(function(item) return (item.action or item[2]).title end, items)
    choose(nil)
  end
  vim.lsp.buf.code_action()
  wait('actions', function() return seen.actions end)

  vim.ui.select = function(items, _, choose) choose(items[1], 1) end
  local context = { diagnostics = {}, only = { 'source.fixAll.httpdUpgrade' } }
  vim.lsp.buf.code_action(vim.fn.has('nvim-0.8') == 1 and { context = context } or context)
  wait('Fix All', function() return vim.fn.search('MaxRequestWorkers', 'nw') > 0 end)
  seen.fixed = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\\n') .. '\\n'
  wait('no findings', function() return not has(codes(os.getenv('FILE')), 'max-clients') end)

  vim.bo.shiftwidth = 4
  vim.bo.expandtab = true
  if vim.lsp.buf.format then vim.lsp.buf.format({ async = false, timeout_ms = 10000 }) else vim.lsp.buf.formatting_sync(nil, 10000) end
  seen.formatted = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\\n') .. '\\n'

  at('SITE a')
  vim.lsp.buf.rename('HOST')
  wait('rename', function() return vim.fn.search('{HOST}', 'nw') > 0 end)
  seen.renamed = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\\n') .. '\\n'
  vim.lsp.stop_client(id)
end)
if not ok then seen.error = tostring(message) .. ' ' .. table.concat(codes(os.getenv('FILE')), ' ') end
vim.fn.writefile({ vim.fn.json_encode(seen) }, os.getenv('SEEN'))
vim.cmd('qall!')
`;

describe(
  'Neovim',
  withFolder((folder) => {
    it('attaches, shows all findings, hovers, completes, takes Fix All, formats, and renames', function () {
      const tree = writeTree(folder());
      folder().write('run.lua', SCRIPT);
      const seen = runEditor({
        test: this,
        folder: folder(),
        program: '/usr/bin/nvim',
        package: 'neovim',
        args: ['--headless', '-u', 'NONE', '-i', 'NONE', '-c', `luafile ${folder().at('run.lua')}`],
        tree,
      });
      expectAll(seen, tree);
    });
  }),
);
