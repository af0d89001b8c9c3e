import { isOptional, isRead, type StreamName } from '@collab-etl/contract/streams'
import type { Driver } from '../driver/driver.ts'
import { transactionWithRetry } from '../driver/retry.ts'
import { expectPresent, expectSame, tablesWithTriggers } from '../driver/written-rows.ts'
import { deleteRereads, streamsBeside } from '../runs/rereads.ts'
import { insertScopes } from '../runs/scopes.ts'
import type { PublishedScope } from '../runs/types.ts'
import { isReadInParts } from '../staging/shape.ts'
import type { EndedScope } from '../staging/stage.ts'
import { ownListsOf, TABLES } from '../tables/index.ts'
import type { TableName } from '../tables/table.ts'
import { noCounts, PublishContext, type PublishTask } from './context.ts'
import {
  forgetUnsureHashes,
  markChildren,
  markGone,
  markMissing,
  markUnused,
  refuseEmptied,
  sharesOf,
} from './deletes.ts'
import { addKey, type DroppedKeys, dropKeys, emptyTables } from './first-load.ts'
import { insertLosses, insertUnread } from './issues.ts'
import { expectKnown, insertKnown, noteMissing } from './known-ids.ts'
import { prepareStaged } from './prepare.ts'
import { noteEventReadings, noteReadings, noteTaskComments } from './readings.ts'
import { STAGED_TRANSACTION } from './staged-context.ts'
import { publishTeamProjects } from './team-projects.ts'
import type { PublishResult } from './types.ts'
import { isLacking, judgeSuspicious, settleUnconfirmed, waitingTable } from './unconfirmed.ts'
import { upsert } from './upsert.ts'
import { expectUsers, insertUsers } from './users.ts'
import { publishWebhooks } from './webhook-lists.ts'

/** Publishes what is staged of one project, in one transaction: all of it or nothing. */
export async function publish(driver: Driver, task: PublishTask): Promise<PublishResult> {
  // outside the transaction: the tables are made on another session
  // unchanged records, which were not staged, may have to be merged with others
  const read = TABLES.filter(({ name }) => task.hashes.has(name)).flatMap((table) => [table, ...ownListsOf(table)])
  await task.slot.ensure(['losses', 'webhooks', ...read.map(({ name }) => name)])
  await stageUnseen(task)
  const empty = await emptyTables(driver, task)
  return await transactionWithRetry(
    driver,
    (connection, isRetry) => publishOnce(new PublishContext(connection, task, isRetry), isRetry ? [] : empty),
    { ...STAGED_TRANSACTION, setup: `${STAGED_TRANSACTION.setup}; ${task.fence?.setup ?? ''}` },
  )
}

async function publishOnce(context: PublishContext, empty: TableName[]): Promise<PublishResult> {
  const { task, connection } = context
  await context.setUp()
  task.slot.requireCurrent()
  const keys = await dropKeys(connection, task.schema, empty)
  countRead(context)
  await prepareStaged(context)
  await completeListed(context)
  await judgeNullLists(context)
  await judgeSuspicious(context)
  const unchanged = await unchangedBefore(context)
  await publishTables(context, keys)
  for (const name of empty) await addKey(connection, task.schema, keys, name)
  await publishWebhooks(context)
  await publishTeamProjects(context)
  await settleUnconfirmed(context)
  await insertUsers(context)
  await insertKnown(context)
  await noteMissing(context)
  const losses = await insertLosses(context)
  await expectStored(context)
  for (const [name, count] of unchanged) expectPresent(name, await countUnchanged(context, name), count)
  const scopes = context.task.scopes.map((scope) => publishedScope(context, scope))
  await insertScopes(connection, task.schema, { id: task.run.id, worker: task.fence?.worker ?? null }, scopes)
  await noteReadings(context, scopes)
  await noteTaskComments(context)
  await noteEventReadings(context)
  const unread = await insertUnread(context)
  await deleteRereads(connection, task.schema, task.pid, repairedStreams(context))
  const result = { tables: context.tables, scopes, losses, unread }
  await task.fence?.commit(connection, result)
  return result
}

/**
 * By table, the number of unchanged records, which were not staged and which publishing does not touch. Another program may delete them
 * until the transaction ends. In a table with staged rows, records that were deleted or changed since the hashes were loaded must be
 * noticed before rows are written; in other tables the check at the end notices them.
 */
async function unchangedBefore(context: PublishContext): Promise<ReadonlyMap<TableName, number>> {
  const counts = new Map<TableName, number>()
  for (const [name, { seen }] of context.task.hashes) {
    if (seen === 0) continue
    if (!context.isStaged(name)) {
      counts.set(name, seen)
      continue
    }
    const { rows } = await context.run(context.sqlOf(name).countKnown())
    const [unchanged = 0, unstaged = 0, missing = 0] = (rows[0] ?? []).map(Number)
    expectPresent(name, unchanged, seen)
    counts.set(name, unstaged)
    if (missing === 0) context.noneMissing.add(name)
  }
  return counts
}

function countUnchanged(context: PublishContext, name: TableName): Promise<number> {
  return context.number(context.sqlOf(name).countUnchanged(context.isStaged(name)))
}

/** Checks tables with triggers by reading the rows again: triggers may have changed them. */
async function expectStored(context: PublishContext): Promise<void> {
  const triggered = await tablesWithTriggers(context.connection, context.task.schema)
  if (triggered.size === 0) return
  await context.connection.script('SET CONSTRAINTS ALL IMMEDIATE')
  for (const { name } of context.touchedTables) {
    if (!triggered.has(name) || !context.isStaged(name)) continue
    const { rows } = await context.run(`SELECT count(*) FROM (${context.sqlOf(name).unlike(false)}) u`)
    expectSame(name, Number(rows[0]?.[0]))
  }
  await expectUsers(context, triggered)
  await expectKnown(context, triggered)
}

/** Streams of which every value was compared and every missing row could be marked. */
function repairedStreams(context: PublishContext): StreamName[] {
  const { full } = context.task
  return [...full].filter((stream) => {
    return streamsBeside(stream).every((each) => {
      if (each !== stream && isOptional(each) && context.scope(each) === undefined) return true
      return full.has(each) && context.mayDelete(each) && context.scope(each)?.result.carried === undefined
    })
  })
}

/** A project whose detail cannot be read keeps the unknown fields that only the detail has. */
async function completeListed(context: PublishContext): Promise<void> {
  if (context.scope('projects')?.result.fromList !== true || !context.isStaged('projects')) return
  const { stage, target } = context.sqlOf('projects')
  await context.run(
    `UPDATE ${stage} s SET extra = nullif((coalesce(t.extra, '{}') - 'listed') || coalesce(s.extra, '{}'), '{}')
     FROM ${target} t WHERE s.pid = @pid AND t.pid = @pid AND t.deleted_at IS NULL`,
  )
}

/** Stages the hashes of stored records that were not read again. Records neither staged nor among these are unchanged. */
async function stageUnseen({ slot, hashes }: PublishTask): Promise<void> {
  if (hashes.size === 0) return
  await slot.ensure(['unseen'])
  for (const of of hashes.values()) {
    const unseen = of.unseenRows()
    if (unseen.count > 0) await slot.copy('unseen', [unseen.bytes()], unseen.count)
  }
}

async function publishTables(context: PublishContext, keys: DroppedKeys): Promise<void> {
  const stored = await storedTables(context)
  const tables = context.touchedTables.filter(({ name }) => name !== 'webhooks')
  const missing = new Map<string, boolean>()
  for (const table of tables) if (stored.has(table.name)) await refuseEmptied(context, table)
  for (const table of tables) {
    if (table.hashed === true && stored.has(table.name)) await forgetUnsureHashes(context, table)
  }
  for (const table of tables) {
    missing.set(table.name, await upsert(context, table, stored.has(table.name)))
    await addKey(context.connection, context.task.schema, keys, table.name)
  }
  // records before their children: a scope that may not mark its records deleted marks none of their children
  for (const table of tables) {
    if (table.deletedBy === 'gone') await markGone(context, table)
    if (table.deletedBy === 'absence' && table.isRecord === true && missing.get(table.name) === true) {
      await markMissing(context, table)
    }
  }
  for (const table of tables) {
    if (table.deletedBy === 'absence' && table.isRecord !== true && missing.get(table.name) === true) {
      await markUnused(context, table)
    }
    if (stored.has(table.name)) await markChildren(context, table, missing.get(table.name) === true)
  }
}

function countRead(context: PublishContext): void {
  for (const { stream, rows } of context.task.scopes) {
    for (const [table, count] of rows) if (table !== 'users') context.count(table, stream, 'read', count)
  }
}

function publishedScope(context: PublishContext, { stream, result, contentHash }: EndedScope): PublishedScope {
  const { task } = context
  const counts = context.byStream.get(stream) ?? noCounts()
  const refused = context.refused.get(stream)
  const warning = context.warnings.get(stream)
  return {
    ...result,
    ...(refused === undefined ? {} : { status: 'refused', error: { code: 'SHRINK', message: refused } }),
    ...(warning === undefined || refused !== undefined ? {} : { warning }),
    contentHash:
      isRead(result) && result.carried === undefined && !isReadInParts(stream)
        ? task.combinedHash(stream, contentHash)
        : null,
    rowsRead: counts.read,
    rowsInserted: counts.inserted,
    rowsUpdated: counts.updated,
    rowsDeleted: counts.deleted,
  }
}

/** Names the tables that hold rows of the project, live or not, in one query. */
async function storedTables(context: PublishContext): Promise<ReadonlySet<TableName>> {
  const tables = context.touchedTables
  if (tables.length === 0) return new Set()
  const exists = tables.map(({ name }) => {
    const sql = context.sqlOf(name)
    // a webhook that comes to this project may be stored as another's
    return `EXISTS (SELECT FROM ${sql.target} t WHERE ${name === 'webhooks' ? 'true' : sql.ofProject('t')})`
  })
  const { rows } = await context.run(`SELECT ${exists.join(', ')}`)
  return new Set(tables.filter((_, index) => rows[0]?.[index] === true).map(({ name }) => name))
}

/**
 * Finds the scopes in which `null` came in place of a list and stored rows were not seen. `null` does not say that they are gone: these
 * scopes are `partial` and delete nothing. Where nothing is missing, `null` was an empty list, and the scope stays complete.
 */
async function judgeNullLists(context: PublishContext): Promise<void> {
  for (const { stream, result, isNullList } of context.task.scopes) {
    if (!isNullList || result.status !== 'complete') continue
    const missing = await countMissing(context, stream)
    if (missing === 0) continue
    const rows = missing === 1 ? '1 stored row was' : `${missing} stored rows were`
    const message = `the service sent null instead of a list, and ${rows} not seen; null proves no deletion, so nothing is marked deleted`
    context.endAs(stream, { status: 'partial', error: { code: 'NULL_LIST', message } })
  }
}

async function countMissing(context: PublishContext, stream: StreamName): Promise<number> {
  const table = waitingTable(stream)
  const share = table && sharesOf(context, table).find((each) => each.stream === stream)
  if (table === undefined || share === undefined) return 0
  const { target } = context.sqlOf(table.name)
  const sql = `SELECT count(*) FROM ${target} t WHERE (${isLacking(context, table)}) ${share.where}`
  return await context.number(sql, share.values)
}
