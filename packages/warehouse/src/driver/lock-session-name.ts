import { hostname } from 'node:os'

/** What Postgres keeps of an application's name. */
const MAX_BYTES = 63

const NAME = /^collab-etl (\d+) (\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z (\S+)$/

/** The application name of the session that holds a lock: every role can read it, and it names the process. */
export function lockSessionName(
  pid = process.pid,
  startedMs = Date.now() - process.uptime() * 1000,
  host = hostname(),
) {
  const start = new Date(startedMs).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const front = `collab-etl ${pid} ${start} `
  return front + shorten(host.replaceAll(/[^!-~]/g, '?') || '?', MAX_BYTES - front.length)
}

/** Names the process for people; `null` for the name of any other session, as a connection pooler may show. */
export function describeLockSession(name: string | null): string | null {
  const [matched, pid, ...rest] = NAME.exec(name ?? '') ?? []
  if (matched === undefined) return null
  const [year, month, day, hour, minute, second, host] = rest
  return `process ${pid} on ${host} (started ${year}-${month}-${day}T${hour}:${minute}:${second}Z)`
}

/** Keeps both ends: names that an orchestrator makes differ at the end. */
function shorten(text: string, length: number): string {
  if (text.length <= length) return text
  const tail = Math.floor((length - 1) / 2)
  return `${text.slice(0, length - 1 - tail)}~${text.slice(-tail)}`
}
