#!/bin/sh
# Collects the configuration of this Apache httpd server into one archive for "httpd-upgrade plan".
# https://github.com/httpd-upgrade/httpd-upgrade (docs/collect.md)
#
# It changes nothing on this server. It reads:
#   - the main configuration file, and each file that it includes, with the links to them
#   - configuration files beside them that it does not read now, such as sites that are not enabled
#   - each .htaccess file below the directories that the server serves
#   - the distribution's start files, and the names and versions of the installed packages
# It runs httpd with -V, -M and -S, which read the configuration and start no server. The modules
# of the configuration are loaded for this; --no-httpd skips it. It runs nothing else of yours.
# It never takes private keys and password files. It replaces passwords in the lines that it takes.
# Run it as root: other users cannot read all files.

set -u
LC_ALL=C
PATH=${PATH:-/usr/bin:/bin}:/usr/sbin:/sbin:/usr/local/sbin:/usr/local/bin:/usr/local/apache2/bin
export LC_ALL PATH
unset CDPATH
umask 077

nl='
'
tab=$(printf '\t')
# Without field splitting, "for file in $pattern" expands wildcards only.
IFS=

usage() {
  cat <<'END'
usage: sh collect.sh [options]
  -f FILE         the main configuration file (default: httpd -V says it)
  -d DIR          the server root (default: httpd -V says it)
  -o FILE         the archive to write (default: httpd-collected-HOST-TIME.tar.gz here)
  --httpd FILE    the program to ask with -V, -M and -S (default: apache2ctl, apachectl, httpd ...)
  --no-httpd      do not run httpd; needs -f, unless the file is at a usual place
  --seconds N     search .htaccess files for N seconds at most (default: 300; 0: no limit)
  --htaccess N    take N .htaccess files at most (default: 20000; 0: no limit)
  -h, --help      show this help
END
}

die() {
  printf 'collect: %s\n' "$1" | tr -d '\001-\010\013-\037\177' >&2
  exit "${2:-1}"
}

main= root= out= program= asks=yes seconds=300 most=20000
while [ $# -gt 0 ]; do
  case $1 in
    -f | -d | -o | --httpd | --seconds | --htaccess)
      [ $# -gt 1 ] || die "$1 needs a value" 2
      case $1 in
        -f) main=$2 ;;
        -d) root=$2 ;;
        -o) out=$2 ;;
        --httpd) program=$2 ;;
        --seconds) seconds=$2 ;;
        --htaccess) most=$2 ;;
      esac
      shift 2
      ;;
    --no-httpd) asks=no && shift ;;
    -h | --help) usage && exit 0 ;;
    *) usage >&2 && exit 2 ;;
  esac
done
case $seconds$most in *[!0-9]*) die '--seconds and --htaccess need a number' 2 ;; esac

here=$(pwd) || exit 1
absolute() {
  case $1 in /*) printf '%s.' "$1" ;; *) printf '%s/%s.' "$here" "$1" ;; esac
}

# ---------------------------------------------------------------------------------------------------
# The folder in which the archive is put together

work=$(mktemp -d "${TMPDIR:-/tmp}/httpd-collect.XXXXXX" 2>/dev/null) || {
  work=${TMPDIR:-/tmp}/httpd-collect.$$
  mkdir "$work" || die "cannot create $work"
}
trap 'rm -rf "$work"' 0
work=$(cd "$work" && pwd -P && printf '.') && work=${work%"$nl".} || exit 1
trap 'exit 130' 1 2 13 15

top=$work/httpd-collected
server=$top/server
facts=$top/facts
mkdir "$top" "$server" "$facts" || exit 1
: >"$facts/collected"
: >"$work/defines"
: >"$work/tops"
: >"$work/searched"

# Writes a path or text as one line: sets $line. "\" becomes "\\", a newline "\n", a tab "\t".
to_line() {
  case $1 in
    *[\\"$nl$tab"]*)
      line=$(printf '%s\n' "$1" | sed -e 's/\\/\\\\/g' -e "s/$tab/\\\\t/g" |
        awk 'NR > 1 { printf "%s", "\\n" } { printf "%s", $0 }')
      ;;
    *) line=$1 ;;
  esac
}

# The reverse: sets $text.
from_line() {
  case $1 in
    *\\*) text=$(printf '%b.' "$1") && text=${text%.} ;;
    *) text=$1 ;;
  esac
}

# fact KIND TEXT [MORE]: records it for httpd-upgrade.
fact() {
  more=${3:-}
  to_line "$2"
  printf '%s\t%s%s\n' "$1" "$line" "${more:+$tab$more}" >>"$facts/collected"
}

# limited SECONDS COMMAND ...: fails with 124 after this time.
calls=0
limited() {
  limit=$1
  shift
  calls=$((calls + 1))
  "$@" &
  child=$!
  # Looks once a second, because a signal to a waiting shell can be lost.
  (
    spent=0
    while [ -d "$work" ] && [ ! -f "$work/done.$calls" ]; do
      if [ $spent -ge "$limit" ]; then
        : >"$work/late.$calls"
        kill $child
        exit
      fi
      sleep 1
      spent=$((spent + 1))
    done
  ) >/dev/null 2>&1 &
  wait $child
  status=$?
  : >"$work/done.$calls"
  [ ! -f "$work/late.$calls" ] || status=124
  return $status
}

# ---------------------------------------------------------------------------------------------------
# One file: facts on standard output, the text without passwords in the file OUT

cat >"$work/read.awk" <<'END'
# MODE: "conf" (facts and text), "htaccess" (names of files and text) or "text". FILE: the path, as
# one line.
# DEFINES: a file with known variables. Each line of output is KIND<tab>VALUE.
BEGIN {
  while ((getline definition < DEFINES) > 0) {
    at = index(definition, "\t")
    learn(substr(definition, 1, at - 1), substr(definition, at + 1))
  }
  close(DEFINES)
  NAMING = "^(auth(dbm|n?db|digest)?(user|group)file|authdigestfile|authzsvnaccessfile|ssl(proxy)?(ca)?(certificate|revocation|machinecertificate)[a-z]*|sslsrpverifierfile|sslsessionticketkeyfile|nsscertificatedatabase|authzdbm[a-z]*file)$"
  SECRET = "(passw(or)?d|passphrase|passwd|pwd|secret|token|api_?key|apikey|access_?key|private_?key)"
}

{
  raw = $0
  end = ""
  if (raw ~ /\r$/) { end = "\r"; raw = substr(raw, 1, length(raw) - 1) }
  if (lines == 0) first = NR
  RAW[++lines] = $0
  if (raw ~ /\\$/) { logical = logical substr(raw, 1, length(raw) - 1); next }
  logical = logical raw
  finish()
}

END {
  if (lines > 0) finish()
}

function say(kind, value) { printf "%s\t%s\n", kind, value }

# A value as one line of the facts.
function oneline(value,   result, i, c) {
  if (index(value, "\\") == 0 && index(value, "\t") == 0) return value
  result = ""
  for (i = 1; i <= length(value); i++) {
    c = substr(value, i, 1)
    result = result (c == "\\" ? "\\\\" : c == "\t" ? "\\t" : c)
  }
  return result
}

# Empty lines keep the numbers of the lines that follow.
function finish(   after, i) {
  after = cleaned(logical)
  if (after == logical) for (i = 1; i <= lines; i++) print RAW[i] > OUT
  else {
    print after end > OUT
    for (i = 2; i <= lines; i++) print end > OUT
  }
  logical = ""
  lines = 0
}

function masked(value,   size, result) {
  size = length(value) <= 8 ? 8 : length(value) <= 16 ? 16 : length(value) <= 32 ? 32 : 64
  result = "REMOVED"
  while (length(result) < size) result = result "X"
  return result
}

function report(name) {
  if (name == "") name = "a comment"
  say("secret", FILE "\t" first "\t" name)
}

# Sets W[1..n] (words without quotes), B[i] and L[i] (start and length in the line).
function split_words(s,   n, i, c, quote, start, word) {
  n = 0
  i = 1
  while (i <= length(s)) {
    c = substr(s, i, 1)
    if (c == " " || c == "\t") { i++; continue }
    word = ""
    if (c == "\"" || c == "'") {
      quote = c
      i++
      start = i
      while (i <= length(s) && substr(s, i, 1) != quote) {
        if (substr(s, i, 1) == "\\" && (substr(s, i + 1, 1) == quote || substr(s, i + 1, 1) == "\\")) i++
        word = word substr(s, i, 1)
        i++
      }
      n++
      W[n] = word; B[n] = start; L[n] = i - start
      i++
      continue
    }
    start = i
    while (i <= length(s) && substr(s, i, 1) != " " && substr(s, i, 1) != "\t") i++
    n++
    W[n] = substr(s, start, i - start); B[n] = start; L[n] = i - start
  }
  return n
}

# The line without its secrets.
function cleaned(s,   rest, lead, body, name, n, low, result) {
  if (in_key) {
    if (s ~ /END .*PRIVATE KEY/) in_key = 0
    if (s !~ /^[ \t]*#/) say("key", FILE)
    return "# removed"
  }
  if (s ~ /BEGIN .*PRIVATE KEY/ || s ~ /PuTTY-User-Key-File/) {
    if (s ~ /BEGIN/ && s !~ /END .*PRIVATE KEY/) in_key = 1
    report("a private key")
    if (s !~ /^[ \t]*#/) say("key", FILE)
    return "# removed"
  }
  lead = ""
  body = s
  if (match(s, /^[ \t]*(#[# \t]*)?/)) {
    lead = substr(s, 1, RLENGTH)
    body = substr(s, RLENGTH + 1)
  }
  is_comment = index(lead, "#") > 0
  if (body == "") return s
  if (is_password_line(body)) {
    report("a password line")
    if (!is_comment) say("passwords", FILE)
    return "# removed"
  }
  n = split_words(body)
  name = tolower(W[1])
  if (!is_comment && MODE != "text" && n >= 2 && name ~ NAMING) say("name", oneline(known(W[2])) "\t" W[1])
  if (!is_comment && MODE == "conf") facts_of(body, name, n)
  result = body
  if (body !~ /^</) {
    result = by_name(result, name, n)
    result = by_key(result, name)
  }
  result = in_urls(result, name)
  result = in_headers(result, name)
  return lead result
}

function is_password_line(s,   parts, n) {
  if (s ~ /^[^: \t<"#]+:(\$apr1\$|\$2[abxy]?\$|\$1\$|\$5\$|\$6\$|\{SHA\}|\{SSHA\}|\{sha\})/) return 1
  n = split(s, parts, ":")
  if (n == 2 && parts[1] ~ /^[A-Za-z0-9._@-]+$/ && length(parts[2]) == 13 && parts[2] !~ /[^.\/A-Za-z0-9]/) return 1
  if (n == 3 && length(parts[3]) == 32 && parts[3] !~ /[^0-9a-f]/ && parts[1] !~ /[ \t]/) return 1
  return 0
}

# Replaces the words from number i on. Returns the line.
function mask_words(s, name, i, n,   j, result) {
  result = s
  for (j = n; j >= i; j--) if (L[j] > 0 && tolower(W[j]) !~ /^(on|off|none|builtin|true|false|[0-9])$/) {
    result = substr(result, 1, B[j] - 1) masked(W[j]) substr(result, B[j] + L[j])
  }
  if (result != s) report(W[1])
  return result
}

function by_name(s, name, n,   word, at) {
  if (n < 2) return s
  # A sentence is no directive.
  if (is_comment && (n > 4 || W[1] !~ /^[A-Za-z_]+[A-Z_]/)) return s
  if (name ~ /passphrasedialog$/) {
    at = index(W[2], " ")
    if (at > 0) { report(W[1]); return substr(s, 1, B[2] - 1) substr(W[2], 1, at) masked(substr(W[2], at + 1)) substr(s, B[2] + L[2]) }
    return mask_words(s, name, 3, n)
  }
  if (name ~ /(passw|passphrase|secret|pwd$|apikey$|cryptokey$|accesstoken$)/ && name !~ /(field|column|table|clause|query|encrypt|encoding|format|file|path)/ && name !~ /=/)
    return mask_words(s, name, 2, n)
  if (name ~ /^auth_?mysql_?info$/) return mask_words(s, name, 4, n)
  # A header with a secret value: not a pattern such as "(.*)".
  if ((name ~ /^setenvif/ || name == "rewritecond") && n >= 3 && tolower(W[2]) ~ /(pass|secret|token|auth|key)/) {
    word = W[3]
    gsub(/[\^!=$"]/, "", word)
    if (length(word) >= 6 && word !~ /[^A-Za-z0-9_+\/.-]/) return mask_words(s, name, 3, 3)
    return s
  }
  if (name == "authbasicfake" || name == "addradiusauth" || name == "mdexternalaccountbinding") return mask_words(s, name, 3, n)
  if (name == "ldaptrustedclientcert" || name == "ldaptrustedglobalcert" || name == "ldaptrustedca") return mask_words(s, name, 4, n)
  if (name == "sslsrpunknownuserseed") return mask_words(s, name, 2, n)
  if (name ~ /^(setenv|perlsetvar|perladdvar|perlsetenv|php_value|php_admin_value|pythonoption|passengerenvvar|fcgidinitialenv|sethandlerenv)$/) {
    word = tolower(W[2])
    if (word ~ /(pass|pwd|secret|token|key|cred|auth)/) return mask_words(s, name, 3, n)
    return s
  }
  if (name == "define" && tolower(W[2]) ~ /(passw|passphrase|pass$|pass_|pwd|secret|token|api_?key)/) return mask_words(s, name, 3, n)
  if ((name == "requestheader" || name == "header") && n >= 4) {
    word = tolower(W[3])
    if (word ~ /(key|token|secret|authorization|password)/) return mask_words(s, name, 4, n)
  }
  return s
}

# password=VALUE, --password VALUE; in comments also password: VALUE
function by_key(s, name,   result, low, value, sep, from, size, before) {
  result = ""
  sep = is_comment ? "[\"' \t]*[=:][ \t]*" : "[\"']?="
  for (;;) {
    low = tolower(s)
    if (match(low, "(" SECRET "[a-z0-9_]*|pass)" sep) == 0 && match(low, /--?(password|passwd|pass|secret|token)[ \t]+/) == 0 && match(low, /e=[a-z0-9_]*(pass|pwd|secret|token)[a-z0-9_]*:/) == 0) break
    from = RSTART + RLENGTH
    before = substr(s, 1, from - 1)
    s = substr(s, from)
    if (s ~ /^["']/) { before = before substr(s, 1, 1); s = substr(s, 2) }
    match(s, /^[^] \t"'&;,]*/)
    size = RLENGTH
    value = substr(s, 1, size)
    s = substr(s, size + 1)
    if (size > 0 && value !~ /^[$%({`]/ && value !~ /^REMOVED/) { report(W[1] ~ /^#/ ? "" : is_comment ? "" : W[1]); value = masked(value) }
    result = result before value
  }
  return result s
}

# scheme://user:password@host
function in_urls(s, name,   result, from, text, at) {
  result = ""
  while (match(s, /:\/\/[^\/ \t"'@:]*:[^\/ \t"'@]+@/)) {
    from = RSTART
    text = substr(s, RSTART + 3, RLENGTH - 4)
    at = index(text, ":")
    if (substr(text, at + 1) !~ /^REMOVED/) report(is_comment ? "" : W[1])
    result = result substr(s, 1, from + 2) substr(text, 1, at) (substr(text, at + 1) ~ /^REMOVED/ ? substr(text, at + 1) : masked(substr(text, at + 1))) "@"
    s = substr(s, from + 3 + length(text) + 1)
  }
  return result s
}

# Basic dXNlcjpwYXNz, Bearer eyJ...
function in_headers(s, name,   result, low, word) {
  result = ""
  while (match(tolower(s), /(basic|bearer)[ \t]+[a-z0-9+\/=._-]+/)) {
    word = substr(s, RSTART, RLENGTH)
    result = result substr(s, 1, RSTART - 1)
    s = substr(s, RSTART + RLENGTH)
    match(word, /[ \t]+/)
    if (length(word) - RSTART - RLENGTH + 1 >= 8 && substr(word, RSTART + RLENGTH) ~ /[0-9=]|.[A-Z]/ && substr(word, RSTART + RLENGTH) !~ /^REMOVED/) {
      report(is_comment ? "" : W[1])
      word = substr(word, 1, RSTART + RLENGTH - 1) masked(substr(word, RSTART + RLENGTH))
    }
    result = result word
  }
  return result s
}

# ---- facts

function learn(name, value) {
  if (name == "") return
  if (name in VALUE && VALUE[name] != value) value = "*"
  VALUE[name] = value
}

# A path or pattern with the variables and the parameters of macros replaced; "*" for unknown ones.
function known(s,   result, name, at, i) {
  result = ""
  while ((at = index(s, "${")) > 0) {
    result = result substr(s, 1, at - 1)
    s = substr(s, at + 2)
    at = index(s, "}")
    if (at == 0) { s = "${" s; break }
    name = substr(s, 1, at - 1)
    sub(/:.*/, "", name)
    s = substr(s, at + 1)
    if (name in VALUE) result = result VALUE[name]
    else { result = result "*"; say("variable", name) }
  }
  result = result s
  for (i = 1; i <= parameters; i++) {
    s = result
    result = ""
    while ((at = index(s, PARAMETER[i])) > 0) {
      result = result substr(s, 1, at - 1) "*"
      s = substr(s, at + length(PARAMETER[i]))
    }
    result = result s
  }
  return result
}

# The directory before the first character that is not literal.
function literal(s, special,   at) {
  at = match(s, special)
  if (at == 1) return ""
  if (at > 0) s = substr(s, 1, at - 1)
  else if (s ~ /\/$/) return s
  sub(/[^\/]*$/, "", s)
  return s == "" ? "." : s == "/" ? "" : s
}

function served(path) {
  if (path == "" || path ~ /^-/) return
  say(path ~ /[*?[]/ ? "pattern" : "served", oneline(path))
}

function facts_of(body, name, n,   i, path) {
  if (name == "<macro") {
    parameters = 0
    for (i = 3; i <= n; i++) {
      path = W[i]
      sub(/>$/, "", path)
      if (path != "") PARAMETER[++parameters] = path
    }
    return
  }
  if (name == "</macro>") { parameters = 0; return }
  if (name == "<ifdefine") {
    path = W[2]
    sub(/>$/, "", path)
    sub(/^!/, "", path)
    if (path != "") say("ifdefine", oneline(path))
    return
  }
  if (name == "<directory" && n >= 2) {
    path = n >= 3 && W[2] == "~" ? "" : W[2]
    sub(/>$/, "", path)
    path = known(path)
    if (path ~ /^\/./) served(path)
    return
  }
  if (n < 2) return
  if (name == "include" || name == "includeoptional") { for (i = 2; i <= n; i++) say(name, oneline(known(W[i]))); return }
  if (name == "serverroot") { say("serverroot", oneline(known(W[2]))); return }
  if (name == "define") {
    if (W[2] !~ /\$/) { learn(W[2], known(W[3])); if (n > 2) say("define", W[2] "\t" known(W[3])) }
    return
  }
  if (name == "accessfilename") { for (i = 2; i <= n; i++) say("accessfile", oneline(known(W[i]))); return }
  if (name == "documentroot") { served(known(W[2])); return }
  if ((name == "alias" || name == "scriptalias" || name == "wsgiscriptalias") && n >= 3) {
    path = known(W[3])
    served(path)
    # Alias /icons/ /srv/icons also serves /srv/icons.old.
    if (W[2] ~ /\/$/ && path !~ /\/$/) served(path "*")
    return
  }
  if (name == "aliasmatch" || name == "scriptaliasmatch" || name == "wsgiscriptaliasmatch") {
    if (n >= 3) served(literal(known(W[3]), "[$&\\\\*]"))
    return
  }
  if (name ~ /^virtual(document|script(alias)?)root|^virtualscriptalias|^virtualdocumentroot/) {
    if (tolower(W[2]) != "none") {
      path = known(W[2])
      gsub(/%(p|-?[0-9]+[+]?([.]-?[0-9]+[+]?)?)/, "*", path)
      served(path)
      served(literal(path, "[*]"))
    }
    return
  }
  if (name == "rewriterule" && n >= 3) {
    path = known(W[3])
    if (path ~ /^\/[^\/$%*]+\//) say("rewritten", oneline(literal(path, "[$%\\\\&*]")))
    return
  }
  if (name == "userdir") {
    if (tolower(W[2]) ~ /^(en|dis)abled?$/) return
    say("userdir", oneline(body))
    for (i = 2; i <= n; i++) {
      path = known(W[i])
      if (path ~ /:\/\//) continue
      if (path ~ /^\//) {
        if (path !~ /\*/) path = path "/*"
        served(path)
        served(literal(path, "[*]"))
      } else say("home", oneline(path))
    }
    return
  }
}
END

# is_text FILE: fails for a file with NUL bytes.
is_text() {
  tr -d '\000' <"$1" | cmp -s - "$1"
}

# ---------------------------------------------------------------------------------------------------
# Paths

# link_to FROM TARGET: a link in the archive. The target leads to the same file in the archive: an
# absolute target is written relative to the link.
link_to() {
  [ ! -h "$server$1" ] || return 0
  l_up= l_dir=${1%/*}
  case $2 in
    /*)
      while [ -n "$l_dir" ]; do l_up=../$l_up l_dir=${l_dir%/*}; done
      l_goal=$l_up${2#/}
      ;;
    *)
      # A target that leads above the root leads to the root.
      l_goal=$2
      l_rest=$2
      while [ -n "$l_rest" ]; do
        case $l_rest in */*) l_part=${l_rest%%/*} l_rest=${l_rest#*/} ;; *) l_part=$l_rest l_rest= ;; esac
        case $l_part in
          '' | .) ;;
          ..)
            if [ -n "$l_dir" ]; then
              l_dir=${l_dir%/*}
            else
              l_goal=$l_up$l_rest
              l_dir=${1%/*}
              while [ -n "$l_dir" ]; do l_goal=../$l_goal l_dir=${l_dir%/*}; done
            fi
            ;;
          *) l_dir=$l_dir/$l_part ;;
        esac
      done
      ;;
  esac
  ln -s -- "${l_goal:-.}" "$server$1" || die "cannot write below $work"
  to_line "$1"
  from=$line
  to_line "$2"
  printf 'link\t%s\t%s\n' "$from" "$line" >>"$facts/collected"
}

# Follows a path as the server does, and puts directories and links on the way into the archive.
# Sets $real (the path without links) and $kind: file, directory, other or none.
resolve() {
  rest=$1 real= hops=0 kind=none
  while [ -n "$rest" ]; do
    case $rest in
      */*) part=${rest%%/*} rest=${rest#*/} ;;
      *) part=$rest rest= ;;
    esac
    case $part in
      '' | .) continue ;;
      ..) real=${real%/*} && continue ;;
    esac
    if [ -h "$real/$part" ]; then
      hops=$((hops + 1))
      target=$(readlink "$real/$part" && printf '.') || target=.
      target=${target%"$nl".}
      if [ -z "$target" ] || [ "$target" = . ] || [ $hops -gt 40 ]; then
        real=$real/$part
        return
      fi
      saved=$rest
      link_to "$real/$part" "$target"
      rest=$target/$saved
      case $target in /*) real= ;; esac
      continue
    fi
    real=$real/$part
    if [ -d "$real" ]; then
      [ -d "$server$real" ] || mkdir "$server$real" || die "cannot write below $work"
    fi
  done
  if [ -d "$real/" ]; then
    kind=directory
  elif [ -f "$real" ]; then
    kind=file
  elif [ -e "$real" ]; then
    kind=other
  fi
}

exists() {
  [ -e "$1" ] || [ -h "$1" ]
}

# take FILE MODE: a file without links. Puts it into the archive without its passwords, and its
# facts into $work/read. Fails, with the reason in $why, if it is left out.
take() {
  why=
  to_line "$1"
  named=$line
  : >"$work/read"
  [ -r "$1" ] || { why='it cannot be read: run this as root' && return 1; }
  [ "$(wc -c <"$1")" -le 4000000 ] || { why='it is larger than 4 MB' && return 1; }
  is_text "$1" || { why='it is not text' && return 1; }
  case $named in *\\*) named=$(printf '%s\n' "$named" | sed 's/\\/\\\\/g') ;; esac
  awk -v MODE="$2" -v DEFINES="$work/defines" -v OUT="$work/text" -v FILE="$named" -f "$work/read.awk" - \
    <"$1" >"$work/read" || die "awk failed for $1"
  if [ ! -s "$work/read" ]; then
    cp "$1" "$server$1" || die "cannot write below $work"
    return 0
  fi
  if grep "^key$tab" "$work/read" >/dev/null; then
    why='it has a private key' && return 1
  fi
  if grep "^passwords$tab" "$work/read" >/dev/null; then
    why='it has lines of a password file' && return 1
  fi
  if grep "^secret$tab" "$work/read" >/dev/null; then
    cp "$work/text" "$server$1" || die "cannot write below $work"
    grep "^secret$tab" "$work/read" >>"$facts/collected"
  else
    cp "$1" "$server$1" || die "cannot write below $work"
  fi
  grep "^name$tab" "$work/read" >>"$facts/collected"
  return 0
}

# copy FILE: a start file, if it is there.
copy() {
  [ -f "$1" ] && [ -r "$1" ] || return 0
  resolve "$1"
  [ "$kind" = file ] && [ ! -e "$server$real" ] || return 0
  if take "$real" text; then fact took "$1" start; else fact left-out "$1" "$why"; fi
}

# ---------------------------------------------------------------------------------------------------
# What httpd says

ask() {
  # -f and -d come first, as given.
  name=$1
  shift
  limited 60 "$@" </dev/null >"$work/answer" 2>&1
  awk -v MODE=text -v DEFINES=/dev/null -v OUT="$facts/$name" -v FILE="$name" -f "$work/read.awk" - <"$work/answer" >/dev/null
}

running() {
  case $(uname -s) in
    Linux | SunOS) ps -eo args ;;
    *) ps -axo args ;;
  esac 2>/dev/null | awk '{
    program = $1
    sub(/.*\//, "", program)
    if (program ~ /^(httpd|httpd2?[-.](prefork|worker|event|itk)|httpd2|apache2|apache2-[a-z]+|apache22|apache)$/ && !seen[$0]++) print
  }' >"$work/running"
  awk -v MODE=text -v DEFINES=/dev/null -v OUT="$facts/running" -v FILE=ps -f "$work/read.awk" - <"$work/running" >/dev/null
  [ -f "$facts/running" ] || : >"$facts/running"
}

fact version 1
running
if [ -n "$main" ]; then main=$(absolute "$main") main=${main%.}; fi
if [ -n "$root" ]; then root=$(absolute "$root") root=${root%.}; fi
given_main=$main

# ask_all PROGRAM: fails if this is no httpd.
ask_all() {
  command -v "$1" >/dev/null 2>&1 || return 1
  if [ -n "$given_main" ] && [ -n "$root" ]; then
    set -- "$1" -d "$root" -f "$given_main"
  elif [ -n "$given_main" ]; then
    set -- "$1" -f "$given_main"
  elif [ -n "$root" ]; then
    set -- "$1" -d "$root"
  fi
  ask httpd-V "$@" -V
  grep 'Server version:' "$facts/httpd-V" >/dev/null 2>&1 || { rm -f "$facts/httpd-V" && return 1; }
  ask httpd-M "$@" -M
  ask httpd-S "$@" -S
  fact httpd "$1"
}

if [ "$asks" = yes ]; then
  if [ -n "$program" ]; then
    ask_all "$program" || die "$program -V does not say \"Server version\": it is no httpd" 2
  else
    ask_all apache2ctl || ask_all apachectl || ask_all httpd || ask_all apache2 || ask_all httpd2 ||
      printf 'collect: no httpd was found to ask with -V, -M and -S; --httpd names it\n' >&2
  fi
fi

compiled() {
  [ ! -f "$facts/httpd-V" ] || sed -n "s/^.*$1=\"\\(.*\\)\"[^\"]*\$/\\1/p" "$facts/httpd-V" | sed 1q
}

# started OPTION: the argument of -f or -d of the only running server.
started() {
  awk -v OPTION="$1" 'NR == 1 { for (i = 2; i < NF; i++) if ($i == OPTION) value = $(i + 1) } END { if (NR == 1) print value }' "$work/running"
}

# Another server than the one of -f has another root.
if [ -z "$root" ] && { [ -z "$main" ] || [ "$(started -f)" = "$main" ]; }; then root=$(started -d); fi
if [ -z "$root" ]; then root=$(compiled HTTPD_ROOT); fi
if [ -z "$main" ]; then main=$(started -f); fi
if [ -z "$main" ]; then main=$(compiled SERVER_CONFIG_FILE); fi
if [ -z "$main" ]; then
  for each in /etc/httpd/conf/httpd.conf /etc/apache2/apache2.conf /etc/apache2/httpd.conf \
    /usr/local/apache2/conf/httpd.conf /usr/local/etc/apache22/httpd.conf /usr/local/etc/apache24/httpd.conf \
    /private/etc/apache2/httpd.conf /opt/apache2/conf/httpd.conf; do
    if [ -f "$each" ]; then main=$each && break; fi
  done
fi
[ -n "$main" ] || die 'the main configuration file was not found: name it with -f FILE' 2
case $main in
  /*) ;;
  *) main=${root:-/etc/httpd}/$main ;;
esac
[ -f "$main" ] || die "$main does not exist: name the main configuration file with -f FILE" 2
if [ -z "$root" ]; then
  root=${main%/*}
  root=${root%/conf}
fi
root=${root:-/}
fact main "$main"
fact root "$root"

# ---------------------------------------------------------------------------------------------------
# The start files of distributions

for each in /etc/sysconfig/httpd /etc/sysconfig/apache2 /etc/default/apache2 /etc/apache2/envvars \
  /etc/conf.d/apache2 /etc/rc.conf /etc/rc.conf.local /etc/init.d/httpd /etc/init.d/apache2 \
  /etc/systemd/system/httpd.service /etc/systemd/system/apache2.service \
  /etc/systemd/system/httpd.service.d/*.conf /etc/systemd/system/apache2.service.d/*.conf \
  "${main%/*}/envvars" /etc/os-release /etc/*-release /etc/debian_version; do
  copy "$each"
done
uname -a >"$facts/uname" 2>/dev/null

# Variables of envvars: only lines that set a plain value.
if [ -f "$server${main%/*}/envvars" ]; then
  sed -n "s/^[ $tab]*export[ $tab][ $tab]*\\([A-Za-z_][A-Za-z0-9_]*\\)=\\(.*\\)\$/\\1$tab\\2/p" "$server${main%/*}/envvars" |
    sed -e 's/\$SUFFIX//g' -e 's/\${SUFFIX}//g' -e "s/$tab[\"']\\(.*\\)[\"'][ $tab]*\$/$tab\\1/" |
    grep -v '[$`]' >>"$work/defines"
fi

# ---------------------------------------------------------------------------------------------------
# The configuration

# queue PATH: a file or directory to read as configuration.
queue() {
  to_line "$1"
  printf '%s\n' "$line" >>"$work/next"
}

# include PATTERN DIRECTIVE
include() {
  case $1 in /*) pattern=$1 ;; *) pattern=$root/$1 ;; esac
  matched=
  case $pattern in
    *[*?[]*)
      for each in $pattern; do
        exists "$each" || continue
        matched=yes
        queue "$each"
      done
      # The directory without a match is evidence, too.
      prefix=${pattern%%[*?[]*}
      prefix=${prefix%/*}
      resolve "$prefix/"
      [ "$kind" != none ] || stand_in "$prefix"
      ;;
    *)
      if exists "$pattern"; then matched=yes && queue "$pattern"; fi
      ;;
  esac
  to_line "$1"
  [ -n "$matched" ] || fact include-none "$pattern" "$line"
}

# incomplete DIRECTORY REASON: a broken link tells httpd-upgrade that .htaccess files are missing.
incomplete() {
  resolve "$1"
  mark=$server$real/.not-collected
  [ ! -d "$mark" ] || return 0
  mkdir -p "$mark" || die "cannot write below $work"
  fact incomplete "$1" "$2"
  while IFS= read -r each; do
    from_line "$each"
    case $text in */*) text=.htaccess ;; esac
    [ -h "$mark/$text" ] || ln -s not-collected "$mark/$text"
  done <"$work/names"
}

# stand_in DIRECTORY: an empty directory says that nothing is there on the server. Uses $real.
stand_in() {
  fact absent "$1"
  [ -h "$server$real" ] || mkdir -p -- "$server$real" || die "cannot write below $work"
  to_line "${1%/*}"
  printf '%s\n' "$line" >>"$work/around"
}

# A directory that the server may serve.
serve() {
  case $1 in /*) s_dir=$1 ;; *) s_dir=$root/$1 ;; esac
  while :; do
    case $s_dir in
      /)
        incomplete / 'the whole file system is served'
        return
        ;;
      */) s_dir=${s_dir%/} ;;
      *) break ;;
    esac
  done
  [ -n "$s_dir" ] || return
  to_line "$s_dir"
  printf '%s\n' "$line" >>"$work/tops"
}

serve_pattern() {
  case $1 in /*) pattern=$1 ;; *) pattern=$root/$1 ;; esac
  case $pattern in /\**) return ;; esac
  for each in $pattern; do
    if [ -d "$each" ]; then serve "$each"; fi
  done
}

# Reads the facts of a configuration file.
use_facts() {
  while IFS=$tab read -r kind value more; do
    from_line "$value"
    case $kind in
      include | includeoptional) include "$text" ;;
      serverroot)
        case $text in
          /*[*]*) ;;
          /*) [ -n "$has_root" ] || { root=$text && has_root=yes; } ;;
        esac
        ;;
      define) printf '%s\t%s\n' "$value" "$more" >>"$work/learned" ;;
      variable) : >"$work/unknown" ;;
      ifdefine) fact ifdefine "$text" ;;
      accessfile) printf '%s\n' "$value" >>"$work/names" ;;
      served) serve "$text" ;;
      pattern) serve_pattern "$text" ;;
      rewritten) if [ -d "$text" ]; then serve "$text"; fi ;;
      userdir) fact userdir "$text" ;;
      home) printf '%s\n' "$value" >>"$work/homes" ;;
    esac
  done <"$1"
}

read_configuration() {
  : >"$work/seen"
  : >"$work/next"
  printf '.htaccess\n' >"$work/names"
  : >"$work/homes"
  : >"$work/learned"
  rm -f "$work/unknown" "$work/around"
  has_root=
  queue "$main"
  count=0
  while [ -s "$work/next" ]; do
    mv "$work/next" "$work/now"
    : >"$work/next"
    while IFS= read -r entry; do
      from_line "$entry"
      path=$text
      resolve "$path"
      # The archive itself may be below a directory that is included.
      case $real in "$work" | "$work"/*) continue ;; esac
      to_line "$real"
      if grep -F -x -e "$line" "$work/seen" >/dev/null; then continue; fi
      printf '%s\n' "$line" >>"$work/seen"
      count=$((count + 1))
      [ $count -le 20000 ] || die 'the configuration has more than 20000 files'
      case $kind in
        directory)
          dir=$real
          for each in "$dir"/* "$dir"/.[!.]* "$dir"/..?*; do
            if exists "$each"; then queue "$each"; fi
          done
          ;;
        file)
          if take "$real" conf; then
            cp "$work/read" "$work/facts-of-file"
            fact took "$path" configuration
            use_facts "$work/facts-of-file"
          else
            case $why in *'run this as root') die "$path: $why" ;; esac
            fact left-out "$path" "$why"
          fi
          ;;
        none) fact include-none "$path" ;;
        other) fact left-out "$path" 'it is no file' ;;
      esac
    done <"$work/now"
  done
}

before=$(wc -l <"$facts/collected")
read_configuration
# A variable may have been read before the file that defines it.
if [ -f "$work/unknown" ] && [ -s "$work/learned" ]; then
  cat "$work/learned" >>"$work/defines"
  awk -v BEFORE="$before" 'NR <= BEFORE || $1 == "link"' "$facts/collected" >"$work/facts"
  cat "$work/facts" >"$facts/collected"
  read_configuration
fi

# ---------------------------------------------------------------------------------------------------
# Configuration that the server does not read now: sites that are not enabled, old copies

# take_unread DIRECTORY: its files with the names of configuration files. No links.
take_unread() {
  for each in "$1"/*; do
    [ -f "$each" ] && [ ! -h "$each" ] || continue
    case ${each##*/} in
      *.conf | *.conf.* | *.conf-* | *.load) ;;
      *) case $1 in */*-available | */*-disabled | */conf.d | */vhosts.d) ;; *) continue ;; esac ;;
    esac
    to_line "$each"
    if grep -F -x -e "$line" "$work/seen" >/dev/null; then continue; fi
    printf '%s\n' "$line" >>"$work/seen"
    count=$((count + 1))
    [ $count -le 20000 ] || return 0
    resolve "$each"
    if take "$real" conf; then fact took "$each" dormant; fi
  done
}

# The directories of the files that it reads, below the one of the main file.
resolve "$main"
base=${real%/*}
case $base in */conf) base=${base%/conf} ;; esac
cp "$work/seen" "$work/now"
: >"$work/checked"
while IFS= read -r entry; do
  from_line "$entry"
  dir=${text%/*}
  case $dir in "$base" | "$base"/*) ;; *) continue ;; esac
  to_line "$dir"
  if grep -F -x -e "$line" "$work/checked" >/dev/null; then continue; fi
  printf '%s\n' "$line" >>"$work/checked"
  take_unread "$dir"
  for each_dir in "$dir"/*-available "$dir"/*-disabled "${dir%/*}"/*-available "${dir%/*}"/*-disabled; do
    [ -d "$each_dir" ] && [ ! -h "$each_dir" ] || continue
    to_line "$each_dir"
    if grep -F -x -e "$line" "$work/checked" >/dev/null; then continue; fi
    printf '%s\n' "$line" >>"$work/checked"
    take_unread "$each_dir"
  done
done <"$work/now"

# ---------------------------------------------------------------------------------------------------
# .htaccess files below what is served

# Directories of users: the homes in the list of users, and those in /home.
if [ -s "$work/homes" ]; then
  { getent passwd 2>/dev/null || cat /etc/passwd; } | awk -F: '$6 ~ /^\/./ { print $6 }' | sort -u >"$work/users"
  for each in /home/* /Users/*; do
    if [ -d "$each" ]; then printf '%s\n' "$each"; fi
  done >>"$work/users"
  sort -u "$work/homes" >"$work/words"
  while IFS= read -r word; do
    from_line "$word"
    folder=$text
    while IFS= read -r home; do
      [ -d "$home" ] || continue
      if [ -d "$home/$folder" ]; then serve "$home/$folder"; fi
      # The .htaccess file of a home also decides access to what is missing in it.
      fact home "$home/$folder"
      to_line "$home"
      printf '%s\n' "$line" >>"$work/around"
    done <"$work/users"
  done <"$work/words"
fi

sort -u "$work/names" >"$work/sorted"
mv "$work/sorted" "$work/names"

# -name tests for find, as arguments of this function's caller: see search.
cat >"$work/list" <<'END'
nl='
'
tab=$(printf '\t')
for file; do
  case $file in
    *[\\"$nl$tab"]*)
      printf '%s\n' "$file" | sed -e 's/\\/\\\\/g' -e "s/$tab/\\\\t/g" |
        awk 'NR > 1 { printf "%s", "\\n" } { printf "%s", $0 } END { print "" }'
      ;;
    *) printf '%s\n' "$file" ;;
  esac
done
END

now() {
  date +%s
}
begun=$(now)
htaccess=0
searching=

# take_htaccess PATH
take_htaccess() {
  resolve "$1"
  case $kind in
    file)
      [ ! -e "$server$real" ] || return 0
      # A link of a user may lead to a file that only root can read.
      case ${real##*/} in
        *htaccess*) ;;
        *)
          to_line "${real##*/}"
          if ! grep -F -x -e "$line" "$work/names" >/dev/null; then
            fact left-out "$1" 'it is a link to a file with another name'
            incomplete "${1%/*}" "$1: it is a link to a file with another name"
            return
          fi
          ;;
      esac
      if [ "$most" -gt 0 ] && [ $htaccess -ge "$most" ]; then
        incomplete "${searching:-${1%/*}}" 'there are more .htaccess files than --htaccess allows'
        return
      fi
      htaccess=$((htaccess + 1))
      if take "$real" htaccess; then
        fact took "$1" htaccess
      else
        fact left-out "$1" "$why"
        incomplete "${1%/*}" "$1: $why"
      fi
      ;;
    none) ;;
    *) incomplete "${1%/*}" "$1: it is no file" ;;
  esac
}

# names_in DIRECTORY: the .htaccess file of this directory only.
names_in() {
  while IFS= read -r each; do
    from_line "$each"
    if exists "${1%/}/$text"; then take_htaccess "${1%/}/$text"; fi
  done <"$work/names"
}

# search DIRECTORY: a path without links.
search() {
  dir=$1
  searching=$1
  set -- -type l
  while IFS= read -r each; do
    from_line "$each"
    # find compares a pattern with a name.
    plain=$(printf '%s\n' "${text##*/}" | sed 's/[][*?\\]/\\&/g')
    set -- "$@" -o -name "$plain"
  done <"$work/names"
  left=0
  if [ "$seconds" -gt 0 ]; then
    left=$((seconds - $(now) + begun))
    if [ $left -le 0 ]; then
      incomplete "$dir" "the search took longer than $seconds seconds"
      return
    fi
  fi
  status=0
  if [ "$seconds" -gt 0 ]; then
    limited $left find "$dir" '(' "$@" ')' -exec sh "$work/list" '{}' + >"$work/found" 2>"$work/errors" || status=$?
  else
    find "$dir" '(' "$@" ')' -exec sh "$work/list" '{}' + >"$work/found" 2>"$work/errors" || status=$?
  fi
  if [ $status = 124 ]; then
    incomplete "$dir" "the search took longer than $seconds seconds"
  elif [ $status != 0 ] || [ -s "$work/errors" ]; then
    incomplete "$dir" "$(sed 1q "$work/errors")"
  fi
  fact searched "$dir"
  while IFS= read -r entry; do
    from_line "$entry"
    path=$text
    case $path in "$work"/*) continue ;; esac
    if [ -h "$path" ] && [ -d "$path/" ]; then
      serve "$path"
      continue
    fi
    base=${path##*/}
    to_line "$base"
    if [ -h "$path" ] && ! grep -F -x -e "$line" "$work/names" >/dev/null; then continue; fi
    take_htaccess "$path"
  done <"$work/found"
  searching=
}

# searched DIRECTORY: whether it is at or below a directory that was searched.
is_searched() {
  i_dir=$1
  while [ -n "$i_dir" ]; do
    to_line "$i_dir"
    if grep -F -x -e "$line" "$work/searched" >/dev/null; then return 0; fi
    i_dir=${i_dir%/*}
  done
  return 1
}

while [ -s "$work/tops" ]; do
  # Short paths first, because they contain others.
  sort -u "$work/tops" >"$work/now"
  : >"$work/tops"
  while IFS= read -r entry; do
    from_line "$entry"
    path=$text
    resolve "$path"
    place=$real
    case $kind in
      directory)
        to_line "$place"
        printf '%s\n' "$line" >>"$work/around"
        to_line "${path%/*}"
        printf '%s\n' "$line" >>"$work/around"
        if [ -z "$place" ]; then
          incomplete / "$path leads to the whole file system"
          continue
        fi
        if is_searched "$place"; then continue; fi
        to_line "$place"
        printf '%s\n' "$line" >>"$work/searched"
        search "$place"
        ;;
      none) stand_in "$path" ;;
      *)
        # Only its name: an empty file stands for it.
        [ -e "$server$place" ] || { : >"$server$place" && fact stands-for "$path"; }
        ;;
    esac
  done <"$work/now"
done

# The server also reads the .htaccess files of the directories above.
if [ -f "$work/around" ]; then
  sort -u "$work/around" >"$work/now"
  : >"$work/checked"
  while IFS= read -r entry; do
    from_line "$entry"
    place=$text
    while :; do
      to_line "${place:-/}"
      if grep -F -x -e "$line" "$work/checked" >/dev/null; then break; fi
      printf '%s\n' "$line" >>"$work/checked"
      if [ -d "${place:-/}" ]; then
        dir=$place
        resolve "${place:-/}"
        names_in "${dir:-/}"
      fi
      [ -n "$place" ] || break
      place=${place%/*}
    done
  done <"$work/now"
fi

# ---------------------------------------------------------------------------------------------------
# Packages

if command -v rpm >/dev/null 2>&1; then
  {
    rpm -q httpd mod_ssl php apache2 2>/dev/null
    limited 120 rpm -V httpd </dev/null 2>/dev/null
  } >"$facts/packages"
elif command -v dpkg-query >/dev/null 2>&1; then
  limited 120 dpkg-query -W -f='${Package} ${Version}\n${Conffiles}\n' 'apache2*' 'libapache2*' </dev/null \
    >"$facts/packages" 2>/dev/null
elif command -v pkg >/dev/null 2>&1; then
  limited 60 pkg info </dev/null >"$facts/packages" 2>/dev/null
fi

# ---------------------------------------------------------------------------------------------------
# The archive

cat >"$top/README.txt" <<'END'
httpd-upgrade collected the configuration of a server here.
server/  the files, at their places on the server; passwords are replaced by REMOVED...
facts/   what httpd -V, -M and -S print, packages, and what was taken and left out
Next: httpd-upgrade plan ARCHIVE, or httpd-upgrade plan httpd-collected
END

if [ -z "$out" ]; then
  host=$(uname -n | tr -cd 'A-Za-z0-9.-')
  out=httpd-collected-${host:-server}-$(date +%Y%m%d-%H%M%S).tar.gz
fi
case $out in /*) ;; *) out=$here/$out ;; esac
if exists "$out"; then die "$out exists already" 2; fi
(set -C && : >"$out") 2>/dev/null || die "cannot write $out"
if ! {
  (cd "$work" && COPYFILE_DISABLE=1 tar cf - httpd-collected || : >"$work/failed") | gzip -c >>"$out"
} || [ -f "$work/failed" ]; then
  rm -f "$out"
  die "cannot write $out"
fi
chmod 600 "$out"

# ---------------------------------------------------------------------------------------------------
# The report

shown() {
  tr -d '\001-\010\013-\037\177' | sed "s/$tab/: /g"
}

total() {
  grep -c "^$1$tab" "$facts/collected"
}

# listed KIND TITLE
listed() {
  amount=$(total "$1")
  if [ "$amount" -gt 0 ]; then
    printf '\n%s\n' "$2"
    sed -n "s/^$1$tab/  /p" "$facts/collected" | sort -u | sed 20q | shown
    if [ "$amount" -gt 20 ]; then printf '  ... (all: facts/collected in the archive)\n'; fi
  fi
}

{
  printf 'Wrote %s (only you can read it).\n' "$out"
  printf 'Took %s configuration files from %s, %s that it does not read, %s .htaccess files, %s start files.\n' \
    "$(grep -c "^took$tab.*${tab}configuration\$" "$facts/collected")" "$main" \
    "$(grep -c "^took$tab.*${tab}dormant\$" "$facts/collected")" \
    "$(grep -c "^took$tab.*${tab}htaccess\$" "$facts/collected")" \
    "$(grep -c "^took$tab.*${tab}start\$" "$facts/collected")"
  if [ -f "$facts/httpd-V" ]; then
    printf 'Asked httpd: -V, -M, -S.\n'
  else
    printf 'Did not ask httpd.\n'
  fi
  listed secret 'Replaced passwords (file, line, directive):'
  listed name 'Took only the names of:'
  listed left-out 'Left out:'
  listed incomplete '.htaccess files are missing below (run again, as root, or with --seconds 0 --htaccess 0):'
  listed include-none 'Included, but not on this server:'
  printf '\nNext, on the machine with httpd-upgrade:\n  httpd-upgrade plan %s\n' "${out##*/}"
} | shown
