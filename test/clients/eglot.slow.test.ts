/** Debian's Emacs with Eglot, without a window: shows all features, and applies fixes. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { withFolder } from '../cli/run';
import { lacks } from '../support/lacks';
import { expectAll, runEditor, writeTree } from './support';

const SCRIPT = `
(require 'package)
;; Its own packages alone: with gfm-mode of another, Eglot asks for Markdown.
(setq package-load-list '((eglot t) (project t) (seq t) (xref t)))
(package-initialize)
(require 'eglot)
(require 'json)
(defvar seen nil)
(defun see (key value) (push (cons key value) seen))
(defun text-of (list) (vconcat list))
(defun wait (what test)
  (let ((end (+ (float-time) 20)))
    (while (not (funcall test))
      (when (> (float-time) end) (error "no %s" what))
      (accept-process-output nil 0.05))))
(defun code-of (message) (when (string-match "\\\\[\\\\([a-z0-9-]+\\\\)\\\\]" message) (match-string 1 message)))
(defun open-codes () (mapcar (lambda (diagnostic) (code-of (flymake-diagnostic-text diagnostic))) (flymake-diagnostics)))
(defun closed-codes () (mapcar (lambda (diagnostic) (code-of (flymake-diagnostic-text diagnostic))) (cdr (assoc (file-truename (getenv "SITE")) flymake-list-only-diagnostics))))
(condition-case problem
    (progn
      (setq project-find-functions (list (lambda (_) (cons 'transient (file-name-as-directory (getenv "ROOT"))))))
      (setq eglot-sync-connect 30 eglot-connect-timeout 30 eglot-autoshutdown nil eglot-confirm-server-initiated-edits nil)
      (add-to-list 'eglot-server-programs
                   (list 'conf-mode (getenv "NODE") (getenv "CLI") "server" "--stdio"
                         :initializationOptions '(:trusted t :settings (:severity (:server-name-missing "off")))))
      (find-file (getenv "FILE"))
      (switch-to-buffer (current-buffer))
      (conf-mode)
      (apply #'eglot (eglot--guess-contact))
      (wait "findings of the whole configuration"
            (lambda () (flymake-start) (and (member "changed-defaults" (open-codes)) (member "missing-module" (closed-codes)))))
      (see 'open (text-of (open-codes)))
      (see 'closed (text-of (closed-codes)))
      (goto-char (point-min))
      (search-forward "MaxC")
      (let (said)
        (eglot-hover-eldoc-function (lambda (text &rest _) (when text (setq said (substring-no-properties text)))))
        (wait "hover" (lambda () said))
        (see 'hover said))
      (let ((capf (eglot-completion-at-point)))
        (see 'completion (text-of (mapcar #'substring-no-properties (all-completions (buffer-substring-no-properties (nth 0 capf) (nth 1 capf)) (nth 2 capf))))))
      (see 'actions (text-of (mapcar (lambda (action) (plist-get action :title)) (eglot-code-actions (point)))))
      (cl-letf (((symbol-function 'completing-read) (lambda (_prompt choices &rest _) (caar choices))))
        (eglot-code-actions (point-min) (point-max) "source.fixAll.httpdUpgrade" t))
      (wait "Fix All" (lambda () (save-excursion (goto-char (point-min)) (search-forward "MaxRequestWorkers" nil t))))
      (see 'fixed (buffer-substring-no-properties (point-min) (point-max)))
;; Nobody is idle here, which Eglot waits for before it tells of changes.
      (eglot--signal-textDocument/didChange)
      (wait "no findings" (lambda () (flymake-start) (not (member "max-clients" (open-codes)))))
      (setq tab-width 4 indent-tabs-mode nil)
      (eglot-format-buffer)
      (see 'formatted (buffer-substring-no-properties (point-min) (point-max)))
      (eglot--signal-textDocument/didChange)
      (goto-char (point-min))
      (search-forward "SITE")
      (backward-char)
      (eglot-rename "HOST")
      (see 'renamed (buffer-substring-no-properties (point-min) (point-max)))
      (set-buffer-modified-p nil)
      (eglot-shutdown (eglot--current-server-or-lose)))
  (error (see 'error (format "%S %S %S" problem (ignore-errors (open-codes)) flymake-list-only-diagnostics))))
(with-temp-file (getenv "SEEN") (insert (json-encode seen)))
(kill-emacs 0)
`;

describe(
  'Emacs with Eglot',
  withFolder((folder) => {
    it('attaches, shows all findings, hovers, completes, takes Fix All, formats, and renames', function () {
      if (!existsSync('/usr/share/emacs/site-lisp/elpa')) lacks(this, 'Eglot is missing: apt-get install elpa-eglot');
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
      // No gfm-mode is there: what Eglot asks for is plain text.
      assert.doesNotMatch(seen.hover, /\*\*|`|\]\(/);
    });
  }),
);
