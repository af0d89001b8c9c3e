import { readdir, realpath, rename, rmdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import {
  FOLDER_MODE,
  flushFolder,
  flushTree,
  type OnLeft,
  openTemporaryDirectory,
  removeStaleDirectories,
  type TemporaryDirectory,
} from '@collab-etl/bagit'
import { UsageError } from '@collab-etl/cli'
import { ifExists, makeDirectory } from '@collab-etl/lock'

/** A directory that appears whole or not at all. */
export interface OutDirectory extends AsyncDisposable {
  /** Beside it, with the folder `bag`, which becomes the directory. */
  readonly temporary: TemporaryDirectory
  /** Gives the folder its name. */
  publish(): Promise<void>
}

/** @throws UsageError if there is anything but an empty directory */
export async function openOutDirectory(
  out: string,
  { signal, onLeft }: { readonly signal: AbortSignal; readonly onLeft: OnLeft },
): Promise<OutDirectory> {
  const target = await realpath(resolve(out)).catch(() => resolve(out))
  await refuseUnlessEmpty(target, out)
  const parent = dirname(target)
  makeDirectory(parent, FOLDER_MODE)
  await removeStaleDirectories(parent, { signal, onLeft })
  const temporary = await openTemporaryDirectory(parent, onLeft)
  return {
    temporary,
    async publish() {
      temporary.check()
      await flushTree(temporary.bag)
      await refuseUnlessEmpty(target, out)
      await ifExists(rmdir(target))
      await rename(temporary.bag, target)
      await flushFolder(parent)
    },
    [Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose](),
  }
}

async function refuseUnlessEmpty(target: string, out: string): Promise<void> {
  const names = await ifExists(readdir(target))
  if (names === null || names.length === 0) return
  throw new UsageError(`--out ${out} is not empty (${join(out, names[0] ?? '')}): name a new or an empty directory`)
}
