import { spawn } from 'node:child_process'

/** The program of each system that opens an address in the browser of the user's choice. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [program: string, ...args: string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

const DEFAULT_OPENER = ['xdg-open'] as const

/** Opens an address in a browser, without a shell. `onFailure` is called if the program is missing or fails. */
export function openBrowser(url: string, onFailure: () => void): void {
  const [program, ...args] = OPENERS[process.platform] ?? DEFAULT_OPENER
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  child.once('error', onFailure)
  child.once('exit', (code) => {
    if (code !== 0) onFailure()
  })
  // The browser may run longer than this process.
  child.unref()
}
