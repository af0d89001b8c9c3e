/** @module-tag thorough */

import { isDeepStrictEqual } from 'node:util'
import { testThoroughly, times } from '@collab-etl/harness/thorough'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { onBackendsOfSlowTests } from './support/backends.ts'
import { expectChanges } from './support/changes-check.ts'
import { historyCases } from './support/history-cases.ts'
import { expectLive, expectOnlyHashesWritten, expectStates, traceOfWrites } from './support/history-check.ts'
import { Model } from './support/history-model.ts'
import type { State } from './support/history-rows.ts'
import { expectReported, runModel, runScript } from './support/history-run.ts'
import type { RunScript } from './support/history-script.ts'
import { step } from './support/history-states.ts'
import { Service } from './support/history-telling.ts'

/** Sequences of states; twelve meet nearly every outcome. COLLAB_TEST_HISTORY_RUNS sets another number, to look for cases that these do not meet. */
const RUNS = Number(process.env['COLLAB_TEST_HISTORY_RUNS'] ?? times(1, 12))

const HALF = Math.ceil(RUNS / 2)

onBackendsOfSlowTests('history', (backend) => {
  test(
    'after any history, each state can be read, and unchanged runs add hashes at most',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 4 }), async (steps) => {
          const warehouse = await backend.warehouse()
          const [service, model] = [new Service(), new Model()]
          const states: { at: string; state: State }[] = []
          const carryOut = async (script: RunScript) => {
            const { startedAt, results } = await runScript(backend, warehouse, script)
            const expected = runModel(model, script, startedAt)
            states.push({ at: startedAt, state: model.state() })
            await expectLive(backend, warehouse.schema, model.state())
            expectReported(results, expected)
          }
          const carryOutAgain = async (script: RunScript) => {
            const before = await traceOfWrites(backend, warehouse.schema)
            const { startedAt } = await runScript(backend, warehouse, { ...script, forgetsHashes: false })
            runModel(model, script, startedAt)
            // what was refused may be few enough by now, beside what has come
            const hasNews = !isDeepStrictEqual(model.state(), states.at(-1)?.state)
            if (!hasNews) expectOnlyHashesWritten(before, await traceOfWrites(backend, warehouse.schema))
            states.push({ at: startedAt, state: model.state() })
          }
          for (const each of steps) {
            const script = service.next(each)
            await carryOut(script)
            if (each.followedBy === 'same' && script.finishes) await carryOutAgain(script)
            if (each.followedBy !== 'whole') continue
            await carryOut(service.whole(each))
            await carryOutAgain(service.whole(each))
          }
          await expectStates(backend, warehouse.schema, states)
          const times = states.map(({ at }) => at)
          await expectChanges(backend.driver, warehouse.schema, times)
        }),
        { numRuns: RUNS, examples: historyCases(RUNS), interruptAfterTimeLimit: 40_000 * RUNS },
      )
    },
    60_000 * RUNS,
  )

  testThoroughly(
    'a run reports the same whether unchanged records were recognised by hash or compared',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 3 }), async (steps) => {
          const input = async (forgetsHashes: boolean) => {
            const warehouse = await backend.warehouse()
            const service = new Service()
            const all: unknown[] = []
            for (const each of steps) {
              for (const script of [service.next(each), service.whole(each), service.whole(each)]) {
                const { results, runId } = await runScript(backend, warehouse, { ...script, forgetsHashes })
                const { losses } = (await warehouse.log.run(runId)) ?? { losses: [] }
                const lost = losses.map(({ pid, stream, record_key, field, kind }) =>
                  [pid, stream, record_key, field, kind].join(' '),
                )
                all.push({ scopes: results.map(({ scopes }) => scopes), tables: results.map(({ tables }) => tables) })
                all.push(lost.toSorted())
              }
            }
            return all
          }
          expect(await input(false)).toEqual(await input(true))
        }),
        { numRuns: HALF, examples: historyCases(HALF), interruptAfterTimeLimit: 40_000 * RUNS },
      )
    },
    60_000 * RUNS,
  )
})
