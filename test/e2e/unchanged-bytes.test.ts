/** @module-tag thorough */

import { backendsOfSlowTests } from '@collab-etl/harness/backends'
import { rounds } from '@collab-etl/harness/thorough'
import { openWarehouse, type Warehouse } from '@collab-etl/warehouse'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nights, scriptOf, startService } from './changing-nights.ts'
import { damage, type ReadNight, readNight, rowsOf } from './read-night.ts'

const ROUNDS = rounds(2, 60)

describe.each(backendsOfSlowTests())('records that come in the same bytes ($name)', (backend) => {
  test('any nights: results and rows equal those of a reading that parses everything', async () => {
    const service = await startService()
    const opened = [await backend.open(), await backend.open()]
    const warehouses = await Promise.all(
      opened.map(({ env }) =>
        openWarehouse({
          ...(env['DATABASE_URL'] && { databaseUrl: env['DATABASE_URL'] }),
          dataDir: env['COLLAB_DATA_DIR'] ?? '',
          schema: 'collab',
        }),
      ),
    )
    let number = 0
    let unparsed = 0
    try {
      for (const warehouse of warehouses) await warehouse.admin.migrate()
      const [skipping, parsing] = warehouses as [Warehouse, Warehouse]
      await fc.assert(
        fc.asyncProperty(nights, async (spec) => {
          const pid = `p${++number}`
          for (const night of scriptOf(spec, pid)) {
            service.show(pid, night.world)
            const results: ReadNight[] = []
            for (const warehouse of [skipping, parsing]) {
              if (night.damage !== null) await damage(opened[warehouses.indexOf(warehouse)]?.env ?? {}, night.damage)
              results.push(await readNight(warehouse, service, pid, night, { parsesAll: warehouse === parsing }))
            }
            expect(results[0]?.published).toEqual(results[1]?.published)
            unparsed += results[0]?.unparsed ?? 0
            expect(await rowsOf(skipping, pid)).toEqual(await rowsOf(parsing, pid))
          }
        }),
        { numRuns: ROUNDS, endOnFailure: true },
      )
      // in a few rounds there may be no record that is the same twice
      if (ROUNDS >= 20) expect(unparsed).toBeGreaterThan(number)
    } finally {
      await service.close()
      for (const warehouse of warehouses) await warehouse.close()
      for (const each of opened) await each[Symbol.asyncDispose]()
    }
  })
})
