import { firstWord, startOf } from '../read/query.ts'

/**
 * Statements that a role without rights to write may run. `SET SESSION AUTHORIZATION`, `SET ROLE`, `RESET`, `DISCARD`, `DO` and `CREATE FUNCTION`
 * could make the session a superuser again: the embedded Postgres has no other kind of session.
 */
const HARMLESS: ReadonlySet<string> = new Set(
  (
    'SELECT WITH VALUES TABLE EXPLAIN SHOW DECLARE FETCH MOVE CLOSE PREPARE EXECUTE DEALLOCATE COPY ' +
    'BEGIN START COMMIT END ROLLBACK ABORT SAVEPOINT RELEASE'
  ).split(' '),
)

/** Settings that clients make for themselves. */
export const SETTINGS: readonly string[] = [
  ...['application_name', 'bytea_output', 'client_encoding', 'client_min_messages', 'datestyle', 'extra_float_digits'],
  ...['intervalstyle', 'lock_timeout', 'search_path', 'statement_timeout', 'timezone'],
]
const SETTING = new RegExp(
  `^(?:SET\\s+(?:(?:SESSION|LOCAL)\\s+)?|RESET\\s+)(?:(?:${SETTINGS.join('|')})\\b|TIME\\s+ZONE\\s)`,
  'i',
)

/** How transactions are isolated, and that they only read: drivers ask for it when they connect. */
const ISOLATION = '(?:SERIALIZABLE|REPEATABLE\\s+READ|READ\\s+(?:UN)?COMMITTED)'
const TRANSACTIONS = new RegExp(
  `^SET\\s+(?:(?:SESSION\\s+CHARACTERISTICS\\s+AS\\s+)?TRANSACTION\\s+(?:ISOLATION\\s+LEVEL\\s+${ISOLATION}|READ\\s+ONLY)|` +
    `(?:SESSION\\s+)?default_transaction_(?:isolation\\s*(?:=|TO\\b)\\s*'${ISOLATION}'|read_only\\s*(?:=|TO\\b)\\s*(?:on|'on')))\\s*;?\\s*$`,
  'i',
)

/** Why a statement is not run; `null` if it may be. Of several statements it checks only the first. */
export function refusal(sql: string): string | null {
  const word = firstWord(sql).toUpperCase()
  // an empty statement is answered as such
  if (word === '' && startOf(sql) === sql.length) return null
  if (HARMLESS.has(word)) return null
  const statement = sql.slice(startOf(sql))
  if (word === 'SET' || word === 'RESET') {
    if (SETTING.test(statement) || TRANSACTIONS.test(statement)) return null
    return `this server is read-only: ${word} may change transactions and these settings only: ${SETTINGS.join(', ')}`
  }
  return `this server is read-only: statements that begin with ${word === '' ? 'something else than a word' : word} are not run`
}
