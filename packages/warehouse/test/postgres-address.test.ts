import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freshDatabase, postgresServer } from '@collab-etl/harness/postgres'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../src/driver/postgres.ts'
import { readAddress } from '../src/driver/postgres-address.ts'

describe('an address of Postgres', () => {
  test.each([
    ['disable', [false]],
    ['allow', [false, { rejectUnauthorized: false }]],
    ['prefer', [{ rejectUnauthorized: false }, false]],
    ['require', [{ rejectUnauthorized: false }]],
    ['verify-ca', [{ checkServerIdentity: expect.any(Function) }]],
    ['verify-full', [{}]],
  ])('sslmode=%s encrypts as with psql', (mode, encryptions) => {
    expect(readAddress(`postgres://h/d?sslmode=${mode}`, {}).attempts.map(({ ssl }) => ssl)).toEqual(encryptions)
  })

  test('without sslmode, it is prefer as with psql, or what the environment says', () => {
    const preferred = [{ ssl: { rejectUnauthorized: false } }, { ssl: false }]
    expect(readAddress('postgres://h/d', {}).attempts).toMatchObject(preferred)
    expect(readAddress('postgres://h/d?sslrootcert=system', {}).attempts.map(({ ssl }) => ssl)).toEqual([{}])
    const env = { PGSSLMODE: 'require', PGSSLROOTCERT: '/nonexistent' }
    expect(() => readAddress('postgres://h/d', env)).toThrow('sslrootcert that cannot be read (ENOENT)')
    expect(readAddress('postgres://h/d', { PGSSLMODE: 'verify-full' }).attempts).toMatchObject([{ ssl: {} }])
    expect(readAddress('host=/run/postgresql', {}).attempts).toMatchObject([{ host: '/run/postgresql', ssl: false }])
  })

  test('several hosts have their own ports, or all the same one', () => {
    const places = (text: string) =>
      readAddress(text, { PGSSLMODE: 'disable' }).attempts.map(({ host, port }) => [host, port])
    expect(places('postgres://a:1,[::1]:2/d')).toEqual([
      ['a', 1],
      ['::1', 2],
    ])
    expect(places('host=a,b port=7')).toEqual([
      ['a', 7],
      ['b', 7],
    ])
    expect(() => places('host=a,b,c port=1,2')).toThrow('another number of ports')
  })

  test('a service gives what the address leaves out', async () => {
    const home = await mkdtemp(join(tmpdir(), 'service-'))
    onTestFinished(() => rm(home, { recursive: true }))
    const file = join(home, 'pg_service.conf')
    await writeFile(file, '# ours\n[other]\nhost=x\n[etl]\nhost=db.example\nuser=me\nport=6\n')
    const env = { PGSERVICEFILE: file }
    expect(readAddress('service=etl user=you', env)).toMatchObject({ location: 'postgres://you@db.example:6' })
    expect(() => readAddress('postgres:///d?service=none', env)).toThrow('names a service that')
  })

  test.each([
    ['postgres://h/d?krbsrvname=x', 'a part krbsrvname,'],
    ['host=h passfile=/x', 'a part passfile,'],
    ['postgres://h/d?channel_binding=require', 'a part channel_binding with a value'],
    ['postgres://h/d?sslmode=secret', 'sslmode with an unknown value'],
    ['postgres://h/d?target_session_attrs=standby', 'target_session_attrs with a value'],
    ['postgres://h/d?sslrootcert=/nonexistent&sslmode=verify-ca', 'sslrootcert that cannot be read (ENOENT)'],
    ["host=h password='secret", 'cannot be read'],
    ['postgres://u:pw@secret/x@host/d', 'a / or a ? before its @'],
    ['postgres://u:12?secret@host/d', 'a / or a ? before its @'],
  ])('%s: the part that cannot be used is named', (text, part) => {
    expect(() => readAddress(text, {})).toThrow(part)
    expect(() => readAddress(text, {})).not.toThrow('secret')
  })
})

describe.skipIf(postgresServer() === null)('a server without TLS', () => {
  const opens = async (change: (address: URL) => string) => {
    const { url, drop } = await freshDatabase(postgresServer() ?? '')
    onTestFinished(drop)
    const driver = await openPostgres(change(new URL(url)))
    await driver.close()
  }
  const withMode = (mode: string) => (address: URL) => `${address.href}?sslmode=${mode}`

  test('is reached with sslmode=prefer, by a second host, and as key=value', async () => {
    await opens(withMode('prefer'))
    await opens(
      ({ username, password, host, pathname }) => `postgres://${username}:${password}@127.0.0.1:1,${host}${pathname}`,
    )
    await opens(({ username, password, hostname, port, pathname }) => {
      return `host=${hostname} port=${port} user=${username} password='${password}' dbname=${pathname.slice(1)}`
    })
  })

  test('is named as such where encryption is demanded; so is a database that does not exist', async () => {
    await expect(opens(withMode('require'))).rejects.toThrow(/offers no TLS, which sslmode demands/)
    await expect(opens((address) => Object.assign(address, { pathname: '/none' }).href)).rejects.toThrow(
      'database "none" does not exist; create it',
    )
  })
})
