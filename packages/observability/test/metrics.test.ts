import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { scratchDirectory } from '@collab-etl/harness/commands'
import { startProxy } from '@collab-etl/harness/proxy'
import { startReceiver } from '@collab-etl/harness/receiver'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { makeAuthority } from '@collab-etl/harness/tls-identity'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { CollectorRoute } from '../src/collector.ts'
import { exportMetrics, isExporting, type MetricTargets, type Night } from '../src/index.ts'
import { failedNight, night, step } from './night-fixture.ts'

afterEach(() => vi.unstubAllEnvs())

/** Writes the metrics of the last of these nights into a file; returns its lines. */
async function linesOf(...nights: Night[]): Promise<string[]> {
  await using scratch = await scratchDirectory()
  const file = join(scratch.path, 'collab.prom')
  const latest = nights.at(-1) ?? night()
  expect(await exportMetrics({ night: latest, nights }, { file, toCollector: false, version: '1.2.3' })).toEqual([])
  expect(await readdir(scratch.path)).toEqual(['collab.prom'])
  expect((await stat(file)).mode & 0o777).toBe(0o644)
  return (await readFile(file, 'utf8')).split('\n')
}

describe('the metrics file', () => {
  test('has all metrics of a whole night, and labels without ids', async () => {
    expect(await linesOf(night())).toEqual(
      expect.arrayContaining([
        ...['collab_run_timestamp_seconds 1770086400', 'collab_run_whole_timestamp_seconds 1770085800'],
        ...['collab_run_success 1', 'collab_run_exit_code 0', 'collab_run_duration_seconds 600'],
        ...['collab_run_requests_total 120', 'collab_run_retries_total 2', 'collab_backup_damaged 0'],
        ...['collab_run_bytes_total 4096', 'collab_rows{table="tasks",change="deleted"} 3'],
        ...['collab_scopes{stream="events",status="failed"} 1', 'collab_losses{kind="U+0000 removed"} 4'],
        ...['collab_backup_timestamp_seconds 1770086400', 'collab_backup_size_bytes 5000'],
        ...['collab_backup_new_bytes 100', 'collab_backup_verified_timestamp_seconds 1770086400'],
      ]),
    )
  })

  test('after a failed night still has the last backup, and the success is 0', async () => {
    const lines = await linesOf(night(), failedNight({ finished_at: '2026-02-04T02:31:00.000Z' }))
    expect(lines).toEqual(
      expect.arrayContaining([
        ...['collab_run_success 0', 'collab_run_exit_code 4', 'collab_run_failures_in_a_row 2'],
        ...['collab_run_timestamp_seconds 1770172260', 'collab_backup_timestamp_seconds 1770086400'],
        'collab_backup_verified_timestamp_seconds 1770086400',
      ]),
    )
    expect(lines.join('\n')).not.toContain('collab_run_requests_total')
  })

  test('has 0 as the time of the last whole run while there is none, so that its alert can fire', async () => {
    expect(await linesOf(failedNight({ last_whole_at: null }))).toContain('collab_run_whole_timestamp_seconds 0')
  })

  test('has gauges alone: the value of the next night may be smaller, and is no reset', async () => {
    const types = (await linesOf(night())).filter((line) => line.startsWith('# TYPE '))
    expect(types.filter((line) => !line.endsWith(' gauge'))).toEqual([])
    expect(types).toContain('# TYPE collab_run_requests_total gauge')
  })

  test('has the time and the result of the last drill', async () => {
    const drill = { started_at: '2026-02-03T02:30:00.000Z', duration_ms: 1, source: 'B1', project: 'P1', notes: [] }
    const of = async (problem: string | null) =>
      (await linesOf(night({ drill: { ...drill, problem } }))).filter((line) => line.startsWith('collab_drill'))
    expect(await of(null)).toEqual(['collab_drill_timestamp_seconds 1770085800', 'collab_drill_success 1'])
    expect(await of('damage')).toContain('collab_drill_success 0')
  })

  test('says that a backup is damaged, also beside a worse exit code, until it is gone or whole', async () => {
    const backup = '20260203T023900Z'
    const steps = [
      step('snapshot', { status: 'failed', exit_code: 4 }),
      step('verify', { status: 'failed', exit_code: 5 }),
    ]
    const damaged = failedNight({ steps, verification: { backup, mode: 'full', damaged: 1 } })
    const damage = async (...nights: Night[]) =>
      (await linesOf(...nights)).filter((line) => line.startsWith('collab_backup_damaged '))
    expect(await damage(night(), damaged)).toEqual(['collab_backup_damaged 1'])
    // without its summary
    expect(await damage(night(), failedNight({ steps }))).toEqual(['collab_backup_damaged 1'])
    // a copy that is on record, until it is gone or verified intact
    const later = (...copies: string[]) => night({ damaged: copies })
    expect(await damage(damaged, later(backup, '20260101T020000Z.zip'))).toEqual(['collab_backup_damaged 1'])
    expect(await damage(later(backup), failedNight())).toEqual(['collab_backup_damaged 1'])
    expect(await damage(later(backup), later())).toEqual(['collab_backup_damaged 0'])
    expect(await damage(failedNight())).toEqual([])
  })

  test('has no time of a night that was recorded before the clock was set back', async () => {
    const ahead = night({ finished_at: '2026-03-05T02:40:00.000Z' })
    const lines = await linesOf(night(), ahead, failedNight({ finished_at: '2026-02-04T02:31:00.000Z' }))
    expect(lines).toContain('collab_backup_verified_timestamp_seconds 1770086400')
  })

  const promtool = promisify(execFile)('promtool', ['--version']).then(
    () => true,
    () => false,
  )

  test('is accepted by promtool, which only advises against the names of three gauges', async ({ skip }) => {
    if (!(await promtool)) skip('promtool is not installed')
    const lines = await linesOf(night())
    const checked = promisify(execFile)('promtool', ['check', 'metrics'])
    checked.child.stdin?.end(lines.join('\n'))
    // these three keep the names that they had as counters
    const advice = 'non-counter metrics should not have "_total" suffix'
    const names = ['collab_run_bytes_total', 'collab_run_requests_total', 'collab_run_retries_total']
    const { stderr } = await checked.catch((error: { readonly stderr: string }) => error)
    expect(stderr.trim().split('\n').sort()).toEqual(names.map((name) => `${name} ${advice}`))
  })

  test('that cannot be written is named, and nothing else is left there', async () => {
    await using scratch = await scratchDirectory()
    const file = join(scratch.path, 'collab.prom')
    await mkdir(file)
    const failures = await exportMetrics({ night: night(), nights: [] }, { file, toCollector: false, version: '1' })
    expect(failures).toEqual([`the metrics file ${file} cannot be written (EISDIR)`])
    expect(await readdir(scratch.path)).toEqual(['collab.prom'])
  })
})

describe('the collector', () => {
  const TO_COLLECTOR: MetricTargets = { toCollector: true, version: '1.2.3' }

  test('gets the metrics with the name of the service', async () => {
    await using collector = await startReceiver()
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url)
    expect(await exportMetrics({ night: night(), nights: [night()] }, TO_COLLECTOR)).toEqual([])
    expect(collector.received.map(({ path }) => path)).toEqual(['/v1/metrics'])
    const body = collector.received[0]?.body ?? ''
    for (const part of ['collab-nightly', 'collab_run_success', 'collab_rows']) expect(body).toContain(part)
  })

  test('is reached through proxies, and with further authorities', async () => {
    await using proxy = await startProxy({ user: 'me:secret' })
    const { pem: ca, identity } = await makeAuthority()
    const server = createSecureServer(await identity('dns', 'collector.test', 24), (_, answer) => void answer.end('{}'))
    server.listen(0)
    onTestFinished(() => void server.close())
    await using plain = await startReceiver()
    const ports = [new URL(plain.url).port, String((server.address() as AddressInfo).port)] // it listens on a port
    const sent = async (endpoint: string, route: CollectorRoute) => {
      vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', endpoint)
      return await exportMetrics({ night: night(), nights: [] }, { ...TO_COLLECTOR, route })
    }
    const ways = { http: proxy.url, except: '' }
    expect(await sent(`http://collector.test:${ports[0]}`, { proxy: ways })).toEqual([])
    expect(plain.received).toHaveLength(1)
    expect(await sent(`https://collector.test:${ports[1]}`, { proxy: ways, ca })).toEqual([])
    expect(proxy.seen.map(({ line }) => line)).toEqual([
      `POST http://collector.test:${ports[0]}/v1/metrics`,
      `CONNECT collector.test:${ports[1]}`,
    ])
    // loopback and what NO_PROXY names need none; an unknown authority is refused
    expect(await sent(plain.url, { proxy: ways })).toEqual([])
    expect(proxy.seen).toHaveLength(2)
    const untrusted = await sent(`https://collector.test:${ports[1]}`, { proxy: ways })
    expect(untrusted).toEqual(['the metrics could not be sent to the collector'])
  })

  test('gets none if OpenTelemetry is disabled, or its metrics are', () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }
    const off = [{ OTEL_SDK_DISABLED: 'true' }, { OTEL_METRICS_EXPORTER: 'none' }, { OTEL_EXPORTER_OTLP_ENDPOINT: '' }]
    expect(off.map((of) => isExporting('METRICS', { ...env, ...of }))).toEqual([false, false, false])
    expect(isExporting('METRICS', { ...env, OTEL_TRACES_EXPORTER: 'none' })).toBe(true)
  })

  test.each([400, 'never'] as const)('that answers %s is reported, and does not hold up the job', async (answer) => {
    await using collector = await startReceiver(() => answer)
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url)
    vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '500')
    expect(await exportMetrics({ night: night(), nights: [] }, TO_COLLECTOR)).toEqual([
      'the metrics could not be sent to the collector',
    ])
  })

  testThoroughly(
    'that never ends its answer does not keep the process alive',
    async () => {
      await using scratch = await scratchDirectory()
      const collector = createServer((_, response) => {
        response.writeHead(200)
        const timer = setInterval(() => response.write(' '), 100)
        response.on('close', () => clearInterval(timer))
      }).listen(0, '127.0.0.1')
      await once(collector, 'listening')
      const program = join(scratch.path, 'program.mjs')
      await writeFile(
        program,
        `const { withTraces, inSpan } = await import(${JSON.stringify(import.meta.resolve('../src/traces.ts'))})
       const onFailure = (message) => console.log(message)
       await withTraces({ service: 's', version: '1', onFailure }, () => inSpan('work', {}, async () => {}))`,
      )
      const { port } = collector.address() as AddressInfo // it listens on a port
      const env = { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` }
      try {
        // it sends for ten seconds
        const { stdout } = await promisify(execFile)(process.execPath, [program], { env, timeout: 25_000 })
        expect(stdout).toMatch(/^(?:1 of 1 spans could not be sent to the collector\n)?$/)
      } finally {
        collector.closeAllConnections()
        collector.close()
      }
    },
    60_000,
  )
})
