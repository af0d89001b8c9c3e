import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Answer, startReceiver } from '@collab-etl/harness/receiver'
import { expect } from 'vitest'
import { stringify } from 'yaml'
import { fault } from '../support/fault.ts'
import type { Fixture } from '../support/fixture.ts'

const SMALL = { seed: 3, projects: 1, tasks: 10, archived: 5, pages: 5, posts: 3, events: 3 }

/** A part of the address of each receiver, which no output may contain. */
const SECRET_PATH = 'hush-hush-path'

/** A service, and a collab.yaml with this under `nightly:`. Returns a function that runs a night. */
async function nightlyJob(fixture: Fixture, nightly: Record<string, unknown>) {
  const { baseUrl } = await fixture.startSandbox(SMALL)
  const file = { base_url: baseUrl, data_dir: 'data', nightly: { out: 'backups', ...nightly } }
  await writeFile(join(fixture.path, 'collab.yaml'), stringify(file))
  return async (...args: string[]) => {
    const ran = await fixture.run('collab-nightly', args)
    expect(ran.stdout + ran.stderr).not.toContain(SECRET_PATH)
    return ran
  }
}

const TARGETS: readonly {
  readonly name: string
  readonly does: string
  readonly answer: Answer
  readonly says: string
}[] = [
  {
    name: 'targets that hang',
    does: 'accept each request and never answer',
    answer: () => 'never',
    says: 'it did not answer within 10 s, 3 times',
  },
  { name: 'targets that redirect', does: 'answer with a redirect', answer: () => 302, says: 'which is not followed' },
  { name: 'targets that fail', does: 'answer HTTP 500', answer: () => 500, says: 'it answered HTTP 500, 3 times' },
]

for (const { name, does, answer, says } of TARGETS) {
  fault(
    {
      category: 'machine',
      name: `nightly ${name}`,
      does: `health check and receivers of notifications ${does}`,
      holds:
        'the night is whole and on record, a warning names each one without its address, and no redirect is followed',
    },
    async (fixture) => {
      await using watcher = await startReceiver(answer)
      const url = `${watcher.url}/${SECRET_PATH}`
      const night = await nightlyJob(fixture, { ping: url, notify: [{ url, when: 'always', as: 'slack' }] })
      const ran = await night('--quiet')
      const warnings = ran.stderr.split('\n').filter((line) => line.includes('could not be delivered'))
      expect(warnings).toHaveLength(3)
      // the start is not attempted any more once the night has ended
      for (const line of warnings) if (!line.includes('the start of the ping')) expect(line).toContain(says)
      expect(watcher.received.filter(({ path }) => path === '/elsewhere')).toEqual([])
      expect((await night('status', '--max-age', '1h')).code).toBe(0)
      return fixture.cured(ran)
    },
  )
}

fault(
  {
    category: 'machine',
    name: 'metrics directory that cannot be written',
    does: 'the directory of the metrics file is missing',
    holds: 'the night is whole and on record, and a warning names the file',
  },
  async (fixture) => {
    const night = await nightlyJob(fixture, { metrics_file: 'missing/collab.prom' })
    const ran = await night('--quiet')
    expect(ran.stderr).toMatch(/the metrics file \S+missing\/collab.prom cannot be written \(ENOENT\)/)
    expect((await night('status', '--max-age', '1h')).code).toBe(0)
    return fixture.cured(ran)
  },
)

fault(
  {
    category: 'machine',
    name: 'report of a warehouse with 0 runs',
    does: 'a report is written without a warehouse, of one with 0 runs, and into a directory that is missing',
    holds: 'each report says what is missing and holds no token; the next night is whole, and its report shows it',
  },
  async (fixture) => {
    const night = await nightlyJob(fixture, { report: 'www' })
    const page = () => readFile(join(fixture.path, 'www/index.html'), 'utf8')
    expect((await night('report')).code).toBe(3)
    expect(await page()).toMatch(/could not be read for this report: <q>[^<]*data/)
    expect((await fixture.run('collab-extract', ['init'])).code).toBe(0)
    expect((await night('report')).code).toBe(0)
    expect(await page()).toContain('The warehouse has no finished run yet')
    const lost = await night('report', '--out', 'missing/www')
    expect([lost.code, lost.stderr]).toEqual([1, expect.stringContaining('choose another directory with --out')])
    const ran = await night('--quiet')
    expect(await page()).toContain('Everything was read and backed up')
    expect(await page()).not.toContain(fixture.token)
    return fixture.cured(ran)
  },
)

fault(
  {
    category: 'machine',
    name: 'clock set back after a night',
    does: 'the last whole night is dated tomorrow, because the clock was wrong when it ran',
    holds:
      '`collab-nightly status --max-age` ends with 6 and says so; the next night is whole, and then it ends with 0',
  },
  async (fixture) => {
    const night = await nightlyJob(fixture, {})
    expect((await night('--quiet')).code).toBe(0)
    const record = join(fixture.path, 'backups/.collab-nightly/record.jsonl')
    const tomorrow = new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString()
    await writeFile(
      record,
      (await readFile(record, 'utf8')).replace(/"started_at":"[^"]+"/, `"started_at":"${tomorrow}"`),
    )
    const stale = await night('status', '--max-age', '26h')
    expect([stale.code, stale.stdout]).toEqual([6, expect.stringContaining('was the clock set back?')])
    const ran = await night('--quiet')
    expect((await night('status', '--max-age', '26h')).code).toBe(0)
    return fixture.cured(ran)
  },
)

fault(
  {
    category: 'machine',
    name: 'record of nights damaged',
    does: 'the record of nights is a directory during a night, then its last line is cut off',
    holds: 'the first night is whole with a warning; the next one is on record again',
  },
  async (fixture) => {
    const night = await nightlyJob(fixture, {})
    const record = join(fixture.path, 'backups/.collab-nightly/record.jsonl')
    await mkdir(record, { recursive: true })
    const ran = await night('--quiet')
    expect(ran.stderr).toContain('the record of nights beside the backups cannot be used')
    expect((await night('status')).code).not.toBe(0)
    await rmdir(record)
    await writeFile(record, '{"started_at":"2026-01-01T00:0')
    expect((await night('--quiet')).code).toBe(0)
    expect((await night('status', '--max-age', '1h')).code).toBe(0)
    return fixture.cured(ran)
  },
)
