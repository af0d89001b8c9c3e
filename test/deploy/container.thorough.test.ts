import { execFile } from 'node:child_process'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PROGRAMS, scratchDirectory } from '@collab-etl/harness/commands'
import { freshDatabase, postgresServer } from '@collab-etl/harness/postgres'
import { type Sandbox, startSandbox } from '@collab-etl/sandbox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { baseImage, type Container, docker, logsOf, stateOf, waitFor } from './support/engine.ts'

/** @module-tag thorough */

const ROOT = join(import.meta.dirname, '../..')
const TAG = `collab-etl-test:${process.pid}`
const TOKEN = 'token-of-the-container-test'
const SIZES = { seed: 3, projects: 3, tasks: 40, archived: 30, pages: 12, posts: 6, events: 12 }

/** The user of the image. */
const USER = 10001

/** An assistant starts `collab-mcp` on its own machine. */
const IN_IMAGE = PROGRAMS.filter((name) => name !== 'collab-mcp')

/** The size that the image may have, in bytes. */
const LARGEST = 350_000_000

const base = await baseImage()
const postgres = postgresServer()

/** Nothing of the image can be written, and no right is left. The network of the host, for the sandbox on its loopback. */
const HARDENED = [
  ...['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges', '--tmpfs=/tmp', '--network=host'],
  ...['--health-interval=1s', '--health-start-period=1ms'],
]

let sandbox: Sandbox
const containers: Container[] = []
const volumes: string[] = []

describe.skipIf(base === null)(
  'deploy/Dockerfile (needs a container engine, and node:24-slim or TEST_NODE_IMAGE)',
  () => {
    beforeAll(async () => {
      sandbox = await startSandbox({ token: TOKEN, ...SIZES })
      const options = ['--build-arg', `BASE=${base}`, '--network=host', '--file', join(ROOT, 'deploy/Dockerfile')]
      await docker('build', ...options, '--tag', TAG, ROOT)
    }, 900_000)

    afterAll(async () => {
      await sandbox.close()
      for (const container of containers) await docker('rm', '--force', '--volumes', container)
      for (const volume of volumes) await docker('volume', 'rm', volume)
      await docker('image', 'rm', '--force', TAG)
    })

    /** A volume that belongs to a user and holds the token, which only that user can read. */
    async function volumeOf(user: number): Promise<string> {
      await using scratch = await scratchDirectory()
      await writeFile(join(scratch.path, 'token'), TOKEN)
      const volume = await docker('volume', 'create')
      volumes.push(volume)
      const mounts = ['--volume', `${scratch.path}:/from:ro`, '--volume', `${volume}:/to`]
      const script = `install -o ${user} -g ${user} -m 400 /from/token /to/token && chown ${user}:${user} /to && chmod 700 /to`
      await docker('run', '--rm', '--user=0', ...mounts, TAG, 'sh', '-c', script)
      return volume
    }

    /** Starts a command in a hardened container whose volume has the token as a file. */
    async function start(volume: string, command: readonly string[] = [], options: readonly string[] = []) {
      const id = await docker(
        ...['run', '--detach', ...HARDENED, '--volume', `${volume}:/var/lib/collab`],
        ...['--env', `COLLAB_BASE_URL=${sandbox.baseUrl}`, '--env', 'COLLAB_TOKEN_FILE=/var/lib/collab/token'],
        ...[...options, TAG, ...command],
      )
      containers.push(id)
      return id
    }

    const ended = (container: Container) => waitFor(container, ({ Status: status }) => status === 'exited')
    const health = (container: Container, wanted: string) =>
      waitFor(container, ({ Health }) => Health?.Status === wanted)

    test('the image has at most 350 MB, a user that is not root, and the packages alone', async () => {
      const [{ Size: size, Config: config }] = JSON.parse(await docker('image', 'inspect', TAG))
      process.stdout.write(`The image has ${Math.round(size / 1e6)} MB.\n`)
      expect(size).toBeLessThanOrEqual(LARGEST)
      expect(config.User).toBe(`${USER}:${USER}`)
      const script =
        'id -u; ls /usr/local/bin; find /app -name vitest -o -name typescript -o -name harness -o -path "/app/test"'
      const listed = (await docker('run', '--rm', TAG, 'sh', '-c', script)).split('\n')
      expect(listed).toContain(String(USER))
      const own = listed.filter((line) => /^collab-|-collab$/.test(line))
      expect(own.sort()).toEqual(['collab-daily', ...IN_IMAGE].sort())
      expect(listed.filter((line) => /^\/app|^0$/.test(line))).toEqual([])
    })

    test('every program of the image starts', async () => {
      const script = 'for program in "$@"; do "$program" --version || exit; done'
      const versions = await docker('run', '--rm', TAG, 'sh', '-c', script, 'sh', ...IN_IMAGE)
      expect(versions.split('\n').length).toBe(IN_IMAGE.length)
    })

    test('a night writes a backup that another container verifies, and the health is good', async () => {
      const volume = await volumeOf(USER)
      const night = await start(volume)
      expect([(await ended(night)).ExitCode, await logsOf(night)]).toEqual([
        0,
        expect.stringContaining('Done: everything'),
      ])
      const verified = await start(volume, ['collab-export', 'verify', '/var/lib/collab/backups'])
      expect([(await ended(verified)).ExitCode, await logsOf(verified)]).toEqual([0, expect.stringContaining('Intact')])
      await health(await start(volume, ['sleep', '600']), 'healthy')
    })

    test('the command of docs/operations.md does a night', async () => {
      await using files = await scratchDirectory()
      const page = await readFile(join(ROOT, 'docs/operations.md'), 'utf8')
      const [, recipe = ''] = /<!-- run: container -->\n```sh\n([\s\S]*?)```/.exec(page) ?? []
      const [build = '', command = ''] = recipe.split(/\n(?=docker run )/)
      expect(build).toBe('docker build --file deploy/Dockerfile --tag collab-etl .')
      // readable for everyone, instead of owned by the user of the image
      await writeFile(join(files.path, 'token'), TOKEN, { mode: 0o444 })
      const own = command
        .replace('docker run', 'docker run --network=host')
        .replace('https://collab.example.com', sandbox.baseUrl)
        .replace('/etc/collab/token', join(files.path, 'token'))
        .replace('collab:/var', `${await volumeOf(USER)}:/var`)
        .replace(' collab-etl ', ` ${TAG} `)
      const { stdout, stderr } = await promisify(execFile)('sh', ['-euc', own])
      expect(stdout).toContain('Done: everything')
      expect(stdout + stderr).not.toContain(TOKEN)
    })

    test('the root cannot be written, and no capability is left', async () => {
      const script = 'touch /app/x; touch /etc/collab/x; touch /usr/local/bin/x; grep CapEff /proc/self/status'
      const tried = await start(await volumeOf(USER), ['sh', '-c', script])
      await ended(tried)
      const log = await logsOf(tried)
      expect(log.match(/Read-only file system/g)).toHaveLength(3)
      expect(log).toMatch(/CapEff:\s+0+\n/)
    })

    test('the health is bad while there was no whole night', async () => {
      await health(await start(await volumeOf(USER), ['sleep', '600']), 'unhealthy')
    })

    test('collab-daily makes up for the first night, and SIGTERM ends it', async () => {
      const daily = await start(await volumeOf(USER), ['collab-daily', '04:30', 'collab-nightly'])
      await health(daily, 'healthy')
      await waitFor(daily, async () => (await logsOf(daily)).includes('next run at'))
      await docker('stop', '--time', '30', daily)
      expect(await stateOf(daily)).toMatchObject({ ExitCode: 143, OOMKilled: false })
      expect(await logsOf(daily)).toMatch(/collab-nightly ended with exit code 0\n[\s\S]*next run at \S+T04:30/)
    })

    test('SIGTERM ends a night cleanly: exit code 143, and the run is recorded as interrupted', async () => {
      const slow = await startSandbox({ token: TOKEN, ...SIZES, latencyMs: 500 })
      try {
        const volume = await volumeOf(USER)
        const night = await start(volume, [], ['--env', `COLLAB_BASE_URL=${slow.baseUrl}`])
        await waitFor(night, () => slow.requests.length >= 3)
        await docker('stop', '--time', '60', night)
        expect(await stateOf(night)).toMatchObject({ ExitCode: 143, OOMKilled: false })
        const runs = await start(volume, ['collab-extract', 'runs', '--json'])
        await ended(runs)
        expect(await logsOf(runs)).toContain('"interrupted"')
      } finally {
        await slow.close()
      }
    })

    test('runs as any user whose volume it is', async () => {
      const night = await start(await volumeOf(12345), [], ['--user=12345:12345'])
      expect([(await ended(night)).ExitCode, await logsOf(night)]).toEqual([
        0,
        expect.stringContaining('Done: everything'),
      ])
    })

    test.skipIf(postgres === null)(
      'on Postgres, the workers of deploy/kubernetes read the snapshot of its job',
      async () => {
        await using files = await scratchDirectory()
        await using database = await databaseOf(postgres ?? '')
        const settings = await readFile(join(ROOT, 'deploy/kubernetes/workers/collab.yaml'), 'utf8')
        await writeFile(
          join(files.path, 'collab.yaml'),
          settings.replace('https://collab.example.com', sandbox.baseUrl),
        )
        await chmod(files.path, 0o755)
        const options = ['--volume', `${files.path}:/etc/collab:ro`, '--env', `DATABASE_URL=${database.url}`]
        const volume = await volumeOf(USER)
        const worker = await start(volume, ['collab-extract', 'worker'], options)
        const night = await start(volume, ['collab-nightly', '--quiet'], options)
        expect([(await ended(night)).ExitCode, await logsOf(night)]).toEqual([0, ''])
        expect((await logsOf(worker)).match(/project \w+ stored/g)).toHaveLength(SIZES.projects)
        await docker('stop', '--time', '60', worker)
        expect(await stateOf(worker)).toMatchObject({ ExitCode: 143, OOMKilled: false })
      },
    )

    test('neither configuration nor log of a container has the token, nor has the image', async () => {
      expect(containers.length).toBeGreaterThan(5)
      for (const container of containers) {
        expect(await docker('inspect', container)).not.toContain(TOKEN)
        expect(await logsOf(container)).not.toContain(TOKEN)
      }
      expect(await docker('history', '--no-trunc', TAG)).not.toContain(TOKEN)
    })
  },
)

/** A new database, dropped with the test. */
async function databaseOf(server: string) {
  const { url, drop } = await freshDatabase(server)
  return { url, [Symbol.asyncDispose]: drop }
}
