/** Text of the database as Markdown that shows just that text, on one line; nothing for none. */
export function inline(text: string | null): string {
  return (text ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/[\\`*[\]<>|~&]|(?<!\w)_|_(?!\w)/g, '\\$&')
    .replace(/^[#+-]/, '\\$&')
    .replace(/^(\d+)([.)])/, '$1\\$2')
}

/** A name or an expression in code type, within a table's cell or outside of one. */
export function code(text: string): string {
  const oneLine = text.replaceAll(/\s+/g, ' ')
  const longest = Math.max(0, ...[...oneLine.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const space = longest > 0 ? ' ' : ''
  // in a table every | ends a cell unless \ is before it, code or not
  return `${fence}${space}${oneLine.replaceAll('|', '\\|')}${space}${fence}`
}

/** Names, one after the other. */
export function codes(names: readonly string[]): string {
  return names.map(code).join(', ')
}

/** A table; cells are Markdown already. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n')
}
