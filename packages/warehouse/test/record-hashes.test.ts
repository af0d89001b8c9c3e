import { hash } from 'node:crypto'
import { testEveryNth } from '@collab-etl/harness/thorough'
import { expect } from 'vitest'
import { schemaNames } from '../src/names.ts'
import { RecordHashes } from '../src/staging/record-hashes.ts'
import { tableByName } from '../src/tables/index.ts'
import { onBackendsInTurn } from './support/backends.ts'

onBackendsInTurn('hashes of stored records', (backend) => {
  // above 2^17 records, the hashes are fetched in several parts
  testEveryNth([3, 140_000], 2)(
    'are all loaded: %i live ones, two without a hash, none that was deleted',
    async (count) => {
      const { schema } = await backend.warehouse()
      await backend.driver.query(
        `INSERT INTO ${schema}.tasks (pid, tid, record_hash, valid_from, deleted_at)
       SELECT 'p', 't' || i, CASE WHEN i > 2 THEN md5('t' || i)::uuid END, timestamptz '2024-01-01' + i * interval '1 second',
         CASE WHEN i > $1::integer + 2 THEN now() END
       FROM generate_series(1, $1::integer + 3) AS i`,
        [count],
      )
      const newest: (Date | null)[] = []
      const onTime = (time: Date | null) => newest.push(time)
      const names = schemaNames(schema)
      const hashes = await RecordHashes.load(backend.driver, names, tableByName('tasks'), 'p', onTime)
      const hashOf = (number: number) => hash('md5', `t${number}`, 'binary')
      for (let number = 3; number <= count + 2; number++) {
        if (hashes?.see(hashOf(number), number) !== 'unchanged') expect.fail(`the hash of t${number} was not loaded`)
      }
      expect(hashes?.see(hashOf(count + 3), 0)).toBe('changed')
      expect(hashes?.seen).toBe(count)
      // those without a hash may differ in any value
      expect(hashes?.isWhollySeen).toBe(false)
      expect(Math.max(...newest.map(Number))).toBe(Date.UTC(2024, 0, 1) + 1000 * (count + 2))
      expect(await RecordHashes.load(backend.driver, names, tableByName('tasks'), 'q', onTime)).toBeNull()
    },
  )
})
