import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { WarehouseError } from '../errors.ts'

/** An address of a database, as `psql` takes it. */
export interface PostgresAddress {
  /** For messages; without password and parameters. */
  readonly location: string
  /** What to try, in this order, until a server accepts. */
  readonly attempts: readonly pg.ClientConfig[]
  /** Whether the server must accept writes: `target_session_attrs`. */
  readonly mustWrite: boolean
}

const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

/** Parts that are passed to the connection as they are. */
const PASSED = [
  'application_name',
  'fallback_application_name',
  'options',
  'client_encoding',
  'sslnegotiation',
  'statement_timeout',
  'query_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
]

/** Parts that change nothing with these values, or with any (`null`). */
const WITHOUT_EFFECT: Readonly<Record<string, readonly string[] | null>> = {
  connect_timeout: null,
  keepalives: ['1'],
  keepalives_idle: null,
  keepalives_interval: null,
  keepalives_count: null,
  tcp_user_timeout: null,
  sslcompression: ['0'],
  sslsni: ['1'],
  gssencmode: ['disable', 'prefer'],
  channel_binding: ['disable', 'prefer'],
  load_balance_hosts: ['disable'],
  uselibpqcompat: null,
}

const OWN = [
  ...['host', 'hostaddr', 'port', 'user', 'password', 'dbname', 'service', 'servicefile', 'target_session_attrs'],
  ...['sslmode', 'ssl', 'sslrootcert', 'sslcert', 'sslkey'],
]

type Parts = Readonly<Record<string, string>>

/**
 * Reads `postgres://…` with one or several hosts, or `key=value …`; a service (`service=`, `PGSERVICE`) gives what the address leaves out.
 * @throws WarehouseError `BAD_URL`, which names the part and quotes no value
 */
export function readAddress(text: string, env: NodeJS.ProcessEnv = process.env): PostgresAddress {
  const given = /^postgres(ql)?:\/\//.test(text) ? partsOfUrl(text) : partsOfWords(text)
  const service = given['service'] ?? env['PGSERVICE']
  const parts = { ...(service && partsOfService(service, given['servicefile'] ?? env['PGSERVICEFILE'])), ...given }
  for (const [name, value] of Object.entries(parts)) requireUsable(name, value)
  return { location: locationOf(parts), attempts: attemptsOf(parts, env), mustWrite: mustWrite(parts) }
}

function bad(why: string): WarehouseError {
  return new WarehouseError(
    'BAD_URL',
    `the database URL ${why}: it has the form postgres://USER:PASSWORD@HOST:PORT/DATABASE, or host=HOST dbname=DATABASE …`,
  )
}

function partsOfUrl(text: string): Parts {
  if (text.includes('#')) throw bad('holds a # (in a password, write %23)')
  const [, authority = '', path = '', query = ''] = /^\w+:\/\/([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(text) ?? []
  const at = authority.lastIndexOf('@')
  // otherwise the rest of a password would be taken for a host, and shown
  if (path.includes('@') || (at === -1 && query.includes('@')))
    throw bad('holds a / or a ? before its @ (in a password, write %2F and %3F)')
  const [, user = '', password] = /^([^:]*)(?::(.*))?$/s.exec(authority.slice(0, Math.max(at, 0))) ?? []
  const hosts = authority
    .slice(at + 1)
    .split(',')
    .map(hostAndPort)
  const parts: Record<string, string> = {}
  const put = (name: string, value: string | undefined) => {
    if (value !== undefined && value !== '') parts[name] = decoded(value)
  }
  put('user', user)
  put('password', password)
  put('dbname', path)
  if (hosts.some(({ host }) => host !== '')) put('host', hosts.map(({ host }) => host).join(','))
  if (hosts.some(({ port }) => port !== '')) put('port', hosts.map(({ port }) => port).join(','))
  for (const pair of query.split('&').filter((each) => each !== '')) {
    const [, name = pair, value = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? []
    put(decoded(name), value)
  }
  return parts
}

function hostAndPort(text: string): { host: string; port: string } {
  const [, six, host = '', port = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d*))?$/.exec(text) ?? [text]
  if (!/^(?:\[[^\]]*\]|[^:[\]]*)(?::\d*)?$/.test(text)) throw bad('has a host or a port that cannot be read')
  return { host: six ?? host, port }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw bad('cannot be read (special characters of a password have to be percent-encoded)')
  }
}

/** `key=value key='a value'`: in it, a backslash makes the next character a plain one. */
function partsOfWords(text: string): Parts {
  const word = /\s*([a-z_]+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|((?:[^\s'\\]|\\.)*))(?:\s+|$)/sy
  const parts: Record<string, string> = {}
  while (word.lastIndex < text.length) {
    const [, name, quoted, plain = ''] = word.exec(text) ?? []
    if (name === undefined) throw bad('cannot be read')
    parts[name] = (quoted ?? plain).replaceAll(/\\(.)/gs, '$1')
  }
  if (Object.keys(parts).length === 0) throw bad('is empty')
  return parts
}

function partsOfService(name: string, file = join(homedir(), '.pg_service.conf')): Parts {
  if (!existsSync(file)) throw bad(`names a service, but there is no file ${file}`)
  let section: string | undefined
  let isFound = false
  const parts: Record<string, string> = {}
  for (const line of readFileSync(file, 'utf8')
    .split(/\r?\n/)
    .map((each) => each.trim())) {
    section = /^\[(.*)\]$/.exec(line)?.[1] ?? section
    isFound ||= section === name
    const [, key, value = ''] = /^([a-z_]+)\s*=\s*(.*)$/.exec(line) ?? []
    if (section === name && key !== undefined) parts[key] = value
  }
  if (!isFound) throw bad(`names a service that ${file} does not have`)
  return parts
}

function requireUsable(name: string, value: string): void {
  if (OWN.includes(name) || PASSED.includes(name)) return
  const allowed = WITHOUT_EFFECT[name]
  if (allowed === undefined)
    throw bad(`has a part ${/^\w+$/.test(name) ? name : 'with a strange name'}, which this tool cannot use`)
  if (allowed !== null && !allowed.includes(value))
    throw bad(`has a part ${name} with a value that this tool cannot use`)
}

function mustWrite({ target_session_attrs: of = 'any' }: Parts): boolean {
  if (!['any', 'read-write', 'primary'].includes(of)) {
    throw bad(
      'has a part target_session_attrs with a value that this tool cannot use (it can: any, read-write, primary)',
    )
  }
  return of !== 'any'
}

function locationOf({ user, host = 'localhost', port = '', dbname = '' }: Parts): string {
  const ports = port.split(',')
  const hosts = host.split(',').map((each, index) => {
    const own = ports[ports.length === 1 ? 0 : index] ?? ''
    return `${each.includes(':') ? `[${each}]` : each}${own === '' ? '' : `:${own}`}`
  })
  return `postgres://${user === undefined ? '' : `${user}@`}${hosts.join(',')}${dbname === '' ? '' : `/${dbname}`}`
}

function attemptsOf(parts: Parts, env: NodeJS.ProcessEnv): pg.ClientConfig[] {
  const { user, password, dbname } = parts
  const hosts = parts['host']?.split(',') ?? parts['hostaddr']?.split(',') ?? [undefined]
  const addresses = parts['hostaddr']?.split(',')
  const ports = parts['port']?.split(',') ?? ['']
  if (ports.length !== 1 && ports.length !== hosts.length) throw bad('has another number of ports than of hosts')
  if (addresses !== undefined && addresses.length !== hosts.length)
    throw bad('has another number of hostaddr than of hosts')
  const passed = Object.fromEntries(Object.entries(parts).filter(([name]) => PASSED.includes(name)))
  return hosts.flatMap((host, index) => {
    const port = Number((ports.length === 1 ? ports[0] : ports[index]) || 0)
    if (!Number.isInteger(port) || port > 65_535) throw bad('has a port that cannot be read')
    const isSocket = host?.startsWith('/') === true
    return (isSocket ? [false as const] : encryptions(parts, env)).map((ssl) => ({
      ...passed,
      ...(host !== undefined && { host: addresses?.[index] ?? host }),
      ...(port > 0 && { port }),
      ...(user !== undefined && { user }),
      ...(password !== undefined && { password }),
      ...(dbname !== undefined && { database: dbname }),
      ssl: ssl === false || addresses === undefined || host === undefined ? ssl : { ...ssl, servername: host },
    }))
  })
}

type Encryption =
  | false
  | { rejectUnauthorized?: boolean; ca?: string; cert?: string; key?: string; servername?: string }

/** What `sslmode` asks for, in its order. Its default is that of `psql`: encryption where the server offers it, of which nothing is verified. */
function encryptions(parts: Parts, env: NodeJS.ProcessEnv): Encryption[] {
  const file = (part: string) => parts[part] ?? env[`PG${part.toUpperCase()}`]
  const [root, cert, key] = [file('sslrootcert'), file('sslcert'), file('sslkey')]
  const preset = root === 'system' ? 'verify-full' : 'prefer'
  const mode = parts['sslmode'] ?? modeOfSsl(parts['ssl']) ?? env['PGSSLMODE'] ?? preset
  if (!SSL_MODES.includes(mode))
    throw bad(`has a part sslmode with an unknown value (there are ${SSL_MODES.slice(0, -1).join(', ')})`)
  if (mode === 'disable') return [false]
  const ca = root === undefined || root === 'system' ? undefined : contentOf('sslrootcert', root)
  const own = {
    ...(cert !== undefined && { cert: contentOf('sslcert', cert) }),
    ...(key !== undefined && { key: contentOf('sslkey', key) }),
    ...(ca !== undefined && { ca }),
  }
  // as libpq: with authorities, `require` verifies the certificate, but not its name
  const ofAuthority = { ...own, checkServerIdentity: () => undefined }
  const unverified = { ...own, rejectUnauthorized: false }
  if (mode === 'allow') return [false, unverified]
  if (mode === 'prefer') return [unverified, false]
  if (mode === 'verify-full') return [own]
  if (mode === 'verify-ca' || (mode === 'require' && ca !== undefined)) return [ofAuthority]
  return [unverified]
}

/** What the part `ssl` of the driver means. */
function modeOfSsl(value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  return ['0', 'false'].includes(value) ? 'disable' : value === 'no-verify' ? value : 'verify-full'
}

function contentOf(part: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw bad(
      `names a file in ${part} that cannot be read (${error instanceof Error && 'code' in error ? error.code : error})`,
    )
  }
}
