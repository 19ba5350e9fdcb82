---@brief
---
--- https://github.com/httpd-upgrade/httpd-upgrade
---
--- Language server for the configuration of Apache httpd. It finds what changed from 2.2 to 2.4,
--- explains it and fixes it.
---
--- Install it with `npm install --global httpd-upgrade`.
---
--- With `trusted = true`, it reads all included files, wherever they are. Without it, it reads only
--- files in the workspace:
---
--- ```lua
--- vim.lsp.config('httpd_upgrade', { init_options = { trusted = true } })
--- ```

---@type vim.lsp.Config
return {
  cmd = { 'httpd-upgrade', 'server', '--stdio' },
  filetypes = { 'apache' },
  root_markers = { '.httpd-upgrade.json', 'httpd.conf', 'apache2.conf', '.git' },
}
