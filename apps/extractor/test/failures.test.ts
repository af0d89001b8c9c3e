import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { isThorough } from '@collab-etl/harness/thorough-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { embedded, openWorld, plainLines, type World } from './world.ts'

/** Nothing listens on the port of `tcpmux` of loopback. */
const UNUSED = '127.0.0.1:1'

describe('one clear line and the right exit code', () => {
  let at: World
  beforeAll(async () => {
    at = await openWorld({ projects: 1, tasks: 1, archived: 0, pages: 0, posts: 0, events: 0 }, embedded)
    await writeFile(join(at.path, 'links.yaml'), 'links:\n  - kind: post\n')
  })
  afterAll(() => at[Symbol.asyncDispose]())

  test.each<{ edge: string; env?: Record<string, string>; args?: string[]; code: number; says: RegExp }>([
    { edge: 'no address', env: { COLLAB_BASE_URL: '' }, code: 2, says: /--base-url URL or set COLLAB_BASE_URL/ },
    { edge: 'no token', env: { COLLAB_TOKEN: '' }, code: 2, says: /no access token is set: set COLLAB_TOKEN/ },
    { edge: 'a wrong token', env: { COLLAB_TOKEN: 'wrong-token' }, code: 4, says: /100006.*Check the access token/ },
    {
      edge: 'an unreachable service',
      env: { COLLAB_BASE_URL: `http://${UNUSED}` },
      code: 1,
      says: /--base-url or COLLAB_BASE_URL sets the address/,
    },
    {
      edge: 'an unreachable database',
      env: { DATABASE_URL: `postgres://u:hush-hush@${UNUSED}/d` },
      code: 1,
      says: /127\.0\.0\.1/,
    },
    { edge: 'a bad schema name', env: { COLLAB_SCHEMA: 'x; DROP' }, code: 2, says: /schema/ },
    { edge: 'a bad flag', args: ['--streams', 'task'], code: 2, says: /there is no "task"/ },
    { edge: 'a link that is none', args: ['--config', 'links.yaml'], code: 2, says: /links\.yaml:1: links entry 1/ },
  ])('$edge: exit $code', async ({ env = {}, args = [], code, says }) => {
    const ran = await at.extract(['snapshot', ...args], { env: { COLLAB_RETRIES: '0', ...env } })
    expect(ran.code).toBe(code)
    const lines = plainLines(ran.stderr)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^collab-extract: /)
    expect(lines[0]).toMatch(says)
    for (const secret of [at.sandbox.token, 'hush-hush', 'wrong-token'])
      expect(ran.stdout + ran.stderr).not.toContain(secret)
  })
})

describe.runIf(isThorough())('a stream that the token may not read', () => {
  testThoroughly('is named once; the run is partial only if the item could be read before', async () => {
    await using at = await openWorld()
    const forbid = (operation: 'webhooks.list' | 'pages.list') =>
      at.sandbox.faults.add({ kind: 'http', status: 403, operation, times: 'always' })
    const webhooks = forbid('webhooks.list')
    const first = await at.extract(['snapshot'])
    expect(first.code).toBe(0)
    expect(first.stdout).toMatch(/The token may not read these.*\n(.*webhooks\n){4}/)
    const second = await at.snapshot()
    expect(second).toMatchObject({ code: 0, not_whole: [] })
    expect(second.of('webhooks')[0]).toMatchObject({ status: 'skipped', read: 0, error: { code: 'NOT_ALLOWED' } })
    expect(second.of('webhooks')).toHaveLength(4)
    forbid('pages.list')
    const third = await at.snapshot()
    expect(third).toMatchObject({ code: 3 })
    expect(third.not_whole.map(({ stream }: { stream: string }) => stream)).toEqual(['pages', 'pages', 'pages'])
    expect(third.of('pages')).toMatchObject(Array(3).fill({ status: 'skipped', access: 'lost' }))
    expect(await at.query('SELECT count(*) > 0 AS some FROM collab.pages WHERE deleted_at IS NULL')).toEqual([
      { some: true },
    ])
    const fourth = await at.extract(['snapshot'])
    expect(fourth.code).toBe(0)
    expect(fourth.stdout).toContain('7 scopes may not be read with this token (HTTP 403), as before')
    webhooks.remove()
    expect((await at.snapshot()).of('webhooks')).toMatchObject(Array(4).fill({ status: 'complete' }))
  })
})
