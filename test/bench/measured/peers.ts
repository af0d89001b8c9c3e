import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Programs that keep copies of the same files, and what they are called with. */
const COPY = {
  /** The next copy links what the one before it has. */
  rsync: ({ files, folder }: Run, number: number) => {
    const links = number === 1 ? [] : [`--link-dest=${join(folder, String(number - 1))}`]
    return ['-a', ...links, `${files}/`, join(folder, String(number))]
  },
  restic: ({ files, folder }: Run) => ['-q', '-r', folder, 'backup', files],
  borg: ({ files, folder }: Run, number: number) => ['create', `${folder}::${number}`, files],
} as const

type Peer = keyof typeof COPY

export const PEERS = Object.keys(COPY) as readonly Peer[] // its keys

const INIT: Readonly<Partial<Record<Peer, (folder: string) => string[]>>> = {
  restic: (folder) => ['-q', '-r', folder, 'init'],
  borg: (folder) => ['init', '-e', 'none', folder],
}

interface Run {
  /** Directory of the files. */
  readonly files: string
  /** An empty directory for the copies. */
  readonly folder: string
}

/** Milliseconds in which a program copies a directory, and does so again; `null` if it is not installed. */
export async function copyTwice(peer: Peer, run: Run): Promise<{ firstMs: number; againMs: number } | null> {
  const state = `${run.folder}-state`
  const env = {
    ...process.env,
    ...{ RESTIC_PASSWORD: 'bench', RESTIC_CACHE_DIR: state, BORG_BASE_DIR: state },
    BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK: 'yes',
  }
  const call = async (args: readonly string[]) => {
    const begun = performance.now()
    await promisify(execFile)(peer, args, { env })
    return performance.now() - begun
  }
  await mkdir(run.folder, { recursive: true })
  try {
    const init = INIT[peer]?.(run.folder)
    if (init) await call(init)
    return { firstMs: await call(COPY[peer](run, 1)), againMs: await call(COPY[peer](run, 2)) }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
