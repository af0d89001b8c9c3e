/** @module-tag thorough */

import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { World } from '../support/world.ts'
import { redirected } from './support/machine.ts'
import { stderrText } from './support/stderr-text.ts'

const TASKS = 'SELECT name FROM collab.tasks CROSS JOIN generate_series(1, 2000)'

fault('stdout is a full device', async (fixture) => {
  const world = await World.open(fixture, { filled: true })
  const options = { env: world.env, through: redirected('>/dev/full') }
  for (const how of [[], ['--csv'], ['--json']]) {
    const ran = await fixture.run('collab-extract', ['query', TASKS, ...how], options)
    expect([ran.code, stderrText(ran)]).toEqual([
      1,
      expect.stringMatching(/could not be written to stdout \(ENOSPC\)$/),
    ])
  }
  return fixture.named(await fixture.run('collab-extract', ['runs', '--json'], options), 1)
})

fault('the reader of stdout exits', async (fixture) => {
  const world = await World.open(fixture, { filled: true })
  const through = ['bash', '-c', 'set -o pipefail; "$@" | head -c 30', 'bash']
  for (const how of [['--csv'], ['--json']]) {
    const ran = await world.extract(['query', TASKS, ...how], { through })
    expect([ran.code, stderrText(ran), ran.stdout.length > 0]).toEqual([0, '', true])
  }
  const ran = await world.extract(['query', TASKS], { through })
  expect([stderrText(ran), ran.stdout.length > 0]).toEqual(['', true])
  await world.expectWhole()
  return fixture.cured(ran)
})

fault('stdin, stdout and stderr are closed', async (fixture) => {
  const world = await World.open(fixture, { filled: true })
  world.change(1)
  const ran = await world.snapshot([], { through: redirected('<&- >&- 2>&-') })
  expect([ran.stdout, ran.stderr]).toEqual(['', ''])
  await world.expectWhole()
  return fixture.cured(ran)
})

fault('stderr is a full device, stdout has no reader', async (fixture) => {
  const world = await World.open(fixture, { filled: true })
  world.change(1)
  const through = ['bash', '-c', 'set -o pipefail; "$@" 2>/dev/full | true', 'bash']
  const ran = await world.snapshot([], { through })
  await world.expectWhole()
  return fixture.cured(ran)
})
