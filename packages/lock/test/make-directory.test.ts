import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeDirectory } from '../src/make-directory.ts'

async function scratch(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'collab-lock-'))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

test('makes a directory with its parents once, and says whether it is new', async () => {
  const root = await scratch()
  expect(makeDirectory(join(root, 'a/b/c'), 0o700)).toBe(true)
  expect(makeDirectory(join(root, 'a/b/c'))).toBe(false)
  expect(makeDirectory(join(root, 'a/b/../d/'))).toBe(true)
  expect(makeDirectory('/')).toBe(false)
})

test('throws for files, and links to nothing, in the place of a directory or a parent', async () => {
  const root = await scratch()
  await writeFile(join(root, 'file'), '')
  await symlink('nothing', join(root, 'link'))
  expect(() => makeDirectory(join(root, 'file'))).toThrow(/EEXIST/)
  expect(() => makeDirectory(join(root, 'file/x'))).toThrow(/ENOTDIR/)
  expect(() => makeDirectory(join(root, 'link'))).toThrow(/EEXIST/)
  expect(() => makeDirectory(join(root, 'link/x'))).toThrow()
})

test.runIf(process.platform === 'linux')('throws if a parent accepts no new entry', () => {
  // In a process of its own: what never returns cannot be interrupted.
  const script = `import { makeDirectory } from '${join(import.meta.dirname, '../src/make-directory.ts')}'
    for (const path of ['/proc/x', '/proc/x/y/z']) try { makeDirectory(path) } catch (error) { console.log(error.code) }`
  const ran = spawnSync(process.execPath, ['--input-type=module', '-e', script], { timeout: 20_000, encoding: 'utf8' })
  expect(ran).toMatchObject({ status: 0, stdout: 'ENOENT\nENOENT\n' })
})
