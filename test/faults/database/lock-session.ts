import type { Link, PostgresProxy, Seen } from './proxy.ts'

/** Waits for the connection that holds the lock of the run. */
export function lockSession(proxy: PostgresProxy): () => Link {
  let link: Link | undefined
  const isTaken = ({ from, type, statements }: Seen) =>
    from === 'server' && type === 'C' && /pg_try_advisory_lock\(/.test(statements.at(-1) ?? '')
  proxy.once('the lock', isTaken, (seen) => {
    link = seen.link
    return 'pass'
  })
  return () => {
    if (link === undefined) throw new Error('the lock is not taken')
    return link
  }
}
