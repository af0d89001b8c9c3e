import { expect, test } from 'vitest'
import type { Run } from '../src/snapshot/run.ts'
import type { Warehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { webhook } from './support/records.ts'
import {
  batch,
  compared,
  inRun,
  LIMITS,
  live,
  NO_LIMITS,
  publishIn,
  type Streams,
  streamOf,
} from './support/snapshot.ts'

/** The webhooks of each list by its project; `''` is the personal one. */
type Lists = Readonly<Record<string, readonly string[]>>

const input = (pid: string, wids: readonly string[]) => ({
  webhooks: streamOf('webhook', wids, () => ({ pid, name: `of ${pid}` })),
})

const publish = (run: Run, pid: string, wids: readonly string[]) =>
  publishIn(run, pid === '' ? null : pid, input(pid, wids), NO_LIMITS)

/** A run that reads the lists in their order; gives what it listed and how many rows it changed. */
async function read(warehouse: Warehouse, lists: Lists) {
  let changed = 0
  const run = await inRun(warehouse, async (run) => {
    for (const [pid, wids] of Object.entries(lists)) {
      const { inserted, updated, deleted } = (await publish(run, pid, wids)).tables.webhooks ?? {
        inserted: 0,
        updated: 0,
        deleted: 0,
      }
      changed += inserted + updated + deleted
    }
    return run
  })
  const losses = (await warehouse.log.run(run.id))?.losses ?? []
  return { changed, losses: losses.map(({ pid, record_key: wid, kind }) => `${kind} ${wid} of ${pid}`) }
}

const owners = async (warehouse: Warehouse) =>
  (await live(warehouse, 'webhooks', ['wid', 'pid', 'name'])).map(({ wid, pid, name }) => `${wid} ${pid} ${name}`)

onBackendsInTurn('one webhook in several lists', (backend) => {
  test.each([
    ['personal first', { '': ['w1'], p2: ['w1'], p1: ['w1'] }],
    ['smallest project first', { p1: ['w1'], p2: ['w1'], '': ['w1'] }],
    ['smallest project in between', { p2: ['w1'], p1: ['w1'], '': ['w1'] }],
  ])('it is that of the smallest project, and each other list is a loss in every run: %s', async (_, lists) => {
    const warehouse = await backend.warehouse()
    for (const isFirst of [true, false, false]) {
      const { changed, losses } = await read(warehouse, lists)
      expect(await owners(warehouse)).toEqual(['w1 p1 of p1'])
      expect(losses).toEqual(['duplicate w1 of null', 'duplicate w1 of p2'])
      if (!isFirst) expect(changed).toBe(0)
    }
  })

  test('it is a conversion issue of the run that resumes the one that read both lists', async () => {
    const warehouse = await backend.warehouse()
    await using _lock = await warehouse.runs.lock()
    const begin = (resumes: boolean) => warehouse.runs.begin({ baseUrl: 'http://127.0.0.1', toolVersion: '', resumes })
    const killed = await begin(false)
    for (const pid of ['p1', 'p2']) await publish(killed, pid, ['w1'])
    await killed.finish({ status: 'interrupted', requests: 0, retries: 0, bytes: 0 })
    const run = await begin(true)
    const error = { code: 'RESUMED', message: '' }
    for (const pid of ['p1', 'p2']) await publishIn(run, pid, { webhooks: { status: 'skipped', error } })
    expect(await run.finish({ status: 'succeeded', requests: 0, retries: 0, bytes: 0 })).toMatchObject({ losses: 1 })
  })

  test('it belongs to the project that it names, in any order, and a comparison agrees', async () => {
    const warehouse = await backend.warehouse()
    const shared: Streams = { webhooks: { batches: [batch('webhook', [webhook('w1', { pid: 'p2' })])] } }
    for (const order of [
      ['p1', 'p2'],
      ['p2', 'p1'],
    ]) {
      await inRun(warehouse, async (run) => {
        for (const pid of order) await publishIn(run, pid, shared)
      })
      expect(await live(warehouse, 'webhooks', ['wid', 'pid'])).toEqual([{ wid: 'w1', pid: 'p2' }])
    }
    for (const pid of ['p1', 'p2']) {
      const scopes = await compared(warehouse, shared, pid)
      expect(scopes.map(({ differences }) => differences)).toEqual([[]])
    }
  })

  test('a list that was not read keeps its entries, and is named as well', async () => {
    const warehouse = await backend.warehouse()
    await read(warehouse, { p1: ['w1', 'w2'], p2: ['w1'] })
    const { losses } = await read(warehouse, { p2: ['w1'] })
    expect(losses).toEqual(['duplicate w1 of p2'])
    expect((await read(warehouse, { p3: ['w9'] })).losses).toEqual([])
    expect(await owners(warehouse)).toEqual(['w1 p1 of p1', 'w2 p1 of p1', 'w9 p3 of p3'])
  })

  test('a refused answer of another project adds nothing that would be missing later', async () => {
    const warehouse = await backend.warehouse()
    const of = (owner: string): Streams => ({
      webhooks: streamOf(
        'webhook',
        ['1', '2', '3'].map((n) => `${owner}-${n}`),
        () => ({ pid: owner }),
      ),
    })
    const night = (answered: string) =>
      inRun(warehouse, async (run) => {
        const { scopes } = await publishIn(run, 'p1', of(answered), LIMITS)
        await publishIn(run, 'p2', of('p2'), LIMITS)
        return scopes
      })
    await night('p1')
    expect(await night('p2')).toMatchObject([{ status: 'refused' }])
    expect(await night('p1')).toMatchObject([{ status: 'complete', rowsDeleted: 0 }])
    expect(await live(warehouse, 'webhooks', ['wid'])).toHaveLength(6)
  })

  test('a comparison takes a webhook of two lists for that of the first', async () => {
    const warehouse = await backend.warehouse()
    await read(warehouse, { p1: ['w1'], p2: ['w1'] })
    for (const pid of ['p1', 'p2']) {
      const scopes = await compared(warehouse, input(pid, ['w1']), pid)
      expect(scopes.map(({ differences }) => differences)).toEqual([[]])
    }
  })
})
