import { pathOf, spansOf } from '@collab-etl/harness/otlp-spans'
import { postgresServer } from '@collab-etl/harness/postgres'
import { startReceiver } from '@collab-etl/harness/receiver'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { describe, expect, test } from 'vitest'
import { onPostgres, openWorld } from './world.ts'

const PARENT = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }

describe('traces of a snapshot', () => {
  test('have a span of the run, each project, stream and request, and its retries', { tags: 'thorough' }, async () => {
    await using collector = await startReceiver()
    await using at = await openWorld()
    at.sandbox.faults.add({ kind: 'http', status: 503, operation: 'pages.list', times: 1 })
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      TRACEPARENT: `00-${PARENT.traceId}-${PARENT.spanId}-01`,
      COLLAB_TOKEN_IN: 'query',
    }
    const ran = await at.extract(['snapshot', '--json'], { env })
    expect(ran.code).toBe(0)
    const { requests, retries, run_id: runId } = JSON.parse(ran.stdout)
    const spans = spansOf(collector.received)
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([PARENT.traceId]))
    expect(new Set(spans.map(({ service }) => service))).toEqual(new Set(['collab-extract']))

    const [run] = spans.filter(({ name }) => name === 'run')
    expect(run).toMatchObject({ parentSpanId: PARENT.spanId, hasFailed: false })
    expect(run?.attributes).toMatchObject({
      'collab.run.id': runId,
      'collab.run.status': 'succeeded',
      'collab.retries': 1,
    })

    const paths = spans.map((span) => pathOf(span, spans))
    const projects = spans.filter(
      ({ name, attributes }) => name === 'project' && attributes['collab.is_follow_up'] === false,
    )
    expect(projects.map(({ attributes }) => attributes['collab.project.id']).sort()).toEqual(
      [...at.sandbox.pids].sort(),
    )
    for (const stream of ['projects', 'tasks', 'archived_tasks', 'pages', 'posts', 'events', 'files', 'webhooks']) {
      expect(paths.filter((path) => path === `? > run > project > stream ${stream}`).length).toBeGreaterThanOrEqual(3)
    }
    expect(paths).toContain('? > run > projects.list')
    expect(paths).toContain('? > run > project > stream posts > posts.get')

    const sent = spans.filter(({ attributes }) => 'http.request.method' in attributes)
    const attempts = sent.flatMap(({ events }) => events.filter((name) => name === 'attempt'))
    expect([attempts.length, retries]).toEqual([requests, 1])
    const [retried, ...others] = sent.filter(({ attributes }) => 'http.request.resend_count' in attributes)
    expect(others).toEqual([])
    expect(retried).toMatchObject({ name: 'pages.list', hasFailed: false, events: ['attempt', 'retry', 'attempt'] })
    expect(retried?.attributes).toMatchObject({ 'http.request.resend_count': 1, 'http.response.status_code': 200 })
    const above = spans.find(({ spanId }) => spanId === retried?.parentSpanId)
    expect(above?.attributes).toMatchObject({
      'collab.stream': 'pages',
      'collab.scope.status': 'complete',
      'collab.retries': 1,
    })

    for (const { body, headers } of collector.received) {
      expect(body + JSON.stringify(headers)).not.toContain(at.sandbox.token)
      expect(body).not.toContain('access_token')
    }
  })

  testThoroughly('have the failure of a stream, and its project is read', async () => {
    await using collector = await startReceiver()
    await using at = await openWorld({ totalCount: true }) // otherwise requests that test the end of a list are refused
    at.sandbox.faults.add({ kind: 'http', status: 503, operation: 'pages.list', times: 'always' })
    const ran = await at.extract(['snapshot'], {
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, COLLAB_RETRIES: '0' },
    })
    expect(ran.code).toBe(3)
    const spans = spansOf(collector.received)
    const failed = spans
      .filter(({ hasFailed }) => hasFailed)
      .map(({ name, attributes }) => [name, attributes['error.type']])
    const names = ['pages.list', 'stream pages']
    expect(new Set(failed.map(([name]) => name))).toEqual(new Set(names))
    expect(failed).toHaveLength(2 * at.sandbox.pids.length)
    expect(spans.find(({ name }) => name === 'run')?.attributes).toMatchObject({ 'collab.exit_code': 3 })
  })

  testThoroughly('that no collector takes are a warning, and the run succeeds', async () => {
    await using at = await openWorld()
    for (const answer of [400, 'never'] as const) {
      await using collector = await startReceiver(() => answer)
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_TIMEOUT: '500' }
      const ran = await at.extract(['snapshot'], { env })
      expect([ran.code, collector.received.length > 0]).toEqual([0, true])
      expect(ran.stderr).toMatch(/"msg":"\d+ of \d+ spans could not be sent to the collector"/)
    }
  })

  testThoroughly('are not sent without an endpoint, nor if OTEL_TRACES_EXPORTER is none', async () => {
    await using collector = await startReceiver()
    await using at = await openWorld()
    const off = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_EXPORTER: 'none' }
    for (const env of [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, off]) {
      expect(await at.extract(['snapshot'], { env })).toMatchObject({ code: 0 })
    }
    expect(collector.received).toEqual([])
  })

  if (postgresServer() !== null) {
    testThoroughly('of workers continue the trace of the run', async () => {
      await using collector = await startReceiver()
      await using at = await openWorld({}, onPostgres)
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
      expect((await at.extract(['snapshot', '--workers', '2'], { env })).code).toBe(0)
      const spans = spansOf(collector.received)
      expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
      const paths = spans.map((span) => pathOf(span, spans))
      expect(paths.filter((path) => path === 'run > project')).toHaveLength(at.sandbox.pids.length)
      expect(paths).toContain('run > project > stream tasks > tasks.list')
    })
  }
})
