import { randomUUID } from 'node:crypto'
import { readFile, readlink, statfs } from 'node:fs/promises'
import { hostname } from 'node:os'

/** Where a process runs. Two processes can see each other's ids only if both values are equal. */
export interface Machine {
  /** One running kernel: containers of a host share it, a reboot changes it. */
  readonly boot: string
  readonly pidNamespace: string
}

let known: Promise<Machine> | undefined

export function thisMachine(): Promise<Machine> {
  known ??= readMachine()
  return known
}

async function readMachine(): Promise<Machine> {
  // without containers, a host name is the best there is
  if (process.platform !== 'linux') return { boot: `host:${hostname()}`, pidNamespace: '' }
  const [boot, pidNamespace] = await Promise.all([
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
    readlink('/proc/self/ns/pid').catch(() => ''),
  ])
  // a value that cannot be read must equal no other one
  return { boot: boot.trim() || randomUUID(), pidNamespace: pidNamespace || randomUUID() }
}

/** Whether a process of this PID namespace is running. `started` tells it from a later process with the same id. */
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

/** Field 22 of `/proc/PID/stat`, in clock ticks since the boot; `null` where there is none. */
export async function startOf(pid: number): Promise<string | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? null
}

/** `f_type` of file systems that one kernel alone can have mounted: ext2-4, xfs, btrfs, tmpfs, overlay, zfs, f2fs, bcachefs. */
const LOCAL_FILE_SYSTEMS = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e,
])

/** Whether no other host can see this directory. `false` where that is not certain. */
export async function isLocal(directory: string): Promise<boolean> {
  if (process.platform !== 'linux') return false
  const found = await statfs(directory).catch(() => null)
  return found !== null && LOCAL_FILE_SYSTEMS.has(found.type)
}
