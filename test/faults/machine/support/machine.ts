import { execFile } from 'node:child_process'
import { chmod, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Fixture } from '../../support/fixture.ts'

const execute = promisify(execFile)

/** Whom root becomes, as rights do not bind root. */
const NOBODY = 65534

const isRoot = process.getuid?.() === 0

/** A small file system in memory, which goes when the fault does. */
export class SmallDisk {
  readonly path: string

  private constructor(path: string) {
    this.path = path
  }

  /** @param options as `mount -o` takes them: `size=2m`, `nr_inodes=200` */
  static async mount(fixture: Fixture, options: string): Promise<SmallDisk> {
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

  /** Bytes that are left. */
  async free(): Promise<number> {
    const { stdout } = await execute('df', ['--output=avail', '-B1', this.path])
    return Number(stdout.trim().split('\n').at(-1))
  }

  async remount(options: string): Promise<void> {
    await execute('mount', ['-o', `remount,${options}`, this.path])
  }

  /** Leaves room for so many bytes, in a file that `empty` removes. */
  async leaveFree(bytes: number): Promise<void> {
    await this.empty()
    const room = (await this.free()) - Math.ceil(bytes)
    if (room > 0) await execute('fallocate', ['--length', String(room), join(this.path, FILLER)])
  }

  async empty(): Promise<void> {
    await rm(join(this.path, FILLER), { force: true })
  }
}

const FILLER = 'filler'

/** Words before a command that let rights bind it: those who run the faults may be root. */
export async function boundByRights(fixture: Fixture): Promise<string[]> {
  if (!isRoot) return []
  // Its working directory, which is of root's alone.
  await chmod(fixture.path, 0o755)
  return ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']
}

/** Words before a command that run it as a container does: with process ids of its own, under the name of this host. */
export function inContainer(): string[] {
  if (process.platform !== 'linux' || !isRoot) {
    throw new Error('this fault needs PID namespaces: run it on Linux as root, who may make them')
  }
  return ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child']
}

/** Gives a file or folder to the user whom `boundByRights` makes. */
export async function giveAway(path: string): Promise<void> {
  if (isRoot) await execute('chown', ['-R', `${NOBODY}:${NOBODY}`, path])
}

/** Words before a command: no more than so many open files. */
export function openFiles(limit: number): string[] {
  return ['prlimit', `--nofile=${limit}`]
}

/** Words before a command: its streams go elsewhere, as a shell's redirection says. */
export function redirected(redirection: string): string[] {
  return ['bash', '-c', `exec "$@" ${redirection}`, 'bash']
}
