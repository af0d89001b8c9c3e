import type { Ran, Started } from '@collab-etl/harness/commands'
import { rowsOfRun } from '@collab-etl/harness/rows-of-run'
import { TABLES } from '@collab-etl/warehouse'
import { expect } from 'vitest'
import { DatabaseWorld } from '../../database/world.ts'
import type { Fixture } from '../../support/fixture.ts'

const SIZES = { projects: 14, barred: 0, tasks: 60, archived: 60, pages: 20, posts: 24, events: 20 }

/** Counts each transaction that writes scopes of a project into the run log, of any process. */
const COUNT_PUBLICATIONS = `
  CREATE TABLE public.publications (run_id text, pid text, transaction bigint);
  CREATE FUNCTION public.note_publication() RETURNS trigger SECURITY DEFINER LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO public.publications VALUES (NEW.run_id, NEW.pid, txid_current()); RETURN NULL; END $$;
  CREATE TRIGGER note_publication AFTER INSERT OR UPDATE ON collab.run_scopes
    FOR EACH ROW WHEN (NEW.pid <> '') EXECUTE FUNCTION public.note_publication()`

/** The result of a snapshot by one process, which every run by workers must equal. */
export interface Reference {
  readonly rows: Record<string, unknown[]>
  readonly publications: readonly Record<string, unknown>[]
  readonly requests: number
}

/** A process of a run, which a fault may stop or kill. */
export interface Process {
  readonly pid: number
  readonly kill: Started['kill']
  readonly ended: Promise<Ran>
}

/** A warehouse with a queue, and the processes that read one snapshot into it, each of which is started separately. */
export class RunByWorkers implements AsyncDisposable {
  readonly world: DatabaseWorld
  readonly workers: Process[] = []

  private constructor(world: DatabaseWorld) {
    this.world = world
  }

  static async open(fixture: Fixture, server?: string): Promise<RunByWorkers> {
    const world = await DatabaseWorld.open(fixture, { ...SIZES, ...(server !== undefined && { server }) })
    const { code, stderr } = await world.extract(['init'])
    expect(code, stderr).toBe(0)
    await world.admin(COUNT_PUBLICATIONS)
    return new RunByWorkers(world)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { kill } of this.workers) kill('SIGKILL')
    await Promise.all(this.workers.map(({ ended }) => ended))
    await this.world[Symbol.asyncDispose]()
  }

  /** The same snapshot by one process. */
  static async byOne(fixture: Fixture): Promise<Reference> {
    await using run = await RunByWorkers.open(fixture)
    const { code, stderr } = await run.world.snapshotAt(run.world.url, { env: QUIET })
    expect(code, stderr).toBe(0)
    const requests = run.world.sandbox.requests.length
    return { rows: await run.rows(), publications: await run.publications(), requests }
  }

  /** Starts a worker that ends when it is stopped. */
  async startWorker(url = this.world.url): Promise<Process> {
    const process = await started((onStart) =>
      this.world.extract(['worker'], { onStart, env: { ...QUIET, DATABASE_URL: url } }),
    )
    this.workers.push(process)
    return process
  }

  /** Starts a snapshot that starts no worker itself. */
  coordinate(args: readonly string[] = []): Promise<Process> {
    const words = ['--workers', '0', ...args]
    return started((onStart) => this.world.snapshotAt(this.world.url, { onStart, args: words, env: QUIET }))
  }

  /** Calls a function while the service delays the n-th request. `done` rejects if it failed or there was none. */
  atRequest(n: number, work: () => Promise<void>): { done(): Promise<void> } {
    let count = 0
    let worked: Promise<void> | undefined
    const stop = this.world.sandbox.beforeRequest(async () => {
      if (++count !== n) return
      stop()
      worked = work()
      await worked.catch(() => {}) // `done` reports it
    })
    return { done: () => worked ?? Promise.reject(new Error(`there was no request number ${n}`)) }
  }

  /** Continues the run until it has ended, however its coordinator ended. Returns how the last coordinator ended. */
  async finish(coordinator: Process): Promise<Ran> {
    let ran = await coordinator.ended
    // the lock of one that was killed is free once the server notices
    for (let attempt = 0; ran.code !== 0 && attempt < MOST_ATTEMPTS; attempt++) {
      ran = await (await this.coordinate(['--resume'])).ended
    }
    return ran
  }

  /** Ends the workers as an operator does. */
  async stopWorkers(): Promise<Ran[]> {
    for (const { kill } of this.workers) kill('SIGTERM')
    return await Promise.all(this.workers.splice(0).map(({ ended }) => ended))
  }

  /** Expects that the last run left the same rows as one process, and published each project as often. */
  async expectAs({ rows, publications }: Reference): Promise<void> {
    expect(await this.rows()).toEqual(rows)
    expect(await this.publications()).toEqual(publications)
    const open = "SELECT FROM collab.runs WHERE status = 'running'"
    expect([await this.world.admin(open), await this.world.admin('SELECT FROM collab_stage.plan')]).toEqual([[], []])
    await this.world.fixture.lookAtDatabase(this.world.adminUrl)
  }

  rows(): Promise<Record<string, unknown[]>> {
    return rowsOfRun((sql) => this.world.admin(sql), TABLES)
  }

  /** How often the last run published each project. */
  publications(): Promise<Record<string, unknown>[]> {
    return this.world.admin(
      `SELECT pid, count(DISTINCT transaction) AS times FROM public.publications
       WHERE run_id = (SELECT max(run_id) FROM collab.runs) GROUP BY pid ORDER BY pid`,
    )
  }
}

const MOST_ATTEMPTS = 5

/** Writing trace logs in all processes would take longer than the run. */
const QUIET = { COLLAB_LOG_LEVEL: 'info' }

async function started(run: (onStart: (command: Started) => void) => Promise<Ran>): Promise<Process> {
  const { promise, resolve } = Promise.withResolvers<Started>()
  const ended = run(resolve)
  const command = await promise
  return { pid: command.pid ?? 0, kill: (signal) => command.kill(signal), ended }
}
