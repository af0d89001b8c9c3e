import { readdirSync, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Whether a text contains a secret: plain, in base64 (at any offset), or percent-encoded. */
export function secretsIn(text: string, secrets: readonly string[]): boolean {
  return secrets.some((secret) => formsOf(secret).some((form) => text.includes(form)))
}

function formsOf(secret: string): string[] {
  const inBase64 = [0, 1, 2].map((before) => {
    const encoded = Buffer.from('x'.repeat(before) + secret).toString('base64')
    // The characters at both ends depend on the neighbouring bytes.
    return encoded.slice(before === 0 ? 0 : 4, -4)
  })
  return [secret, ...inBase64, encodeURIComponent(secret), Buffer.from(secret).toString('hex')]
}

/** Files below a directory whose name or content contains a secret. */
export async function filesWithSecrets(folder: string, secrets: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    // Latin-1 maps every byte to a character, so that binary files can be searched.
    const content = entry.isFile() ? await readFile(path, 'latin1') : ''
    if (secretsIn(`${entry.name}\n${content}`, secrets)) found.push(path)
  }
  return found
}

/**
 * Watches the command lines of processes that start while it exists. Reading those of all processes would take longer than most
 * commands.
 */
export class ProcessList {
  /** Command lines that contain a secret. */
  readonly found: string[] = []
  readonly #secrets: readonly string[]
  readonly #others = new Set(processIds())
  readonly #timer = setInterval(() => this.look(), 200)

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets
  }

  look(): void {
    const started = processIds().filter((pid) => !this.#others.has(pid))
    for (const line of started.map(commandLine)) if (secretsIn(line, this.#secrets)) this.found.push(line)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}

/** Empty on systems without `/proc`. */
function processIds(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

/** Empty if the process has ended. */
function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
  } catch {
    return ''
  }
}
