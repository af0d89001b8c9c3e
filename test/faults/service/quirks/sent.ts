import { expectedRows, type PlainTables } from '@collab-etl/harness/expected-rows'
import type { Frozen, ProjectTruth, WebhookRecord } from '@collab-etl/sandbox'

const TIMES = /"(created_at|updated_at|completed_date|expire_date|start|end)":"([^"]+)"/g
const DUE = /"(completed_date|expire_date)":"([^"]+)"/g

/**
 * The rows that a service with these quirks can give: those of the truth, less what its form of times cannot express. A
 * task in both lists is an archived one: its two copies were changed at the same time.
 */
export function rowsAsSent(
  truths: readonly ProjectTruth[],
  personalWebhooks: Frozen<WebhookRecord[]>,
  quirks: readonly string[],
): PlainTables {
  const tables = expectedRows(asSent(truths, quirks), asSent(personalWebhooks, quirks))
  const inBoth = quirks.includes('task-in-both-lists') ? truths.map(({ tasks }) => tasks[0]?.tid) : []
  const tasks = tables['tasks']?.map((row) => (inBoth.includes(String(row['tid'])) ? { ...row, archived: true } : row))
  return { ...tables, tasks: tasks ?? [] }
}

function asSent<T extends object>(records: T, quirks: readonly string[]): T {
  let text = JSON.stringify(records)
  if (quirks.includes('epoch-s')) text = rewritten(text, TIMES, (time) => `${time.slice(0, -'.000Z'.length)}.000Z`)
  if (quirks.includes('date-only')) text = rewritten(text, DUE, (time) => `${time.slice(0, 10)}T00:00:00.000Z`)
  return JSON.parse(text) as T // the same fields
}

function rewritten(text: string, fields: RegExp, write: (time: string) => string): string {
  return text.replaceAll(fields, (_, name, time) => `"${name}":"${write(time)}"`)
}
