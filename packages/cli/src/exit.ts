/** Exit codes of every command; scripts and schedulers rely on them. */
export const EXIT = {
  ok: 0,
  unexpected: 1,
  usage: 2,
  partial: 3,
  unauthorised: 4,
  damage: 5,
  locked: 11,
  sigint: 130,
  sigterm: 143,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

const MEANINGS: Record<keyof typeof EXIT, string> = {
  ok: 'all of it worked',
  unexpected: 'unexpected failure',
  usage: 'usage or configuration error, nothing was touched',
  partial: 'partial: the summary names what is not whole, all else is stored',
  unauthorised: 'not authorised',
  damage: 'verification found damage',
  locked: 'another run holds the lock',
  sigint: 'interrupted by SIGINT, what was finished is kept',
  sigterm: 'interrupted by SIGTERM, what was finished is kept',
}

/** The table of exit codes, as every program's `--help` ends with it. */
export function describeExitCodes(): string {
  const rows = Object.entries(EXIT).map(([name, code]) => `  ${String(code).padStart(3)}  ${MEANINGS[nameOf(name)]}`)
  return ['Exit codes:', ...rows].join('\n')
}

function nameOf(name: string): keyof typeof EXIT {
  return name as keyof typeof EXIT // Object.entries widens the keys of a constant to string
}
