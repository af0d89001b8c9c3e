import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scratchDirectory } from '@collab-etl/harness/commands'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { DEPLOY, NOT_INSTALLED, ran } from './support/programs.ts'

describe('deploy/prometheus', () => {
  testThoroughly('the alerts fire when they should, and not after whole nights', async ({ skip }) => {
    const checked = await ran('promtool', ['test', 'rules', 'prometheus/alerts.test.yaml'])
    if (checked === null) skip(NOT_INSTALLED)
    expect(checked).toContain('SUCCESS')
  })

  test('Prometheus accepts its settings, with the alerts', async ({ skip }) => {
    const checked = await ran('promtool', ['check', 'config', 'prometheus/prometheus.yaml'])
    if (checked === null) skip(NOT_INSTALLED)
    expect(checked).toMatch(/rules found/)
    expect(checked).toMatch(/prometheus\.yaml is valid prometheus config file syntax/)
  })

  test('the alerts use metrics that the job writes, and each says what to do', async () => {
    const { groups } = parse(await readFile(join(DEPLOY, 'prometheus/alerts.yaml'), 'utf8'))
    const source = await readFile(join(DEPLOY, '../packages/observability/src/metrics.ts'), 'utf8')
    const written = new Set([...source.matchAll(/'(collab_\w+)'/g)].map(([, name]) => name))
    const tested = await readFile(join(DEPLOY, 'prometheus/alerts.test.yaml'), 'utf8')
    for (const { alert, expr, annotations } of groups[0].rules) {
      for (const [name] of expr.matchAll(/collab_\w+/g)) expect(written, alert).toContain(name)
      expect(annotations.action).toMatch(/^(Run|Check|Ask) /)
      expect(tested).toContain(alert)
    }
  })
})

describe('the time of the night', () => {
  test('is the same in every example', async () => {
    const files = [
      'systemd/collab-nightly.timer',
      'cron/collab-nightly',
      'compose.yaml',
      'kubernetes/base/nightly.yaml',
    ]
    const written = [/^OnCalendar=.* 04:30$/m, /^30 4 /m, /collab-daily, "04:30"/, /schedule: "30 4 /]
    for (const [index, file] of files.entries()) {
      expect(await readFile(join(DEPLOY, file), 'utf8'), file).toMatch(written[index] ?? /$^/)
    }
  })

  testThoroughly('is skipped or repeated by no clock change of any time zone', () => {
    const zones = Intl.supportedValuesOf('timeZone')
    expect(zones.length).toBeGreaterThan(300)
    const wrong = zones.flatMap((zone) => clockChanges(zone, 2027).flatMap((change) => timesAround(change, zone)))
    expect(wrong.filter(({ at430 }) => at430 !== 1)).toEqual([])
    // as it would find it
    expect(timesAround(Date.UTC(2027, 2, 28, 1), 'Europe/Berlin')).toContainEqual({
      ...{ zone: 'Europe/Berlin', date: '2027-03-28' },
      ...{ at430: 1, at230: 0 },
    })
  })

  const MINUTES = 60_000
  const DAY = 24 * 60 * MINUTES

  function clockOf(zone: string): (time: number) => string {
    const format = new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
    return (time) => format.format(time)
  }

  /** Days of a year, as UTC times, on which the clock of a zone changes. */
  function clockChanges(zone: string, year: number): number[] {
    const clock = clockOf(zone)
    const offset = (time: number) => Date.parse(`${clock(time).replace(' ', 'T')}Z`) - time
    const days = Array.from({ length: 365 }, (_, day) => Date.UTC(year, 0, 1 + day))
    return days.filter((day) => offset(day) !== offset(day + DAY))
  }

  /** How often the clock shows 4:30 and 2:30 on the dates around a change: that of the zone may be another one than in UTC. */
  function timesAround(change: number, zone: string): { zone: string; date: string; at430: number; at230: number }[] {
    const clock = clockOf(zone)
    const shown = Array.from({ length: 5 * 24 * 4 }, (_, quarter) => clock(change - 2 * DAY + quarter * 15 * MINUTES))
    return [-1, 0, 1].map((days) => {
      const date = new Date(change + days * DAY).toISOString().slice(0, 10)
      const count = (time: string) => shown.filter((each) => each === `${date} ${time}`).length
      return { zone, date, at430: count('04:30'), at230: count('02:30') }
    })
  }
})

describe('deploy/systemd', () => {
  /** Both units in a directory, with a program that exists in place of the installed one. */
  async function units() {
    const scratch = await scratchDirectory()
    for (const name of ['collab-nightly.service', 'collab-nightly.timer']) {
      const text = await readFile(join(DEPLOY, 'systemd', name), 'utf8')
      await writeFile(join(scratch.path, name), text.replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true'))
    }
    return scratch
  }

  test('the units are accepted without a warning', async ({ skip }) => {
    await using scratch = await units()
    const checked = await ran(
      'systemd-analyze',
      ['verify', './collab-nightly.service', './collab-nightly.timer'],
      scratch.path,
    )
    if (checked === null) skip(NOT_INSTALLED)
    expect(checked).toBe('')
  })

  test('the service is exposed to little: at most 2.0 of 10', async ({ skip }) => {
    await using scratch = await units()
    const args = ['security', '--offline=true', '--threshold=20', './collab-nightly.service']
    const checked = await ran('systemd-analyze', args, scratch.path)
    if (checked === null) skip(NOT_INSTALLED)
    expect(checked).toMatch(/Overall exposure level for collab-nightly.service: [01]\.\d/)
  })

  test.for(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Chatham'])(
    'the timer runs once on each date of a year in %s',
    async (zone, { skip }) => {
      const text = await readFile(join(DEPLOY, 'systemd/collab-nightly.timer'), 'utf8')
      const [, time = ''] = /^OnCalendar=(.*)$/m.exec(text) ?? []
      const args = ['calendar', '--base-time=2026-12-31 12:00', '--iterations=365', time]
      const checked = await ran('systemd-analyze', args, DEPLOY, { TZ: zone })
      if (checked === null) return skip(NOT_INSTALLED)
      const dates = [...checked.matchAll(/(?:Next elapse|Iter\. #\d+): \w+ (\d{4}-\d\d-\d\d) /g)]
      const days = Array.from({ length: 365 }, (_, day) =>
        new Date(Date.UTC(2027, 0, 1 + day)).toISOString().slice(0, 10),
      )
      expect(dates.map(([, date]) => date)).toEqual(days)
    },
  )

  test('a night that hangs is ended after twelve hours', async ({ skip }) => {
    const text = await readFile(join(DEPLOY, 'systemd/collab-nightly.service'), 'utf8')
    const [, limit = ''] = /^TimeoutStartSec=(.*)$/m.exec(text) ?? []
    // the other limit does not hold for a service of this type
    expect(text).toMatch(/^Type=oneshot$/m)
    const checked = await ran('systemd-analyze', ['timespan', limit])
    if (checked === null) skip(NOT_INSTALLED)
    expect(checked).toContain('Human: 12h')
  })

  test('the token is a credential, and no setting or environment holds it', async () => {
    const text = await readFile(join(DEPLOY, 'systemd/collab-nightly.service'), 'utf8')
    expect(text).toMatch(/^LoadCredential=collab-token:/m)
    expect(text).toMatch(/^Environment=COLLAB_TOKEN_FILE=%d\/collab-token$/m)
    expect(text).not.toMatch(/COLLAB_TOKEN=/)
  })
})
