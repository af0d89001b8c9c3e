import { execFile } from 'node:child_process'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { cleanEnvironment, scratchDirectory } from '@collab-etl/harness/commands'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

/** The oldest Node that the packages allow, from the npm registry, beside the one that runs the tests. */
const OLDEST_NODE = '22.19.0'

const VERSION: string = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version

const execute = promisify(execFile)

/** The README's recipe, with the packed packages in place of those of the registry: the named ones bring the others. */
function installRecipe(directory: string, tarballs: readonly string[]): string {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const [, recipe = ''] = /<!-- run: install -->\n```sh\n([\s\S]*?)```/.exec(readme) ?? []
  const named = [...recipe.matchAll(/@collab-etl\/[\w-]+/g)].map(([name]) => name)
  expect(named).toHaveLength(3)
  const quoted = tarballs.map((path) => `'${path}'`).join(' ')
  const programs = `for program in nightly extract export; do command -v "collab-$program"; done`
  return `${recipe.replace(named.join(' '), quoted).replaceAll('/opt/collab-etl', directory)}${programs}`
}

test('packed and installed with npm alone, each program runs on the oldest Node and on ours', {
  tags: 'thorough',
}, async () => {
  await using scratch = await scratchDirectory()
  const packed = join(scratch.path, 'packed')
  await mkdir(packed)
  const manifests = globSync('{packages,apps}/*/package.json', { cwd: ROOT })
  for (const manifest of manifests) {
    await execute('pnpm', ['pack', '--pack-destination', packed], { cwd: join(ROOT, dirname(manifest)) })
  }
  const tarballs = readdirSync(packed).map((name) => join(packed, name))
  expect(tarballs).toHaveLength(manifests.length)

  const installed = join(scratch.path, 'installed')
  const env = { ...cleanEnvironment(), npm_config_audit: 'false', npm_config_fund: 'false' }
  const { stdout } = await execute('sh', ['-euc', installRecipe(installed, tarballs)], { cwd: scratch.path, env })
  const onPath = ['nightly', 'extract', 'export'].map((program) =>
    join(installed, `node_modules/.bin/collab-${program}`),
  )
  expect(stdout.trim().split('\n').slice(-3)).toEqual(onPath)
  await execute('npm', ['install', '--ignore-scripts=false', `node@${OLDEST_NODE}`], { cwd: installed, env })

  const typed = ['--no-install', 'collab-extract', '--version']
  expect((await execute('npx', typed, { cwd: installed, env })).stdout).toBe(`${VERSION}\n`)

  const bin = join(installed, 'node_modules/.bin')
  const nodes = [dirname(process.execPath), bin]
  const versions: string[] = []
  for (const [index, node] of nodes.entries()) {
    const cwd = join(scratch.path, `run ${index}`)
    await mkdir(cwd)
    const PATH = `${node}:/usr/bin:/bin`
    const ran = (program: string, ...args: string[]) =>
      execute(join(bin, program), args, { cwd, env: { ...env, PATH } })
    versions.push((await execute('node', ['--version'], { env: { ...env, PATH } })).stdout.trim())
    expect((await ran('collab-nightly', 'trial', '--quiet')).stdout).toBe('')
    expect((await ran('collab-nightly', 'status', '--out', 'collab-sample/collab-backup')).stdout).toContain(
      ': succeeded',
    )
    expect((await ran('collab-export', 'verify', 'collab-sample/collab-backup')).stdout).toContain('Intact')
    const query = ['query', '--data-dir', 'collab-sample/collab-data', '--csv', 'SELECT count(*) FROM collab.projects']
    expect((await ran('collab-extract', ...query)).stdout).toMatch(/^count\s+6\s*$/)
    await expect(ran('collab-nightly', '--retries', 'x')).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^collab-nightly: --retries must be [^\n]*\n$/),
    })
    expect((await ran('collab-sandbox', '--version')).stdout).toBe(`${VERSION}\n`)
  }
  expect(versions).toEqual([process.version, `v${OLDEST_NODE}`])
})
