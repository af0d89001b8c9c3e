import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { scratchDirectory } from '@collab-etl/harness/commands'
import { freePort } from '@collab-etl/harness/free-port'
import { stringify } from 'yaml'

/** A sample of an instant vector. */
interface Sample {
  readonly metric: Readonly<Record<string, string>>
  readonly value: string
}

/** A Prometheus. Disposing of it stops it. */
export interface Prometheus extends AsyncDisposable {
  query(expr: string): Promise<Sample[]>
  /** The rules that could not be evaluated. */
  failedRules(): Promise<string[]>
}

/**
 * Starts a Prometheus of Debian's package that scrapes one machine for each page, and waits until it has all of them and has evaluated the rules.
 * @param pages metrics by name of the machine
 * @param rules absolute path of a file of rules
 */
export async function startPrometheus(
  pages: Readonly<Record<string, string>>,
  rules: string | null = null,
): Promise<Prometheus> {
  await using stack = new AsyncDisposableStack()
  const scratch = stack.use(await scratchDirectory())
  const exporter = createServer((request, response) => {
    response.setHeader('Content-Type', 'text/plain').end(pages[request.url?.slice(1) ?? ''] ?? '')
  })
  await once(exporter.listen(0, '127.0.0.1'), 'listening')
  stack.defer(() => {
    exporter.close()
    exporter.closeAllConnections()
  })
  const { port: exporterPort } = exporter.address() as AddressInfo // of a TCP server
  const port = await freePort()
  const settings = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    ...(rules !== null && { rule_files: [rules] }),
    scrape_configs: Object.keys(pages).map((instance) => ({
      job_name: instance,
      metrics_path: `/${instance}`,
      static_configs: [{ targets: [`127.0.0.1:${exporterPort}`], labels: { instance, job: 'collab-etl' } }],
    })),
  }
  await writeFile(join(scratch.path, 'prometheus.yaml'), stringify(settings))
  const flags = ['--config.file=prometheus.yaml', '--storage.tsdb.path=data', `--web.listen-address=127.0.0.1:${port}`]
  const server = spawn('prometheus', flags, { cwd: scratch.path, stdio: 'ignore' })
  stack.defer(async () => {
    if (server.exitCode !== null) return
    const exit = once(server, 'exit')
    server.kill('SIGTERM')
    await exit
  })
  const get = async <T>(path: string): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)
    return ((await response.json()) as { data: T }).data // Prometheus's interface
  }
  const query = async (expr: string): Promise<Sample[]> => {
    const { result } = await get<{ result: { metric: Sample['metric']; value: [number, string] }[] }>(
      `query?${new URLSearchParams({ query: expr })}`,
    )
    return result.map(({ metric, value: [, value] }) => ({ metric, value }))
  }
  const evaluated = async () =>
    (
      await get<{ groups: { rules: { name: string; lastError?: string; lastEvaluation: string }[] }[] }>('rules')
    ).groups.flatMap((group) => group.rules)
  const isReady = async () => {
    const scraped = (await query('collab_run_exit_code')).length === Object.keys(pages).length
    const begun = Date.now()
    if (!scraped) return false
    // the rules have seen all machines
    while (!(await evaluated()).every(({ lastEvaluation }) => Date.parse(lastEvaluation) > begun)) await sleep(200)
    return true
  }
  for (let attempts = 0; !(await isReady().catch(() => false)); attempts++) {
    if (attempts === 300 || server.exitCode !== null)
      throw new Error('Prometheus did not scrape the metrics within 60 seconds')
    await sleep(200)
  }
  const made = stack.move()
  return {
    query,
    failedRules: async () =>
      (await evaluated()).flatMap(({ name, lastError }) => (lastError ? [`${name}: ${lastError}`] : [])),
    [Symbol.asyncDispose]: () => made.disposeAsync(),
  }
}
