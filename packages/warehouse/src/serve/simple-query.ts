import { serialize } from 'pg-protocol'
import { startOf } from '../read/query.ts'
import type { Backend } from './backend.ts'
import { refusal } from './gate.ts'
import { errorMessage, fieldOf, type Message, message, messagesOf, movedError } from './messages.ts'
import { statementsOf } from './statements.ts'

/** A text may have this many statements. */
const MOST_STATEMENTS = 1000

/** Code of Postgres for a statement in a failed transaction: it has parsed the text, and nothing else. */
const IN_FAILED_TRANSACTION = '25P02'

/** What is done with a simple query: it runs as it is here, or the client gets an answer instead. */
export type SimpleQuery = { readonly run: Buffer } | { readonly answer: Buffer }

/**
 * Decides whether the statements of a text may run. The gate checks the first word of each statement, so it must know where each begins.
 * Therefore Postgres itself must find exactly one statement in each part.
 * @param status of the transaction, as Postgres tells clients: `I` none, `T` open, `E` failed
 */
export async function checkedQuery(backend: Backend, sql: string, status: string): Promise<SimpleQuery> {
  const statements = statementsOf(sql)
  const refuse = (code: string, reason: string): SimpleQuery => ({
    answer: Buffer.concat([errorMessage('ERROR', code, reason), message('Z', Buffer.from(status))]),
  })
  if (statements.length > MOST_STATEMENTS) return refuse('54000', `more than ${MOST_STATEMENTS} statements in one text`)
  for (const statement of statements) {
    const reason = refusal(statement)
    if (reason !== null) return refuse('42501', reason)
  }
  if (statements.filter((statement) => startOf(statement) < statement.length).length <= 1) {
    const answer = await ask(backend, [serialize.parse({ text: sql }), serialize.sync()])
    return isStatement(messagesOf(answer)) ? { run: serialize.query(sql) } : { answer }
  }
  const error = await errorOf(backend, statements, status)
  if (error === null) {
    // a line end closes a comment that would otherwise hide the semicolon and the next statement
    const isOpen = statements.slice(0, -1).some((statement) => /--[^\n\r]*$/.test(statement))
    return { run: serialize.query(isOpen ? statements.join('\n;') : sql) }
  }
  if (status === 'T') await ask(backend, [FAILURE])
  return { answer: Buffer.concat([error, message('Z', Buffer.from(status === 'I' ? 'I' : 'E'))]) }
}

/** Whether Postgres confirmed that a text has at most one statement. */
function isStatement(answer: readonly Message[]): boolean {
  return answer.some(({ type }) => type === '1') && answer.every(({ type }) => type !== 'E')
}

/**
 * The error of the first text that is not a statement. Postgres is asked in a transaction that has failed: there it parses a text, and looks up no
 * name in it, as a later statement may need what an earlier one sets.
 */
async function errorOf(backend: Backend, statements: readonly string[], status: string): Promise<Buffer | null> {
  const { before, after } = status === 'E' ? NOTHING : status === 'T' ? IN_SAVEPOINT : IN_TRANSACTION
  if (before.length > 0) await ask(backend, before)
  let position = 0
  let found: Buffer | null = null
  for (const text of statements) {
    const answer = messagesOf(await ask(backend, [serialize.parse({ text }), serialize.sync()]))
    const error = answer.find(({ type }) => type === 'E')
    if (!isStatement(answer) && (error === undefined || fieldOf(error, 'C') !== IN_FAILED_TRANSACTION)) {
      found = error === undefined ? UNKNOWN : movedError(error, position)
      break
    }
    position += [...text].length + 1
  }
  if (after.length > 0) await ask(backend, after)
  return found
}

async function ask(backend: Backend, requests: readonly Uint8Array[]): Promise<Buffer> {
  const parts: Buffer[] = []
  await backend.run(Buffer.concat(requests), async (bytes) => {
    parts.push(bytes)
  })
  return Buffer.concat(parts)
}

const UNKNOWN = errorMessage('ERROR', '42601', 'the text cannot be separated into statements: send them one by one')

const FAILURE = serialize.query('!')
const SAVEPOINT = 'collab_statements'

/** Statements that make a transaction fail, and those that restore what was before. */
const IN_TRANSACTION = { before: [serialize.query('BEGIN'), FAILURE], after: [serialize.query('ROLLBACK')] }
const IN_SAVEPOINT = {
  before: [serialize.query(`SAVEPOINT ${SAVEPOINT}`), FAILURE],
  after: [serialize.query(`ROLLBACK TO ${SAVEPOINT}`), serialize.query(`RELEASE ${SAVEPOINT}`)],
}
const NOTHING = { before: [], after: [] }
