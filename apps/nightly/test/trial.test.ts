import { resolve } from 'node:path'
import { Secret } from '@collab-etl/cli'
import { expect, test } from 'vitest'
import { refuseOtherPlaces } from '../src/run/trial.ts'

const NOTHING = { databaseUrl: undefined, dataDir: resolve('collab-data'), accounts: undefined, file: {} }

const ANNA = { name: 'anna', place: { kind: 'command', command: ['cat', 'token'] }, ratePerSecond: undefined } as const

test('a trial is allowed if no place for real data is set', () => {
  expect(() => refuseOtherPlaces(NOTHING, {})).not.toThrow()
})

test.each([
  ['a database', { ...NOTHING, databaseUrl: new Secret('postgres://u:p@h/d', 'postgres://u:***@h/d', ['p']) }, {}],
  ['a data directory', { ...NOTHING, dataDir: '/var/lib/collab' }, {}],
  ['a directory for backups', NOTHING, { out: '/var/backups/collab' }],
  ['a metrics file', NOTHING, { 'metrics-file': 'collab.prom' }],
  ['accounts: in the config file', { ...NOTHING, accounts: [ANNA] }, {}],
  ['nightly: in the config file', { ...NOTHING, file: { nightly: {} } }, {}],
])('a trial is refused if %s is set', (_what, settings, flags) => {
  expect(() => refuseOtherPlaces(settings, flags)).toThrow(
    /a trial on sample data below .\/collab-sample, which does not accept .*:/,
  )
})
