import type { Connection, Driver, QueryResult, Transaction } from '../../src/driver/driver.ts'
import { overriding, overridingTransactions } from './overriding.ts'

/** A statement that was carried out, and the rows that passed through its plan. */
export interface Explained {
  readonly sql: string
  readonly rows: number
  /** Whether rows were joined by looking through all of one side for each of the other. */
  readonly loops: boolean
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Actual Rows'?: number
  readonly 'Index Cond'?: string
  readonly Filter?: string
  readonly 'Function Name'?: string
  readonly 'Actual Loops'?: number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Join Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly PlanNode[]
}

/**
 * The same database, of which each statement is first carried out under EXPLAIN ANALYZE and undone: `statements` gathers how
 * many rows its plan has touched, in every node, those that a filter or a join has thrown away again included.
 */
export function explainedDriver(driver: Driver, statements: Explained[]): Driver {
  const query = explainedQuery(driver, (sql, params) => driver.transaction(explaining(sql, params)), statements)
  const explained = (connection: Transaction) =>
    overriding(connection, {
      query: explainedQuery(connection, (sql, params) => explaining(sql, params)(connection), statements),
    })
  return overriding(
    overridingTransactions(driver, (connection, work) => work(explained(connection))),
    { query },
  )
}

type Query = Connection['query']

function explainedQuery(
  connection: Connection,
  explain: (sql: string, params: Parameters<Query>[1]) => Promise<PlanNode>,
  statements: Explained[],
): Query {
  return async (sql, params): Promise<QueryResult> => {
    if (/^\s*(?:WITH|SELECT|INSERT|UPDATE|DELETE)\b/.test(sql)) {
      const plan = await explain(sql, params)
      statements.push({ sql, rows: rowsThrough(plan), loops: loopsIn(plan) })
    }
    return await connection.query(sql, params)
  }
}

/** Carries a statement out within a transaction, takes its plan, and undoes it. */
function explaining(sql: string, params: Parameters<Query>[1]): (connection: Connection) => Promise<PlanNode> {
  return async (connection) => {
    await connection.script('SAVEPOINT explained')
    const { rows } = await connection.query(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${sql}`, params)
    await connection.script('ROLLBACK TO SAVEPOINT explained')
    const [document] = rows[0] ?? []
    const [{ Plan }] = (typeof document === 'string' ? JSON.parse(document) : document) as [{ Plan: PlanNode }] // as documented
    return Plan
  }
}

function rowsThrough(node: PlanNode): number {
  const each =
    (node['Actual Rows'] ?? 0) +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0)
  return each * (node['Actual Loops'] ?? 0) + (node.Plans ?? []).reduce((sum, plan) => sum + rowsThrough(plan), 0)
}

/** A filter that compares each row with all values that a subquery has gathered, as written by Postgres before 17 and since. */
const BY_GATHERED = /ANY \((?:\$\d|\(InitPlan )/

/**
 * A nested loop whose inner side is found by no index, or an array in place of that side: fine for a handful of rows, minutes for a
 * project's.
 */
function loopsIn(node: PlanNode): boolean {
  const inner = node['Node Type'] === 'Nested Loop' ? node.Plans?.[1] : undefined
  const isLoop = (inner !== undefined && !isLookedUp(inner)) || BY_GATHERED.test(node.Filter ?? '')
  return isLoop || (node.Plans ?? []).some(loopsIn)
}

function isLookedUp(node: PlanNode): boolean {
  // this function gives one row
  if (node['Function Name'] === 'jsonb_populate_record') return true
  return node['Index Cond'] !== undefined || (node.Plans ?? []).some(isLookedUp)
}
