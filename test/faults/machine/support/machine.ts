import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Fixture } from '../../support/fixture.ts'

const execute = promisify(execFile)

/** User and group id that replace root, because permissions do not restrict root. */
const UNPRIVILEGED_ID = 65534

const isRoot = process.getuid?.() === 0

/** A small file system in memory, removed after the fault. */
export class SmallDisk {
  readonly path: string

  private constructor(path: string) {
    this.path = path
  }

  /** @param options of `mount -o`: `size=2m`, `nr_inodes=200` */
  static async mount(fixture: Pick<Fixture, 'path' | 'defer'>, options: string): Promise<SmallDisk> {
    if (process.platform !== 'linux' || !isRoot) {
      throw new Error('this fault needs a small disk: run it on Linux as root, who may mount a tmpfs')
    }
    const disk = new SmallDisk(join(fixture.path, 'disk'))
    await mkdir(disk.path)
    await execute('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', disk.path])
    fixture.defer(async () => {
      await execute('umount', [disk.path])
    })
    return disk
  }

  /** Free bytes. */
  async free(): Promise<number> {
    const { stdout } = await execute('df', ['--output=avail', '-B1', this.path])
    return Number(stdout.trim().split('\n').at(-1))
  }

  async remount(options: string): Promise<void> {
    await execute('mount', ['-o', `remount,${options}`, this.path])
  }

  /** Fills the disk except for so many bytes with a file that `empty` removes. */
  async leaveFree(bytes: number): Promise<void> {
    await this.empty()
    const size = (await this.free()) - Math.ceil(bytes)
    if (size > 0) await execute('fallocate', ['--length', String(size), join(this.path, FILLER)])
  }

  async empty(): Promise<void> {
    await rm(join(this.path, FILLER), { force: true })
  }
}

const FILLER = 'filler'

/** What this machine lacks to mount a file system in user space; `null`: nothing. */
export function lackForFuse(): string | null {
  if (process.platform !== 'linux' || !isRoot) return 'run it on Linux as root, who may mount'
  if (!existsSync('/dev/fuse')) return 'there is no /dev/fuse'
  const programs = ['ntfs-3g', 'mkntfs'].filter((name) => spawnSync('which', [name]).status !== 0)
  return programs.length === 0 ? null : `${programs.join(' and ')} not found (apt-get install ntfs-3g)`
}

/** Mounts a file system in user space, which renames files that are removed while they are open. */
export async function mountFuse(fixture: Fixture): Promise<string> {
  const [image, path] = [join(fixture.path, 'image'), join(fixture.path, 'mounted')]
  await execute('fallocate', ['--length', '64MiB', image])
  await execute('mkntfs', ['--force', '--quick', '--quiet', image])
  await mkdir(path)
  await execute('ntfs-3g', ['-o', 'loop', image, path])
  fixture.defer(async () => {
    await execute('umount', [path])
  })
  return path
}

/** Command prefix that drops root, so that permissions apply. */
export async function boundByRights(fixture: Fixture): Promise<string[]> {
  if (!isRoot) return []
  // Its working directory belongs to root.
  await chmod(fixture.path, 0o755)
  return ['setpriv', `--reuid=${UNPRIVILEGED_ID}`, `--regid=${UNPRIVILEGED_ID}`, '--clear-groups']
}

/** Command prefix that runs it like a container: with its own process ids and the name of this host. */
export function inContainer(): string[] {
  if (process.platform !== 'linux' || !isRoot) {
    throw new Error('this fault needs PID namespaces: run it on Linux as root, who may make them')
  }
  return ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child']
}

/** Gives a file or directory to the user of `boundByRights`. */
export async function giveAway(path: string): Promise<void> {
  if (isRoot) await execute('chown', ['-R', `${UNPRIVILEGED_ID}:${UNPRIVILEGED_ID}`, path])
}

/** Command prefix that limits open files. */
export function openFiles(limit: number): string[] {
  return ['prlimit', `--nofile=${limit}`]
}

/** Command prefix that redirects its streams, in shell notation. */
export function redirected(redirection: string): string[] {
  return ['bash', '-c', `exec "$@" ${redirection}`, 'bash']
}
