import { randomUUID } from 'node:crypto'
import { readFile, readlink, statfs } from 'node:fs/promises'
import { hostname } from 'node:os'

/** Kernel and PID namespace of a process. Process ids are comparable only if both are equal. */
export interface Machine {
  /** Identifies a running kernel: shared by the containers of a host, changed by a reboot. */
  readonly boot: string
  readonly pidNamespace: string
}

let known: Promise<Machine> | undefined

export function thisMachine(): Promise<Machine> {
  known ??= readMachine()
  return known
}

async function readMachine(): Promise<Machine> {
  // elsewhere a host name is the best identification available
  if (process.platform !== 'linux') return { boot: `host:${hostname()}`, pidNamespace: '' }
  const [boot, pidNamespace] = await Promise.all([
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
    readlink('/proc/self/ns/pid').catch(() => ''),
  ])
  // a value that cannot be read must differ from every other one
  return { boot: boot.trim() || randomUUID(), pidNamespace: pidNamespace || randomUUID() }
}

/** Whether a process of this PID namespace is running. `started` distinguishes it from a later process with the same id. */
export async function isRunning(pid: number, started: string | null): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: the process runs, but belongs to another user
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false
  }
  const current = await startOf(pid)
  return current === null || started === null || current === started
}

/** Field 22 of `/proc/PID/stat`, the start time in clock ticks since boot; `null` if unavailable. */
export async function startOf(pid: number): Promise<string | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? null
}

/** `f_type` of file systems that only one kernel can mount: ext2-4, xfs, btrfs, tmpfs, overlay, zfs, f2fs, bcachefs. */
const LOCAL_FILE_SYSTEMS = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e,
])

/** Whether the directory is on a file system that no other host can access; `false` if uncertain. */
export async function isLocal(directory: string): Promise<boolean> {
  if (process.platform !== 'linux') return false
  const found = await statfs(directory).catch(() => null)
  return found !== null && LOCAL_FILE_SYSTEMS.has(found.type)
}
