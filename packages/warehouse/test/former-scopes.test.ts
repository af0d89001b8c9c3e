import { expect, test } from 'vitest'
import { onBackendsInTurn } from './support/backends.ts'
import { page } from './support/records.ts'
import { batch, inRun, snapshot } from './support/snapshot.ts'

onBackendsInTurn('how earlier runs read a scope', (backend) => {
  const PAGES = { pid: 'p1', stream: 'pages' } as const
  const HOOKS = { pid: null, stream: 'webhooks' } as const
  const notAllowed = { status: 'skipped', error: { code: 'NOT_ALLOWED', message: 'it may not be read' } } as const

  test('is no entry, whether it was read, and whether it was not allowed the last time', async () => {
    const warehouse = await backend.warehouse()
    const former = () => inRun(warehouse, (run) => run.formerScopes([PAGES, HOOKS]))
    expect(await former()).toEqual([])
    await snapshot(warehouse, { pages: { batches: [batch('page', [page('g1')])] } })
    expect(await former()).toEqual([{ ...PAGES, wasNotAllowed: false, wasRead: true }])
    await snapshot(warehouse, { pages: notAllowed })
    await snapshot(warehouse, { webhooks: notAllowed }, { pid: null })
    expect((await former()).toSorted((a, b) => (a.stream < b.stream ? -1 : 1))).toEqual([
      { ...PAGES, wasNotAllowed: true, wasRead: true },
      { ...HOOKS, wasNotAllowed: true, wasRead: false },
    ])
    await snapshot(warehouse, { pages: { status: 'failed' } })
    expect(await former()).toContainEqual({ ...PAGES, wasNotAllowed: false, wasRead: true })
  })
})
