const TIMES = /"(created_at|updated_at|completed_date|expire_date|start|end)":"([^"]+)"/g
const DUE = /"(completed_date|expire_date)":"([^"]+)"/g

/** What a service with these quirks can send of records: the truth, less what its form of times cannot express. */
export function asSent<T extends object>(records: T, quirks: readonly string[]): T {
  let text = JSON.stringify(records)
  if (quirks.includes('epoch-s')) text = rewritten(text, TIMES, (time) => `${time.slice(0, -'.000Z'.length)}.000Z`)
  if (quirks.includes('date-only')) text = rewritten(text, DUE, (time) => `${time.slice(0, 10)}T00:00:00.000Z`)
  return JSON.parse(text) as T // the same fields
}

function rewritten(text: string, fields: RegExp, write: (time: string) => string): string {
  return text.replaceAll(fields, (_, name, time) => `"${name}":"${write(time)}"`)
}
