import { resolve } from 'node:path'
import { Secret } from '@collab-etl/cli'
import { expect, test } from 'vitest'
import { refuseOtherPlaces } from '../src/run/trial.ts'

const NOTHING = { databaseUrl: undefined, dataDir: resolve('collab-data'), file: {} }

test('a trial is allowed if no place for real data is set', () => {
  expect(() => refuseOtherPlaces(NOTHING, undefined)).not.toThrow()
})

test.each([
  [
    'a database',
    { ...NOTHING, databaseUrl: new Secret('postgres://u:p@h/d', 'postgres://u:***@h/d', ['p']) },
    undefined,
  ],
  ['a data directory', { ...NOTHING, dataDir: '/var/lib/collab' }, undefined],
  ['a directory for backups', NOTHING, '/var/backups/collab'],
  ['nightly: in the config file', { ...NOTHING, file: { nightly: {} } }, undefined],
])('a trial is refused if %s is set', (_what, settings, out) => {
  expect(() => refuseOtherPlaces(settings, out)).toThrow(
    /a trial on sample data below .\/collab-sample, which does not accept .*:/,
  )
})
