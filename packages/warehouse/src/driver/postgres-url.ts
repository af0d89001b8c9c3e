import { WarehouseError } from '../errors.ts'

/** Checks a Postgres URL and returns it for messages, without password and parameters. */
export function readPostgresUrl(text: string): { location: string } {
  // no message may quote the text: it may contain a password
  const bad = (why: string) =>
    new WarehouseError(
      'BAD_URL',
      `the database URL ${why}: it has the form postgres://USER:PASSWORD@HOST:PORT/DATABASE`,
    )
  if (!/^postgres(ql)?:\/\//.test(text)) throw bad('does not begin with postgres://')
  let url: URL
  try {
    url = new URL(text)
    for (const part of [url.username, url.password, url.hostname, url.pathname]) decodeURIComponent(part)
  } catch {
    throw bad('cannot be read (special characters of a password have to be percent-encoded)')
  }
  if (url.hash !== '') throw bad('holds a # (in a password, write %23)')
  const host = url.hostname || url.searchParams.get('host') || 'localhost'
  const user = url.username === '' ? '' : `${url.username}@`
  return { location: `postgres://${user}${host}${url.port === '' ? '' : `:${url.port}`}${url.pathname}` }
}
