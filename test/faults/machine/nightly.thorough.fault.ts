/** @module-tag thorough */

import { mkdir, rmdir, writeFile } from 'node:fs/promises'
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
  readonly title: string
  readonly answer: Answer
  readonly says: string
}[] = [
  {
    title: 'nightly: receivers of pings and notifications hang',
    answer: () => 'never',
    says: 'it did not answer within 10 s, 3 times',
  },
  { title: 'nightly: receivers of pings and notifications redirect', answer: () => 302, says: 'which is not followed' },
  {
    title: 'nightly: receivers of pings and notifications fail',
    answer: () => 500,
    says: 'it answered HTTP 500, 3 times',
  },
]

for (const { title, answer, says } of TARGETS) {
  fault(title, async (fixture) => {
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
  })
}

fault('nightly: the directory of the metrics file is missing', async (fixture) => {
  const night = await nightlyJob(fixture, { metrics_file: 'missing/collab.prom' })
  // the first night refuses such a setting, so that a mistake is found at once
  expect(await night('--quiet')).toMatchObject({ code: 2 })
  expect((await night('--quiet', '--metrics-file', join(fixture.path, 'collab.prom'))).code).toBe(0)
  const ran = await night('--quiet')
  expect(ran.stderr).toMatch(/the metrics file \S+missing\/collab.prom cannot be written \(ENOENT\)/)
  expect((await night('status', '--max-age', '1h')).code).toBe(0)
  return fixture.cured(ran)
})

fault('nightly: the record of runs is a directory, then cut off', async (fixture) => {
  const night = await nightlyJob(fixture, {})
  const record = join(fixture.path, 'backups/.collab-nightly/record.jsonl')
  await mkdir(record, { recursive: true })
  const ran = await night('--quiet')
  expect(ran.stderr).toContain('the record of runs beside the backups cannot be used')
  expect((await night('status')).code).not.toBe(0)
  await rmdir(record)
  await writeFile(record, '{"started_at":"2026-01-01T00:0')
  expect((await night('--quiet')).code).toBe(0)
  expect((await night('status', '--max-age', '1h')).code).toBe(0)
  return fixture.cured(ran)
})
