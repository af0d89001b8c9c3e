import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { cleanEnvironment, scratchDirectory } from '@collab-etl/harness/commands'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const ROOT = join(import.meta.dirname, '../..')

const packages = globSync('{packages,apps}/*/package.json', { cwd: ROOT }).map((path) => ({
  directory: dirname(path),
  ...JSON.parse(readFileSync(join(ROOT, path), 'utf8')),
}))

/** The version of all packages. */
const VERSION: string = packages[0]?.version

interface Job {
  readonly needs?: string | readonly string[]
  readonly permissions?: Readonly<Record<string, string>>
  readonly outputs?: Readonly<Record<string, string>>
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[]
}

/** Jobs of the workflow that releases. */
const { jobs } = parse(readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8')) as {
  jobs: Record<string, Job>
}

async function execute(program: string, args: readonly string[], cwd: string) {
  return await promisify(execFile)(program, args, { cwd, env: cleanEnvironment() })
}

/** A clone of the last commit that has these scripts, with the installed dependencies. */
async function clone() {
  const scratch = await scratchDirectory()
  const path = join(scratch.path, 'clone')
  await execute('git', ['clone', '--quiet', '--no-hardlinks', ROOT, path], scratch.path)
  await symlink(join(ROOT, 'node_modules'), join(path, 'node_modules'))
  return { path, [Symbol.asyncDispose]: () => scratch[Symbol.asyncDispose]() }
}

describe('the packages', () => {
  test.each(packages)('$name is public, has one scope and version, and names its source', (manifest) => {
    expect(manifest.name).toMatch(/^@collab-etl\//)
    expect(manifest).not.toHaveProperty('private')
    expect(manifest).toMatchObject({
      version: VERSION,
      license: 'Apache-2.0',
      publishConfig: { access: 'public', provenance: true },
      repository: { url: 'git+https://github.com/collab-etl/collab-etl.git', directory: manifest.directory },
    })
    expect(manifest.files).toContain('dist')
  })

  test('the root and Kubernetes have the version of the packages', () => {
    expect(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version).toBe(VERSION)
    const tags = globSync('deploy/kubernetes/*/kustomization.yaml', { cwd: ROOT }).map(
      (path) => parse(readFileSync(join(ROOT, path), 'utf8')).images[0].newTag,
    )
    expect(tags).toEqual([VERSION, VERSION])
  })
})

describe('a release', () => {
  testThoroughly('.ci/version sets the next version everywhere, and gives it a section of the changelog', async () => {
    await using repository = await clone()
    await writeFile(join(repository.path, '.changeset/test.md'), '---\n"@collab-etl/core": minor\n---\n\nA change.\n')
    const { stdout } = await execute('.ci/version', [], repository.path)
    const [major, minor] = VERSION.split('.').map(Number)
    // 0.1.0-dev comes before 0.1.0
    const version = VERSION.includes('-') ? VERSION.replace(/-.*/, '') : `${major}.${(minor ?? 0) + 1}.0`
    expect(stdout).toBe(`${version}\n`)
    const versions = ['package.json', ...packages.map(({ directory }) => `${directory}/package.json`)].map(
      (path) => JSON.parse(readFileSync(join(repository.path, path), 'utf8')).version,
    )
    expect(new Set(versions)).toEqual(new Set([version]))
    expect(globSync('.changeset/*.md', { cwd: repository.path })).toEqual(['.changeset/README.md'])
    expect(globSync('{packages,apps}/*/CHANGELOG.md', { cwd: repository.path })).toEqual([])
    const today = new Date().toISOString().slice(0, 10)
    const changelog = await readFile(join(repository.path, 'CHANGELOG.md'), 'utf8')
    expect(changelog).toContain(`## [Unreleased]\n\n## [${version}] - ${today}\n\n`)
    const { stdout: changed } = await execute('git', ['diff', '--name-only'], repository.path)
    expect(changed).toContain('deploy/kubernetes/base/kustomization.yaml')
    expect(changed).toContain('deploy/kubernetes/workers/kustomization.yaml')
    // the workspace is as the lock file says: the next installation is frozen
    expect(changed).not.toContain('pnpm-lock.yaml')

    // nothing is new since then
    await writeFile(join(repository.path, '.changeset/test.md'), '---\n"@collab-etl/core": patch\n---\n\nA change.\n')
    await expect(execute('.ci/version', [], repository.path)).rejects.toMatchObject({
      stderr: expect.stringContaining('nothing is under "## [Unreleased]"'),
    })
  })

  test('.ci/publish refuses packages that are not ours', async () => {
    await using scratch = await scratchDirectory()
    await writeFile(join(scratch.path, 'package.json'), '{"name":"collab-nightly","version":"1.0.0"}')
    await execute('npm', ['pack', '--silent'], scratch.path)
    await expect(execute(join(ROOT, '.ci/publish'), [scratch.path, '--dry-run'], scratch.path)).rejects.toMatchObject({
      code: 1,
      stderr: 'collab-nightly@1.0.0 is not ours\n',
    })
  })

  test('code of dependencies never runs in a job that can write or publish', () => {
    const isPrivileged = (permissions: Record<string, string>) => Object.values(permissions).includes('write')
    const privileged = Object.entries(jobs).filter(([, { permissions = {} }]) => isPrivileged(permissions))
    expect(privileged.map(([name]) => name)).toEqual(['propose', 'publish', 'tag'])
    for (const [name, { steps }] of privileged) {
      const scripts = steps.map(({ run = '' }) => run).join('\n')
      expect(scripts, name).not.toMatch(
        /bootstrap|pnpm|turbo|npx|npm (?:ci|install|i|test|run|exec)|\.ci\/(?!publish )/,
      )
    }
    const publishing = privileged.filter(([, { permissions = {} }]) => 'id-token' in permissions)
    expect(publishing.map(([name]) => name)).toEqual(['publish'])
  })

  test('each output that a job of the workflow uses is one of a job that it needs', () => {
    for (const [name, job] of Object.entries(jobs)) {
      const used = [...JSON.stringify(job).matchAll(/needs\.(\w+)\.outputs\.(\w+)/g)]
      for (const [, needed = '', output = ''] of used) {
        expect([job.needs].flat(), name).toContain(needed)
        expect(Object.keys(jobs[needed]?.outputs ?? {}), name).toContain(output)
      }
    }
  })

  test('its actions are those of GitHub, pinned to a version', () => {
    const used = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []))
    expect(used.length).toBeGreaterThan(5)
    for (const action of used) expect(action).toMatch(/^actions\/[\w-]+@v\d+$/)
  })
})
