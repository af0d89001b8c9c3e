import { endOfComment } from '../read/query.ts'

/** The statements of a text as Postgres separates them, without the semicolons; a text that ends within a literal is left whole. */
export function statementsOf(sql: string): string[] {
  const statements: string[] = []
  let start = 0
  for (let at = 0; at < sql.length; ) {
    if (sql[at] === ';') {
      statements.push(sql.slice(start, at))
      start = ++at
    } else at = endOfToken(sql, at)
  }
  return [...statements, sql.slice(start)]
}

/** Letters, digits and all beyond ASCII; a dollar sign is one except at the beginning. */
const WORD = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y
const NUMBER = /\d[\w$\u0080-\uffff]*/y
const PARAMETER = /\$\d+/y
const LINE_COMMENT = /--[^\n\r]*/y
const PLAIN_TEXT = /'[^']*(?:'|$)/y
const NAME = /"[^"]*(?:"|$)/y
const DOLLAR = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y
/** A literal may continue after a line end. */
const CONTINUED = /(?:[ \t\f\v]|--[^\n\r]*)*[\n\r](?:[ \t\f\v\n\r]|--[^\n\r]*[\n\r])*(?=')/y

function endOfToken(sql: string, at: number): number {
  const word = endOf(WORD, sql, at)
  if (word !== null) return sql[word] === "'" && /^e$/i.test(sql.slice(at, word)) ? endOfEscaped(sql, word) : word
  const dollar = endOf(DOLLAR, sql, at)
  if (dollar !== null) {
    const end = sql.indexOf(sql.slice(at, dollar), dollar)
    return end === -1 ? sql.length : end + dollar - at
  }
  if (sql.startsWith('/*', at)) return endOfComment(sql, at)
  for (const token of [NUMBER, PARAMETER, LINE_COMMENT, PLAIN_TEXT, NAME]) {
    const end = endOf(token, sql, at)
    if (end !== null) return end
  }
  return at + 1
}

/** Of a text such as E'it\\'s'. @param at its first quote */
function endOfEscaped(sql: string, at: number): number {
  for (let end = at + 1; end < sql.length; end++) {
    if (sql[end] === '\\') end++
    else if (sql[end] === "'") {
      const next = endOf(CONTINUED, sql, end + 1) ?? end + 1
      if (sql[next] !== "'") return end + 1
      end = next
    }
  }
  return sql.length
}

function endOf(token: RegExp, sql: string, at: number): number | null {
  token.lastIndex = at
  return token.test(sql) ? token.lastIndex : null
}
