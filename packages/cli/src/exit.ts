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

/** One of the codes of `EXIT`. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

const MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: 'success',
  1: 'unexpected failure',
  2: 'usage or configuration error; nothing was changed',
  3: 'partial: the summary names what is incomplete; everything else is stored',
  4: 'not authorised',
  5: 'verification found damage, or a comparison found differences',
  11: 'another run holds the lock',
  130: 'interrupted by SIGINT; finished work is kept',
  143: 'interrupted by SIGTERM; finished work is kept',
}

/** The table of exit codes at the end of every program's `--help`. */
export function describeExitCodes(): string {
  const rows = Object.entries(MEANINGS).map(([code, meaning]) => `  ${code.padStart(3)}  ${meaning}`)
  return ['Exit codes:', ...rows].join('\n')
}
