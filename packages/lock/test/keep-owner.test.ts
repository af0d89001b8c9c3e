import { chown, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeDirectory, replaceFile, takeLock } from '../src/index.ts'

/** Of an unprivileged user, on every system. */
const ID = 65_534

test.runIf(process.getuid?.() === 0)('what root makes belongs to the owner of its directory', async () => {
  const root = await mkdtemp(join(tmpdir(), 'collab-lock-'))
  onTestFinished(() => rm(root, { recursive: true }))
  await chown(root, ID, ID)
  const [folder, file, lock] = [join(root, 'a/b'), join(root, 'a/b/file'), join(root, 'a/lock')]
  makeDirectory(folder, 0o700)
  await replaceFile(file, 'text', 0o640)
  await using _lock = await takeLock(lock)
  for (const path of [join(root, 'a'), folder, file, lock]) expect(await stat(path)).toMatchObject({ uid: ID, gid: ID })
  expect([await readFile(file, 'utf8'), (await stat(file)).mode & 0o777]).toEqual(['text', 0o640])
})
