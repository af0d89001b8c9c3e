/** @module-tag thorough */
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LocalPostgres, startLocalPostgres } from '@collab-etl/harness/local-postgres'
import { onServer } from '@collab-etl/harness/postgres'
import { findBinaries, serverUser } from '@collab-etl/harness/postgres-binaries'
import { makeAuthority } from '@collab-etl/harness/tls-identity'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPostgres } from '../src/driver/postgres.ts'

const binaries = await findBinaries()

describe.skipIf(binaries === null)(
  'a server with TLS, whose certificate an authority of our own issued for localhost',
  () => {
    let directory: string
    let server: LocalPostgres

    beforeAll(async () => {
      directory = mkdtempSync(join(tmpdir(), 'collab-tls-'))
      chmodSync(directory, 0o755)
      const [authority, other] = [await makeAuthority(), await makeAuthority()]
      const { cert, key } = await authority.identity('dns', 'localhost', 24)
      const files = { ca: authority.pem, 'other-ca': other.pem, cert, key }
      for (const [name, pem] of Object.entries(files))
        writeFileSync(join(directory, name), pem, { mode: name === 'key' ? 0o600 : 0o644 })
      const user = serverUser()
      if (user !== null) chownSync(join(directory, 'key'), user.uid, user.gid)
      server = await startLocalPostgres(binaries ?? { directory: '', origin: '' })
      const rules = [
        'hostssl only_tls all all trust',
        'hostnossl no_tls all all trust',
        'host test,postgres all all trust',
      ]
      writeFileSync(join(directory, 'hba'), `${rules.join('\n')}\n`)
      const settings = { ssl_cert_file: 'cert', ssl_key_file: 'key', hba_file: 'hba' }
      for (const [name, file] of Object.entries(settings)) {
        await onServer(server.url, `ALTER SYSTEM SET ${name} = '${join(directory, file)}'`)
      }
      await onServer(server.url, 'ALTER SYSTEM SET ssl = on')
      for (const name of ['only_tls', 'no_tls']) await onServer(server.url, `CREATE DATABASE ${name}`)
      await server.goDown('fast')
      await server.comeBack()
    })
    afterAll(async () => {
      await server?.stop()
      rmSync(directory, { recursive: true, force: true })
    })

    /** Whether the session is encrypted. */
    async function isEncrypted(
      host: string,
      parts: Readonly<Record<string, string>>,
      database = 'test',
    ): Promise<unknown> {
      const url = new URL(server.url)
      url.hostname = host
      url.pathname = `/${database}`
      url.search = String(new URLSearchParams(parts))
      const driver = await openPostgres(url.href)
      const { rows } = await driver.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')
      await driver.close()
      return rows[0]?.[0]
    }

    const root = (name: string) => join(directory, name)
    const ca = () => ({ sslrootcert: root('ca') })

    test.each([
      ['localhost', {}, true],
      ['localhost', { sslmode: 'disable' }, false],
      ['localhost', { sslmode: 'allow' }, false],
      ['127.0.0.1', { sslmode: 'require' }, true],
    ])('%s with %j: encrypted %s, and nothing is verified', async (host, parts, encrypted) => {
      expect(await isEncrypted(host, parts)).toBe(encrypted)
    })

    test('verify-full takes the certificate for its name only, verify-ca for any name', async () => {
      expect(await isEncrypted('localhost', { sslmode: 'verify-full', ...ca() })).toBe(true)
      expect(await isEncrypted('127.0.0.1', { sslmode: 'verify-ca', ...ca() })).toBe(true)
      await expect(isEncrypted('127.0.0.1', { sslmode: 'verify-full', ...ca() })).rejects.toThrow(
        /certificate of .* is not trusted: .*127\.0\.0\.1.*by the name that it has there$/,
      )
    })

    test('another authority, or none that the system knows, is refused', async () => {
      const untrusted = /certificate of .* is not trusted: .*name its authority with sslrootcert/
      const other = { sslrootcert: root('other-ca') }
      for (const sslmode of ['verify-full', 'verify-ca', 'require']) {
        await expect(isEncrypted('localhost', { sslmode, ...other }), sslmode).rejects.toThrow(untrusted)
      }
      await expect(isEncrypted('localhost', { sslmode: 'verify-full' })).rejects.toThrow(untrusted)
    })

    test('a database that demands TLS, or takes none, is reached as psql reaches it', async () => {
      for (const parts of [{}, { sslmode: 'allow' }]) {
        expect(await isEncrypted('localhost', parts, 'only_tls')).toBe(true)
        expect(await isEncrypted('localhost', parts, 'no_tls')).toBe(false)
      }
      const refused = /no pg_hba.conf entry/
      await expect(isEncrypted('localhost', { sslmode: 'disable' }, 'only_tls')).rejects.toThrow(refused)
      await expect(isEncrypted('localhost', { sslmode: 'require' }, 'no_tls')).rejects.toThrow(refused)
    })
  },
)
