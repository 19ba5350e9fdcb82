/**
 * Debian's Emacs with lsp-mode, without a window: with the entry of docs/editors.md it shows all
 * features, and applies fixes.
 */
import { existsSync, readdirSync } from 'node:fs';
import { withFolder } from '../cli/run';
import { lacks } from '../support/lacks';
import { expectAll, runEditor, writeTree } from './support';

const SCRIPT = `
(require 'package)
(package-initialize)
(require 'lsp-mode)
(require 'lsp-diagnostics)
(require 'lsp-completion)
(require 'json)
(defvar seen nil)
(defun see (key value) (push (cons key value) seen))
(defun text-of (list) (vconcat list))
(defun wait (what test)
  (let ((end (+ (float-time) 20)))
    (while (not (funcall test))
      (when (> (float-time) end) (error "no %s" what))
      (accept-process-output nil 0.05))))
(defun codes-in (file) (mapcar #'lsp:diagnostic-code? (gethash (file-truename (getenv file)) (lsp-diagnostics t))))
(defun text () (buffer-substring-no-properties (point-min) (point-max)))
(defun has (word) (string-match-p word (text)))
(condition-case problem
    (progn
      (setq lsp-session-file (expand-file-name "session" (getenv "ROOT")) lsp-auto-guess-root nil lsp-restart 'ignore
            lsp-enable-snippet nil lsp-enable-file-watchers nil lsp-keep-workspace-alive t lsp-auto-execute-action t)
      (add-to-list 'lsp-language-id-configuration '(conf-space-mode . "apacheconf"))
      (lsp-register-client
       (make-lsp-client :new-connection (lsp-stdio-connection (list (getenv "NODE") (getenv "CLI") "server" "--stdio"))
                        :major-modes '(conf-space-mode)
                        :initialization-options '(:trusted t :settings (:severity (:server-name-missing "off")))
                        :server-id 'httpd-upgrade))
      (lsp-workspace-folders-add (directory-file-name (getenv "ROOT")))
      (find-file (getenv "FILE"))
      (switch-to-buffer (current-buffer))
      (conf-space-mode)
      (lsp)
      (wait "server" (lambda () (ignore-errors (eq 'initialized (lsp--workspace-status (car (lsp-workspaces)))))))
      (wait "findings of the whole configuration"
            (lambda () (and (member "changed-defaults" (codes-in "FILE")) (member "missing-module" (codes-in "SITE")))))
      (see 'open (text-of (codes-in "FILE")))
      (see 'closed (text-of (codes-in "SITE")))
      (goto-char (point-min))
      (search-forward "MaxC")
      (see 'hover (substring-no-properties
                   (lsp--render-on-hover-content (lsp:hover-contents (lsp-request "textDocument/hover" (lsp--text-document-position-params))) t)))
      (let ((capf (lsp-completion-at-point)))
        (see 'completion (text-of (mapcar #'substring-no-properties (all-completions "MaxC" (nth 2 capf))))))
      (see 'actions (text-of (mapcar #'lsp:code-action-title (lsp-code-actions-at-point))))
      (lsp-execute-code-action-by-kind "source.fixAll.httpdUpgrade")
      (wait "Fix All" (lambda () (has "MaxRequestWorkers")))
      (see 'fixed (text))
      (wait "no findings" (lambda () (not (member "max-clients" (codes-in "FILE")))))
      (setq tab-width 4 standard-indent 4 indent-tabs-mode nil)
      (lsp-format-buffer)
      (see 'formatted (text))
      (goto-char (point-min))
      (search-forward "SITE")
      (backward-char)
      (lsp-rename "HOST")
      (see 'renamed (text))
      (set-buffer-modified-p nil))
  (error (see 'error (format "%S %S" problem (ignore-errors (codes-in "FILE"))))))
(with-temp-file (getenv "SEEN") (insert (json-encode seen)))
(kill-emacs 0)
`;

const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

describe(
  'Emacs with lsp-mode',
  withFolder((folder) => {
    it('attaches, shows all findings, hovers, completes, takes Fix All, formats, and renames', function () {
      // Packages in a directory of one's own: EMACSLOADPATH names them.
      const places = [...(process.env.EMACSLOADPATH ?? '').split(':'), ...namesIn('/usr/share/emacs/site-lisp/elpa')];
      if (!places.some((place) => /\blsp-mode-/.test(place)))
        lacks(this, 'lsp-mode is missing: apt-get install elpa-lsp-mode');
      const tree = writeTree(folder());
      folder().write('run.el', SCRIPT);
      const seen = runEditor({
        test: this,
        folder: folder(),
        program: '/usr/bin/emacs',
        package: 'emacs-nox',
        args: ['-q', '--batch', '-l', folder().at('run.el')],
        tree,
      });
      expectAll(seen, tree);
    });
  }),
);
