import { EXIT, type ExitCode } from '@collab-etl/cli'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type JobPlan, planOf } from '../src/config/plan.ts'
import {
  commandOf,
  type Done,
  exitCodeOf,
  isToCopy,
  type StepName,
  statusOf,
  stepsOf,
  whySkipped,
  worstOf,
} from '../src/run/steps.ts'

const PLAN: JobPlan = {
  ...planOf({ file: {} }, { out: '/b', verify: '1/7' }),
  keep: { daily: 7, within: '30d' },
  archive: { as: 'tar.zst', to: '/off', encrypt: ['age1x'], keep: { monthly: 12 } },
}

const ALL = ['snapshot', 'backup', 'verify', 'prune', 'archive', 'prune-archives', 'verify-older', 'drill'] as const

const BACKUP = { backup: '/b/20260101T000000Z', name: '20260101T000000Z' }

function ended(exitCode: ExitCode, document: Record<string, unknown> | null = null): Done {
  return { status: statusOf(exitCode), exitCode, document }
}

/** Which steps run if each ends with a code; a step that is not named ends with 0. */
function ran(codes: Partial<Record<StepName, ExitCode>>, hasEarlier = true): StepName[] {
  const done = new Map<StepName, Done>()
  for (const step of stepsOf(PLAN, true)) {
    const isSkipped = whySkipped(step, done, { hasEarlier }) !== null
    done.set(
      step,
      isSkipped ? { status: 'skipped', exitCode: null, document: null } : ended(codes[step] ?? EXIT.ok, BACKUP),
    )
  }
  return [...done].flatMap(([step, { status }]) => (status === 'skipped' ? [] : [step]))
}

describe('a failed step stops only those that are not safe without it', () => {
  test.each([
    { codes: {}, runs: ALL },
    {
      codes: { snapshot: EXIT.partial, backup: EXIT.partial },
      runs: ALL,
    },
    { codes: { snapshot: EXIT.unexpected }, runs: ['snapshot', 'verify', 'verify-older', 'drill'] },
    { codes: { snapshot: EXIT.locked }, runs: ['snapshot'] },
    { codes: { backup: EXIT.unexpected }, runs: ['snapshot', 'backup', 'verify', 'verify-older', 'drill'] },
    { codes: { verify: EXIT.damage }, runs: ['snapshot', 'backup', 'verify', 'verify-older'] },
    { codes: { prune: EXIT.unexpected }, runs: ALL },
    { codes: { archive: EXIT.unexpected }, runs: ALL.filter((step) => step !== 'prune-archives') },
  ] as const)('$codes: $runs', ({ codes, runs }) => {
    expect(ran(codes)).toEqual(runs)
  })

  test('the first night verifies nothing if it writes no backup', () => {
    expect(ran({ snapshot: EXIT.unexpected }, false)).toEqual(['snapshot'])
    expect(ran({ backup: EXIT.unexpected }, false)).toEqual(['snapshot', 'backup'])
    expect(ran({}, false)).toContain('verify')
  })

  test('without the name of the backup no archive is written', () => {
    const done = new Map<StepName, Done>([
      ['snapshot', ended(EXIT.ok)],
      ['backup', ended(EXIT.ok)],
      ['verify', ended(EXIT.ok)],
    ])
    expect((['prune', 'archive'] as const).map((step) => whySkipped(step, done, { hasEarlier: true }))).toEqual([
      null,
      expect.stringContaining('no summary'),
    ])
  })

  test('for all exit codes: nothing is removed unless tonight has a backup without damage', () => {
    const code = fc.constantFrom(...Object.values(EXIT))
    fc.assert(
      fc.property(code, code, code, (snapshot, backup, verify) => {
        const isSafe = [snapshot, backup].every((one) => one === EXIT.ok || one === EXIT.partial) && verify === EXIT.ok
        expect(ran({ snapshot, backup, verify }).includes('prune')).toBe(isSafe)
      }),
    )
  })
})

test('the worst exit code wins: interruption, authorisation, damage, failure, partial', () => {
  expect(worstOf([0, 3, 5, 4])).toBe(4)
  expect(worstOf([3, 5, 0])).toBe(5)
  expect(worstOf([3, 1])).toBe(1)
  expect(worstOf([0, 3])).toBe(3)
  expect(worstOf([4, 143])).toBe(143)
  expect(worstOf([0, 0])).toBe(0)
})

describe('the exit code of a night', () => {
  const of = (codes: Partial<Record<StepName, ExitCode>>) =>
    exitCodeOf(new Map(Object.entries(codes).map(([name, code]) => [name as StepName, ended(code)])))

  test('a refused setting is 2 before anything is stored, and 1 later', () => {
    expect(of({ snapshot: EXIT.usage })).toBe(2)
    expect(of({ snapshot: EXIT.ok, backup: EXIT.usage })).toBe(1)
    expect(of({ snapshot: EXIT.ok, backup: EXIT.ok, archive: EXIT.usage })).toBe(1)
  })

  test('does not depend on what an earlier backup says, unless its verification is interrupted', () => {
    for (const snapshot of [EXIT.usage, EXIT.unexpected, EXIT.unauthorised, EXIT.locked]) {
      for (const verify of [EXIT.ok, EXIT.damage, EXIT.unexpected, EXIT.usage]) {
        expect(of({ snapshot, verify }), `${snapshot} ${verify}`).toBe(snapshot)
      }
      expect(of({ snapshot, verify: EXIT.sigterm })).toBe(143)
    }
    expect(of({ snapshot: EXIT.ok, backup: EXIT.unexpected, verify: EXIT.damage })).toBe(1)
    expect(of({ snapshot: EXIT.partial, backup: EXIT.partial, verify: EXIT.damage })).toBe(5)
  })
})

test('the programs of after run in spite of damage in an older copy, and of no other failure', () => {
  const of = (codes: Partial<Record<StepName, ExitCode>>, others: ExitCode[] = []) =>
    isToCopy(new Map(Object.entries(codes).map(([name, code]) => [name as StepName, ended(code)])), others)
  const written = { snapshot: EXIT.ok, backup: EXIT.partial, verify: EXIT.ok }
  expect(of({ ...written, 'verify-older': EXIT.damage })).toBe(true)
  expect(of({ ...written, 'verify-older': EXIT.damage }, [EXIT.unexpected])).toBe(false)
  expect(of({ ...written, verify: EXIT.damage, 'verify-older': EXIT.damage })).toBe(false)
  expect(of({ ...written, 'verify-older': EXIT.unexpected })).toBe(false)
  expect(of({ snapshot: EXIT.unexpected, 'verify-older': EXIT.damage })).toBe(false)
})

test('the steps of a plan and their commands', () => {
  const done = new Map<StepName, Done>([['backup', ended(EXIT.ok, BACKUP)]])
  expect(stepsOf(PLAN, true).map((step) => commandOf(step, PLAN, done).args.join(' '))).toEqual([
    ...['snapshot', 'backup --out /b --format markdown,csv,jsonl', 'verify /b/20260101T000000Z --sample 1/7'],
    'prune /b --keep-daily 7 --keep-within 30d',
    'archive /b/20260101T000000Z --as tar.zst --out /off/20260101T000000Z.tar.zst.age --encrypt age1x',
    'prune /b --archives /off --keep-monthly 12',
    'verify /b --in-turn --archives /off',
    'drill --out /b --record-only',
  ])
  expect(stepsOf({ ...planOf({ file: {} }, { verify: 'off' }) })).toEqual(['snapshot', 'backup'])
})

test('content under nightly: is passed to the backup, and none by default', () => {
  const of = (nightly: object) => commandOf('backup', planOf({ file: { nightly } }, { out: '/b' }), new Map()).args
  expect(of({ content: ['pages', 'tasks'] }).join(' ')).toBe(
    'backup --out /b --format markdown,csv,jsonl --content pages,tasks',
  )
  expect(of({})).not.toContain('--content')
})

test('workers: N is a flag of the snapshot', () => {
  expect(commandOf('snapshot', planOf({ file: {} }, {}), new Map()).args).toEqual(['snapshot'])
  const plan = planOf({ file: { nightly: { workers: 0 } } }, {})
  expect(commandOf('snapshot', plan, new Map()).args).toEqual(['snapshot', '--workers', '0'])
})
