/**
 * Small parts of template languages, as far as this suite needs them: how each writes a condition,
 * a loop, a value and a comment, and how it renders them. A template of the suite is written once,
 * in our own notation (`«if open»`, `«=port»`), and translated into each language; a language
 * renders its own text.
 */

/** A line is text, or one of these. */
export type Value = string | boolean | readonly string[];
export type Values = Readonly<Record<string, Value>>;

export interface Language {
  readonly name: string;
  /** Its statements are lines. */
  readonly isByLine?: true;
  /** Its lines could be those of a module. */
  readonly isUnknown?: true;
  /**
   * Its values look like httpd's variables or parameters of a macro, so the name of such a line
   * still gets a warning.
   */
  readonly isLikeHttpd?: true;
  readonly write: {
    readonly if: (name: string) => string;
    readonly else: string;
    readonly end: string;
    readonly value: (name: string, isOfLoop: boolean) => string;
    readonly remark?: (text: string) => string;
    readonly for?: (item: string, list: string) => string;
    readonly endFor?: string;
  };
  /** How it is read. The name is the first group, of a loop the item and the list. */
  readonly read: {
    readonly if: RegExp;
    readonly else: RegExp;
    readonly end: RegExp;
    readonly value: RegExp;
    readonly remark?: RegExp;
    readonly for?: RegExp;
  };
}

export const LANGUAGES: readonly Language[] = [
  {
    name: 'Jinja',
    write: {
      if: (name) => `{% if ${name} %}`,
      else: '{% else %}',
      end: '{% endif %}',
      value: (name) => `{{ ${name} }}`,
      remark: (text) => `{# ${text} #}`,
      for: (item, list) => `{% for ${item} in ${list} %}`,
      endFor: '{% endfor %}',
    },
    read: {
      if: /\{% if (\w+) %\}/,
      else: /\{% else %\}/,
      end: /\{% end\w+ %\}/,
      value: /\{\{ (\w+) \}\}/,
      remark: /\{#[^]*?#\}/,
      for: /\{% for (\w+) in (\w+) %\}/,
    },
  },
  {
    name: 'ERB',
    write: {
      if: (name) => `<% if @${name} -%>`,
      else: '<% else -%>',
      end: '<% end -%>',
      value: (name, isOfLoop) => `<%= ${isOfLoop ? '' : '@'}${name} %>`,
      remark: (text) => `<%# ${text} %>`,
      for: (item, list) => `<% @${list}.each do |${item}| -%>`,
      endFor: '<% end -%>',
    },
    read: {
      if: /<% if @(\w+) -%>/,
      else: /<% else -%>/,
      end: /<% end -%>/,
      value: /<%= @?(\w+) %>/,
      remark: /<%#[^]*?%>/,
      for: /<% (?=@(\w+)\.each do \|(\w+)\|)@\w+\.each do \|\w+\| -%>/,
    },
  },
  {
    name: 'EPP',
    write: {
      if: (name) => `<%- if $${name} { -%>`,
      else: '<%- } else { -%>',
      end: '<%- } -%>',
      value: (name) => `<%= $${name} %>`,
      remark: (text) => `<%#- ${text} -%>`,
      for: (item, list) => `<%- $${list}.each |$${item}| { -%>`,
      endFor: '<%- } -%>',
    },
    read: {
      if: /<%- if \$(\w+) \{ -%>/,
      else: /<%- \} else \{ -%>/,
      end: /<%- \} -%>/,
      value: /<%= \$(\w+) %>/,
      remark: /<%#[^]*?%>/,
      for: /<%- \$(\w+)\.each \|\$(\w+)\| \{ -%>/,
    },
  },
  {
    name: 'Go',
    write: {
      if: (name) => `{{- if .${name} }}`,
      else: '{{- else }}',
      end: '{{- end }}',
      value: (name, isOfLoop) => `{{ ${isOfLoop ? '$' : '.'}${name} }}`,
      remark: (text) => `{{/* ${text} */}}`,
      for: (item, list) => `{{- range $${item} := .${list} }}`,
      endFor: '{{- end }}',
    },
    read: {
      if: /\{\{- if \.(\w+) \}\}/,
      else: /\{\{- else \}\}/,
      end: /\{\{- end \}\}/,
      value: /\{\{ [.$](\w+) \}\}/,
      remark: /\{\{\/\*[^]*?\*\/\}\}/,
      for: /\{\{- range \$(\w+) := \.(\w+) \}\}/,
    },
  },
  {
    name: 'Handlebars',
    write: {
      if: (name) => `{{#if ${name}}}`,
      else: '{{else}}',
      end: '{{/if}}',
      value: (name) => `{{${name}}}`,
      remark: (text) => `{{!-- ${text} --}}`,
      for: (item, list) => `{{#each ${list} as |${item}|}}`,
      endFor: '{{/each}}',
    },
    read: {
      if: /\{\{#if (\w+)\}\}/,
      else: /\{\{else\}\}/,
      end: /\{\{\/\w+\}\}/,
      value: /\{\{(\w+)\}\}/,
      remark: /\{\{!--[^]*?--\}\}/,
      for: /\{\{#each (\w+) as \|(\w+)\|\}\}/,
    },
  },
  {
    name: 'Template Toolkit',
    write: {
      if: (name) => `[% IF ${name} -%]`,
      else: '[% ELSE -%]',
      end: '[% END -%]',
      value: (name) => `[% ${name} %]`,
      remark: (text) => `[%# ${text} %]`,
      for: (item, list) => `[% FOREACH ${item} IN ${list} -%]`,
      endFor: '[% END -%]',
    },
    read: {
      if: /\[% IF (\w+) -%\]/,
      else: /\[% ELSE -%\]/,
      end: /\[% END -%\]/,
      value: /\[% (\w+) %\]/,
      remark: /\[%#[^]*?%\]/,
      for: /\[% FOREACH (\w+) IN (\w+) -%\]/,
    },
  },
  {
    name: 'PHP',
    write: {
      if: (name) => `<?php if ($${name}): ?>`,
      else: '<?php else: ?>',
      end: '<?php endif ?>',
      value: (name) => `<?= $${name} ?>`,
      remark: (text) => `<?php /* ${text} */ ?>`,
      for: (item, list) => `<?php foreach ($${list} as $${item}): ?>`,
      endFor: '<?php endforeach ?>',
    },
    read: {
      if: /<\?php if \(\$(\w+)\): \?>/,
      else: /<\?php else: \?>/,
      end: /<\?php end\w+ \?>/,
      value: /<\?= \$(\w+) \?>/,
      remark: /<\?php \/\*[^]*?\*\/ \?>/,
      for: /<\?php foreach \(\$(\w+) as \$(\w+)\): \?>/,
    },
  },
  {
    name: 'Velocity',
    isLikeHttpd: true,
    write: {
      if: (name) => `#if($${name})`,
      else: '#else',
      end: '#end',
      value: (name) => `$${name}`,
      remark: (text) => `## ${text.replace(/\n/g, '\n## ')}`,
      for: (item, list) => `#foreach($${item} in $${list})`,
      endFor: '#end',
    },
    read: {
      if: /#if\(\$(\w+)\)/,
      else: /#else/,
      end: /#end/,
      value: /\$([a-z]\w*)/,
      for: /#foreach\(\$(\w+) in \$(\w+)\)/,
      remark: /##.*(?:\n##.*)*/,
    },
  },
  {
    name: 'Mako',
    isByLine: true,
    isLikeHttpd: true,
    write: {
      if: (name) => `% if ${name}:`,
      else: '% else:',
      end: '% endif',
      value: (name) => `\${${name}}`,
      for: (item, list) => `% for ${item} in ${list}:`,
      endFor: '% endfor',
    },
    read: {
      if: /% if (\w+):/,
      else: /% else:/,
      end: /% end(?:if|for)/,
      value: /\$\{(\w+)\}/,
      for: /% for (\w+) in (\w+):/,
    },
  },
  {
    name: 'FreeMarker',
    isLikeHttpd: true,
    write: {
      if: (name) => `<#if ${name}>`,
      else: '<#else>',
      end: '</#if>',
      value: (name) => `\${${name}}`,
      remark: (text) => `<#-- ${text} -->`,
      for: (item, list) => `<#list ${list} as ${item}>`,
      endFor: '</#list>',
    },
    read: {
      if: /<#if (\w+)>/,
      else: /<#else>/,
      end: /<\/#\w+>/,
      value: /\$\{(\w+)\}/,
      remark: /<#--[^]*?-->/,
      for: /<#list (\w+) as (\w+)>/,
    },
  },
  {
    name: 'Smarty',
    write: {
      if: (name) => `{if $${name}}`,
      else: '{else}',
      end: '{/if}',
      value: (name) => `{$${name}}`,
      for: (item, list) => `{foreach $${list} as $${item}}`,
      endFor: '{/foreach}',
    },
    read: {
      if: /\{if \$(\w+)\}/,
      else: /\{else\}/,
      end: /\{\/\w+\}/,
      value: /\{\$(\w+)\}/,
      for: /\{foreach \$(\w+) as \$(\w+)\}/,
    },
  },
  {
    name: 'm4',
    write: {
      if: (name) => `ifdef(\`${name}', \``,
      else: "', `",
      end: "')",
      value: (name) => `m4_${name}()`,
      remark: (text) => `dnl ${text.replace(/\n/g, '\ndnl ')}`,
    },
    read: { if: /ifdef\(`(\w+)', `/, else: /', `/, end: /'\)/, value: /m4_(\w+)\(\)/, remark: /dnl.*(?:\ndnl.*)*/ },
  },
  {
    name: 'autoconf',
    write: { if: (name) => `@IF_${name}@`, else: '@ELSE@', end: '@FI@', value: (name) => `@${name}@` },
    read: { if: /@IF_(\w+)@/, else: /@ELSE@/, end: /@FI@/, value: /@([a-z]\w*)@/ },
  },
  {
    name: 'words of nobody knows which language',
    isByLine: true,
    isUnknown: true,
    write: { if: (name) => `WHEN ${name}`, else: 'OTHERWISE', end: 'DONE', value: (name) => `%${name}%` },
    read: { if: /WHEN (\w+)/, else: /OTHERWISE/, end: /DONE/, value: /%([a-z]\w*)%/ },
  },
];

/** Our marks: `«if x»`, `«else»`, `«end»`, `«for x in xs»`, `«done»`, `«=x»`, `«# remark»`. */
const MARKS: Language = {
  name: 'marks',
  write: { if: () => '', else: '', end: '', value: () => '' },
  read: {
    if: /«if (\w+)»/,
    else: /«else»/,
    end: /«(?:end|done)»/,
    value: /«=(\w+)»/,
    remark: /«#[^]*?»/,
    for: /«for (\w+) in (\w+)»/,
  },
};

/** The renderings of our notation, which each language must produce, too. */
export function rendered(marked: string, values: Values): string {
  return render(marked, MARKS, values);
}

/** The text in a language; null where that has no such thing. */
export function inLanguage(marked: string, { write, isByLine }: Language): string | null {
  const items = [...marked.matchAll(/«for (\w+) in/g)].map(([, item]) => item);
  if (items.length > 0 && !write.for) return null;
  if ((marked.includes('«#') && !write.remark) || (isByLine && /^(?!\s*«[^»]*»\s*$).*«(?:if|else|end)/m.test(marked)))
    return null;
  return marked
    .replace(/«if (\w+)»/g, (_, name: string) => write.if(name))
    .replace(/«for (\w+) in (\w+)»/g, (_, item: string, list: string) => write.for!(item, list))
    .replace(/«# ([^]*?)»/g, (_, text: string) => write.remark!(text))
    .replace(/«=(\w+)»/g, (_, name: string) => write.value(name, items.includes(name)))
    .replace(/«else»/g, write.else)
    .replace(/«end»/g, write.end)
    .replace(/«done»/g, write.endFor ?? '');
}

/**
 * What a template renders. A line that has nothing but a statement or a remark goes with its line
 * end.
 */
export function render(text: string, { read }: Language, values: Values): string {
  const of = (kind: keyof Language['read'], flags = '') => (read[kind] ? new RegExp(read[kind].source, flags) : null);
  const alternatives = (['remark', 'for', 'if', 'else', 'end', 'value'] as const).flatMap(
    (kind) => read[kind]?.source ?? [],
  );
  const statements = alternatives.slice(0, -1).join('|');
  const bare = read.remark ? text.replace(new RegExp(`^[ \\t]*(?:${read.remark.source})[ \\t]*\\n`, 'gm'), '') : text;
  const flat = bare.replace(new RegExp(`^[ \\t]*(?:${statements})[ \\t]*\\n`, 'gm'), (line) => line.trim());
  const tokens = flat.split(
    new RegExp(`(${alternatives.map((source) => source.replace(/(?<!\\)\((?!\?)/g, '(?:')).join('|')})`),
  );
  let position = 0;
  const is = (kind: keyof Language['read'], token: string) => of(kind)?.exec(token)?.[0] === token;
  const block = (known: Values, isShown: boolean): string => {
    let out = '';
    for (; position < tokens.length; position++) {
      const token = tokens[position];
      if (is('remark', token)) continue;
      if (is('else', token) || is('end', token)) return out;
      const loop = is('for', token) ? of('for')!.exec(token)! : null;
      if (loop) {
        // Whichever of the two is a list is what is gone through.
        const [item, list] = Array.isArray(known[loop[2]]) ? [loop[1], loop[2]] : [loop[2], loop[1]];
        const start = ++position;
        const each = known[list] as readonly string[];
        for (const one of each) {
          position = start;
          const body = block({ ...known, [item]: one }, isShown);
          if (isShown) out += body;
        }
        if (each.length === 0) block(known, false);
      } else if (is('if', token)) {
        const isTrue = known[of('if')!.exec(token)![1]] === true;
        position++;
        const first = block(known, isShown && isTrue);
        let second = '';
        if (is('else', tokens[position])) {
          position++;
          second = block(known, isShown && !isTrue);
        }
        if (isShown) out += isTrue ? first : second;
      } else if (is('value', token)) out += String(known[of('value')!.exec(token)![1]] ?? token);
      else out += token;
    }
    return out;
  };
  return block(values, true);
}
