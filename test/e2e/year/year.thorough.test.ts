/** @module-tag thorough */

import { randomInt } from 'node:crypto'
import { readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { rounds } from '@collab-etl/harness/thorough'
import { drawsNewCases } from '@collab-etl/harness/thorough-tag'
import { expect, test } from 'vitest'
import { Dice } from '../worlds/dice.ts'
import { changesClocks } from './calendar.ts'
import { bytesOf, filesOf, type HeldFile, writtenAgain } from './disk.ts'
import { type Conditions, type Ended, linesOf, Place } from './place.ts'
import { type Kept, keptOf } from './retention.ts'
import { changeService, rowsNow } from './service.ts'
import { TROUBLES, type Trouble } from './troubles.ts'

/*
 * A year of nights, 2027 in Berlin, on a simulated clock. Each night the service has changed; every fifth night a trouble begins. What
 * must follow is worked out here. COLLAB_TEST_YEAR=SEED runs one year again, COLLAB_TEST_ROUNDS=N so many nights of it.
 */

const SEED = Number(process.env['COLLAB_TEST_YEAR'] ?? (drawsNewCases() ? randomInt(1e6) : 1))
const NIGHTS = rounds(365, 365)
const EVERY = 5
/** Of the troubles, each so many-th strikes real programs: 24 in a year. */
const REAL_EVERY = 3
/** Number of past states that are looked at after the year, of about so many. */
const PAST = 12
/** Exit code on record of a night whose job was killed. */
const KILLED = 137
const HOUR_MS = 3_600_000

test('a year: no night is lost needlessly; each trouble is reported once, and so is its end', {
  timeout: 3_600_000,
}, async () => {
  await using place = await Place.open(SEED)
  const year = new Year(place, new Dice(SEED))
  for (let night = 0; night < NIGHTS; night++) await year.night(night)
  await year.end()
})

interface HeldBackup extends Kept {
  readonly files: ReadonlyMap<string, HeldFile>
}

class Year {
  readonly #place: Place
  readonly #dice: Dice
  #trouble: Trouble | null = null
  #nightsLeft = 0
  /** Exit code of the last night; `null`: its job was killed. */
  #lastCode: number | null = 0
  /** Trouble of the last night. */
  #last: Trouble | null = null
  /** The scopes that the last reported night did not read as a whole. */
  #lacks: readonly string[] = []
  /** Begin of the last night whose snapshot and backup succeeded, by the clock that it had. */
  #lastWholeAt = 0
  #backups: readonly HeldBackup[] = []
  /** The backup that the next one links its unchanged files to. */
  #latest = ''
  /** Bytes that all nights wrote, less what `prune` removed. */
  #bytes = 0
  readonly #past: { readonly at: Date; readonly rows: Record<string, string[]> }[] = []

  constructor(place: Place, dice: Dice) {
    this.#place = place
    this.#dice = dice
  }

  async night(night: number): Promise<void> {
    const [place, dice] = [this.#place, this.#dice]
    // what it holds at first is found before anything that names it goes
    if (night > 0) changeService(place.sandbox, dice)
    await place.turnTo(night)
    const trouble = this.#troubleOf(night)
    const ends = new AsyncDisposableStack()
    try {
      const conditions = { ...(await trouble?.strike(place, dice, ends)), isReal: trouble?.isReal === true }
      const ran = await place.nightly(['run'], conditions)
      await ends.disposeAsync()
      await this.#judge(ran, trouble, conditions)
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      const title = `COLLAB_TEST_YEAR=${SEED}, night ${night}, ${trouble?.name ?? 'without trouble'}`
      throw new Error(`${title}: ${reason}`, { cause })
    } finally {
      await ends.disposeAsync()
    }
  }

  /** The trouble of a night, which may have begun in an earlier one. */
  #troubleOf(night: number): Trouble | null {
    if (--this.#nightsLeft > 0) return this.#trouble
    this.#trouble = null
    if (night === 0 || night % EVERY !== 0) return null
    const isReal = (night / EVERY) % REAL_EVERY === REAL_EVERY - 1
    this.#trouble = this.#dice.pick(TROUBLES.filter((of) => (of.isReal === true) === isReal)) ?? null
    this.#nightsLeft = this.#dice.int(1, this.#trouble?.most ?? 1)
    return this.#trouble
  }

  async #judge(ran: Ended, trouble: Trouble | null, { clockErrorMs = 0 }: Conditions): Promise<void> {
    const isSaved = trouble === null || trouble.passes
    expect(ran.code, `${ran.stderr} ${JSON.stringify(ran.document?.['steps'])}`).toBe(isSaved ? 0 : trouble.exitCode)
    const wasCalm = this.#lastCode === 0
    this.#judgeReports(ran, trouble)
    await this.#judgeBackups(ran)
    const steps = stepsOf(ran)
    if (steps.get('snapshot') === 'ok')
      this.#past.push({ at: ran.endedAt, rows: linesOf(rowsNow(this.#place.sandbox)) })
    if (steps.get('snapshot') === 'ok' && steps.get('backup') === 'ok')
      this.#lastWholeAt = Date.parse(String(ran.document?.['started_at']))
    if (trouble === null && wasCalm && !changesClocks(ran.endedAt)) return
    const status = await this.#place.nightly(['status', '--max-age', '26h'], { clockErrorMs })
    const isStale = ran.endedAt.getTime() + clockErrorMs - this.#lastWholeAt > 26 * HOUR_MS
    expect(status.code, status.stdout).toBe(isStale ? 6 : 0)
  }

  /** Each change of what the job ends with, or of what it lacks, is reported, once. The health check hears of every night. */
  #judgeReports(ran: Ended, trouble: Trouble | null): void {
    const { code } = ran
    const lacks = code === null ? this.#lacks : [...lackingOf(ran)].sort()
    const received = this.#place.receiver.received.splice(0)
    const pings = received.flatMap(({ path = '' }) => (path.startsWith('/ping') ? [path] : []))
    expect(pings.sort()).toEqual([...(code === null ? [] : [`/ping/${code}`]), '/ping/start'].sort())
    const messages = received.filter(({ path }) => path === '/change').map(({ body }) => JSON.parse(body) as Message)
    // a job that was killed could not
    const late = this.#lastCode === null ? [KILLED] : []
    const isSame = code === this.#lastCode && lacks.join() === this.#lacks.join()
    const now = code === null || isSame ? [] : [code]
    expect(messages.map(({ night }) => night.exit_code)).toEqual([...late, ...now])
    for (const { title, text, night } of messages) {
      if (night.exit_code === 0) expect(title).toContain('recovered')
      else expect(text).toMatch((night.exit_code === KILLED ? this.#last : trouble)?.says ?? /^nothing is wrong$/)
    }
    this.#lastCode = code
    this.#last = trouble
    this.#lacks = lacks
  }

  async #judgeBackups(ran: Ended): Promise<void> {
    const { out } = this.#place
    const before = this.#backups
    const linked = before.find(({ name }) => name === this.#latest)
    const { names, others } = await this.#place.backups()
    const [name, ...more] = names.filter((held) => before.every((of) => of.name !== held))
    expect(more).toEqual([])
    const files = name === undefined ? null : await filesOf(join(out, name))
    const all = name === undefined || files === null ? before : [...before, { name, files, lacks: lackingOf(ran) }]
    const isPruned = stepsOf(ran).get('prune') === 'ok'
    expect(names).toEqual(isPruned ? keptOf(all) : all.map((held) => held.name))
    this.#backups = all.filter((held) => names.includes(held.name))
    this.#latest = await readlink(join(out, 'latest'))
    if (ran.code === 0) {
      expect(others).toEqual(['.collab-export', '.collab-nightly', 'latest'])
      expect(this.#latest).toBe(name)
    }
    this.#bytes -= bytesOf(all) - bytesOf(this.#backups)
    if (files === null) return
    const written = bytesOf(all) - bytesOf(before)
    const { new_bytes: reported = written } = (ran.document?.['backup'] ?? {}) as { new_bytes?: number }
    expect(reported).toBe(written)
    this.#bytes += reported
    expect(writtenAgain(files, linked?.files ?? new Map())).toEqual([])
  }

  /** What an operator sees after the year, the disk, and the history. */
  async end(): Promise<void> {
    const status = await this.#place.nightly(['status', '--max-age', '26h'])
    expect(status).toMatchObject({
      code: 0,
      document: {
        last_run: { outcome: 'whole' },
        last_whole_at: new Date(this.#lastWholeAt).toISOString(),
        consecutive_failures: 0,
        backups: { count: this.#backups.length, damaged: [] },
      },
    })
    const report = await this.#place.nightly(['report', '--out', join(this.#place.disk.path, 'report')])
    expect(report).toMatchObject({ code: 0, document: { nights: NIGHTS, warehouse_problem: null } })
    expect(bytesOf(this.#backups)).toBe(this.#bytes)
    for (const { at, rows } of this.#dice.some(this.#past, PAST / this.#past.length)) {
      const found = await this.#place.rowsAsOf(at)
      for (const table of new Set([...Object.keys(found), ...Object.keys(rows)]))
        expect([at, table, found[table]]).toEqual([at, table, rows[table]])
    }
  }
}

/** A message as `json`. */
interface Message {
  readonly title: string
  readonly text: string
  readonly night: { readonly exit_code: number }
}

function stepsOf({ document }: Ended): Map<string, string> {
  const steps = (document?.['steps'] ?? []) as readonly { readonly name: string; readonly status: string }[] // of the night
  return new Map(steps.map(({ name, status }) => [name, status]))
}

/** The scopes that a night did not read as a whole. */
function lackingOf({ document }: Ended): ReadonlySet<string> {
  const { not_whole: scopes = [] } = (document?.['snapshot'] ?? {}) as {
    readonly not_whole?: readonly { readonly pid: string; readonly stream: string }[]
  }
  return new Set(scopes.map(({ pid, stream }) => `${pid} ${stream}`))
}
