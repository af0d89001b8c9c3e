import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run, scratchDirectory } from '@collab-etl/harness/commands'
import { freshDatabase, onServer, postgresServer } from '@collab-etl/harness/postgres'
import { expect, test } from 'vitest'

const server = postgresServer()

test.skipIf(server === null)('the password of the database may be in a file alone, as in compose.yaml', async () => {
  await using scratch = await scratchDirectory()
  const { name, url, drop } = await freshDatabase(server ?? '')
  const role = `loader_${name}`
  await onServer(
    server ?? '',
    `CREATE ROLE ${role} LOGIN PASSWORD 'hush-hush'; ALTER DATABASE ${name} OWNER TO ${role}`,
  )
  try {
    const { hostname, port, pathname } = new URL(url)
    const file = join(scratch.path, 'pgpass')
    const initAs = async (password: string) => {
      await writeFile(file, `${hostname}:${port}:${name}:${role}:${password}\n`, { mode: 0o600 })
      const env = { DATABASE_URL: `postgres://${role}@${hostname}:${port}${pathname}`, PGPASSFILE: file }
      return await run('collab-extract', ['init'], { cwd: scratch.path, env })
    }
    // a server that trusts everybody would show nothing
    expect((await initAs('another')).code).toBe(1)
    const ran = await initAs('hush-hush')
    expect([ran.code, ran.stderr]).toEqual([0, expect.not.stringContaining('hush')])
  } finally {
    await drop()
    await onServer(server ?? '', `DROP ROLE ${role}`)
  }
})
