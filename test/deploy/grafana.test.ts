import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createSocket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { scratchDirectory } from '@collab-etl/harness/commands'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { expectLayout, readDashboard, typedLines } from './support/dashboards.ts'
import { metricsText } from './support/metrics.ts'
import { DEPLOY, NOT_INSTALLED, ran } from './support/programs.ts'
import { typeErrors } from './support/types.ts'

interface Target {
  readonly expr: string
}

/** The version of Prometheus; `null`: it is not installed. */
const prometheus = await ran('prometheus', ['--version'])

const DASHBOARD = 'grafana/dashboards/collab-etl.json'

const dashboard = () => readDashboard<Target>(DASHBOARD)

/** The expressions of the dashboard, for all instances. */
async function expressions(): Promise<{ title: string; expr: string }[]> {
  const { panels } = await dashboard()
  return panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => ({ title, expr: expr.replaceAll('$instance', '.*') })),
  )
}

describe('deploy/grafana', () => {
  test('the dashboard shows every metric of the job, and no other one', async () => {
    const exported = [...(await metricsText()).matchAll(/^# TYPE (collab_\w+) /gm)].map(([, name]) => name)
    const shown = (await expressions()).flatMap(({ expr }) => expr.match(/collab_\w+/g) ?? [])
    // the end of the last run is that of the last backup, unless it failed: exit code and age of the last whole run say so
    const indirect = ['collab_run_timestamp_seconds', 'collab_run_success', 'collab_backup_timestamp_seconds']
    expect(exported.length).toBeGreaterThan(14)
    expect([...new Set([...shown, ...indirect])].sort()).toEqual([...exported].sort())
  })

  test('the dashboard has the fields that the types of Grafana know, and their values', async () => {
    const own = await dashboard()
    expect(await typeErrors(typedLines(own))).toEqual([])
    const mistaken = JSON.parse(JSON.stringify(own).replace('"graphTooltip"', '"graphTooltips"'))
    expect((await typeErrors(typedLines(mistaken))).join('\n')).toMatch(/graphTooltips"?' does not exist/)
  })

  test('every expression is PromQL', async ({ skip }) => {
    await using scratch = await scratchDirectory()
    const all = await expressions()
    const rules = all.map(({ expr }, index) => ({ record: `collab:panel_${index}`, expr }))
    await writeFile(join(scratch.path, 'rules.yaml'), stringify({ groups: [{ name: 'dashboard', rules }] }))
    const checked = await ran('promtool', ['check', 'rules', 'rules.yaml'], scratch.path)
    if (checked === null) skip(NOT_INSTALLED)
    expect(checked).toContain(`SUCCESS: ${all.length} rules found`)
  })

  // with Debian's package
  if (prometheus !== null)
    testThoroughly('in a Prometheus that scrapes the metrics, every expression has data', async () => {
      await using server = await startPrometheus(await metricsText())
      const without: string[] = []
      for (const { title, expr } of await expressions()) {
        if ((await server.query(expr)).length === 0) without.push(`${title}: ${expr}`)
      }
      expect(without).toEqual([])
      expect(await server.query('collab_run_exit_code')).toEqual(['3'])
      expect(await server.query('sum(collab_rows{change="deleted"})')).toEqual(['3'])
    })

  test('panels are described, have ids and queries of their own, and do not overlap', async () => {
    const own = await dashboard()
    expect(own.uid).toBe('collab-etl')
    expectLayout(own)
  })

  test('the provisioning files name the directory and the address that compose.yaml gives Grafana', async () => {
    const [sources, dashboards, compose] = await Promise.all(
      [
        'grafana/provisioning/datasources/prometheus.yaml',
        'grafana/provisioning/dashboards/collab-etl.yaml',
        'compose.yaml',
      ].map(async (path) => parse(await readFile(join(DEPLOY, path), 'utf8'), { merge: true })),
    )
    const { volumes, environment } = compose.services.grafana
    const [provider] = dashboards.providers
    expect(volumes).toContain(`./grafana/dashboards:${provider.options.path}:ro`)
    expect(volumes).toContain('./grafana/provisioning:/etc/grafana/provisioning:ro')
    const [, variable = ''] = /^\$\{(\w+)\}$/.exec(sources.datasources[0].url) ?? []
    expect(environment).toHaveProperty(variable, 'http://prometheus:9090')
    expect(environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH).toBe(
      `${provider.options.path}/${DASHBOARD.split('/').at(-1)}`,
    )
  })
})

/** A Prometheus that scrapes a page with this text. Disposing of it stops it. */
async function startPrometheus(page: string) {
  const scratch = await scratchDirectory()
  const exporter = createServer((_, response) => response.setHeader('Content-Type', 'text/plain').end(page))
  await once(exporter.listen(0, '127.0.0.1'), 'listening')
  const { port: exporterPort } = exporter.address() as AddressInfo // of a TCP server
  const port = await freePort()
  const scrape = {
    job_name: 'collab',
    scrape_interval: '1s',
    static_configs: [{ targets: [`127.0.0.1:${exporterPort}`] }],
  }
  await writeFile(join(scratch.path, 'prometheus.yaml'), stringify({ scrape_configs: [scrape] }))
  const flags = ['--config.file=prometheus.yaml', '--storage.tsdb.path=data', `--web.listen-address=127.0.0.1:${port}`]
  const server = spawn('prometheus', flags, { cwd: scratch.path, stdio: 'ignore' })
  const query = (expr: string) => values(`http://127.0.0.1:${port}`, expr)
  const stop = async () => {
    await ended(server)
    exporter.close()
    exporter.closeAllConnections()
    await scratch[Symbol.asyncDispose]()
  }
  for (let attempts = 0; ; attempts++) {
    const up = await query('collab_run_exit_code').catch(() => [])
    if (up.length > 0) break
    if (attempts === 300 || server.exitCode !== null) {
      await stop()
      throw new Error('Prometheus did not scrape the metrics within 60 seconds')
    }
    await sleep(200)
  }
  return { query, [Symbol.asyncDispose]: stop }
}

async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return
  const exit = once(server, 'exit')
  server.kill('SIGTERM')
  await exit
}

async function values(base: string, expr: string): Promise<string[]> {
  const response = await fetch(`${base}/api/v1/query?${new URLSearchParams({ query: expr })}`)
  const { data } = (await response.json()) as { data: { result: { value: [number, string] }[] } } // Prometheus's interface
  return data.result.map(({ value: [, text] }) => text)
}

async function freePort(): Promise<number> {
  const socket = createSocket().listen(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address() as AddressInfo // of a TCP server
  socket.close()
  await once(socket, 'close')
  return port
}
