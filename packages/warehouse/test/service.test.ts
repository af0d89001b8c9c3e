import { expect, test } from 'vitest'
import { normalizedBaseUrl } from '../src/runs/service.ts'
import type { Warehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { page, project } from './support/records.ts'
import { batch, publishIn } from './support/snapshot.ts'

const ONE = 'https://one.example.com'
const TWO = 'https://two.example.com'

interface Service {
  readonly baseUrl: string
  readonly listed?: ReadonlySet<string>
  readonly rebinds?: boolean
}

/** A run that stores the projects, or none at all. */
async function run(warehouse: Warehouse, service: Service, pids: readonly string[]): Promise<void> {
  await using _lock = await warehouse.runs.lock()
  const begun = await warehouse.runs.begin({ toolVersion: '1.2.3', ...service })
  for (const pid of pids) {
    await publishIn(begun, pid, {
      projects: { batches: [batch('project', [project(pid)])] },
      pages: { batches: [batch('page', [page('g1')])] },
    })
  }
  await begun.finish({ status: 'succeeded', requests: 1, retries: 0, bytes: 1 })
}

test.each([
  ['HTTPS://One.Example.com:443/', ONE],
  ['https://one.example.com./', ONE],
  ['http://one.example.com:80', 'http://one.example.com'],
  ['https://one.example.com/Path//', 'https://one.example.com/Path'],
])('%s and %s name one service', (given, normalized) => {
  expect(normalizedBaseUrl(given)).toBe(normalized)
})

test.each(['http://one.example.com', 'https://one.example.com:8443', 'https://one.example.com/b'])(
  '%s names another service',
  (baseUrl) => expect(normalizedBaseUrl(baseUrl)).not.toBe(ONE),
)

onBackendsInTurn('the service of a schema', (backend) => {
  test('is that of the run that stored something: another is refused and leaves no trace', async () => {
    const warehouse = await backend.warehouse()
    await run(warehouse, { baseUrl: ONE }, ['p1'])
    await expect(run(warehouse, { baseUrl: TWO }, ['p2'])).rejects.toMatchObject({
      code: 'OTHER_SERVICE',
      message: expect.stringMatching(/one\.example\.com.*two\.example\.com.*--rebind-service/),
    })
    await expect(warehouse.runs.requireService(TWO)).rejects.toMatchObject({ code: 'OTHER_SERVICE' })
    expect(await warehouse.log.runs(10)).toHaveLength(1)
  })

  test('is the same for every spelling of its address', async () => {
    const warehouse = await backend.warehouse()
    await run(warehouse, { baseUrl: 'HTTPS://One.example.com:443/' }, ['p1'])
    await run(warehouse, { baseUrl: ONE }, ['p1'])
    await warehouse.runs.requireService('https://ONE.example.com/')
  })

  test('is another one once the run accepts it', async () => {
    const warehouse = await backend.warehouse()
    await run(warehouse, { baseUrl: ONE }, ['p1'])
    await run(warehouse, { baseUrl: TWO, listed: new Set(['p2']), rebinds: true }, ['p2'])
    await warehouse.runs.requireService(TWO)
    await expect(warehouse.runs.requireService(ONE)).rejects.toMatchObject({ code: 'OTHER_SERVICE' })
  })

  test('is not decided by a run that stored nothing, rebound or not', async () => {
    const warehouse = await backend.warehouse()
    await run(warehouse, { baseUrl: TWO }, [])
    await run(warehouse, { baseUrl: ONE }, ['p1'])
    await run(warehouse, { baseUrl: TWO, rebinds: true }, [])
    await warehouse.runs.requireService(ONE)
  })

  test('that lists none of the live projects is refused, one that lists a single one is not', async () => {
    const warehouse = await backend.warehouse()
    await run(warehouse, { baseUrl: ONE, listed: new Set(['p1', 'p2']) }, ['p1', 'p2'])
    for (const listed of [new Set<string>(), new Set(['p3', 'p4', 'p5', 'p6', 'p7'])]) {
      await expect(run(warehouse, { baseUrl: ONE, listed }, [])).rejects.toMatchObject({
        code: 'OTHER_SERVICE',
        message: expect.stringMatching(/none of the 2 .*\(p1, p2\).*--rebind-service/),
      })
    }
    await run(warehouse, { baseUrl: ONE, listed: new Set(['p2', 'p3']) }, [])
  })

  test('is open while no schema is there, or no run has stored anything', async () => {
    const warehouse = await backend.warehouse()
    await warehouse.runs.requireService(ONE)
    await run(warehouse, { baseUrl: ONE, listed: new Set() }, [])
    await warehouse.runs.requireService(TWO)
  })
})
