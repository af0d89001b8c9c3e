import { isAbsolute, resolve } from 'node:path'
import { duration, FileValueError, type ProgramLine, parseProgramLine } from '@collab-etl/cli'
import { Check } from 'typebox/schema'
import { A_TIME, HOOK_EXAMPLE, HOOKS, type HookName, HTTP_ADDRESS, type NightlyFile, NightlySchema } from './schema.ts'

/** A part of the schema, as far as errors need it. */
interface Part {
  readonly must?: string
  readonly properties?: Readonly<Record<string, Part>>
  readonly items?: Part
}

/**
 * Checks `nightly:` of the config file, and makes its paths absolute.
 * @param directory base of relative paths
 * @throws FileValueError names the wrong part and the allowed values
 */
export function readNightly(value: unknown, directory: string): NightlyFile {
  const given = value ?? {}
  if (!Check(NightlySchema, given)) throw firstError(given)
  for (const [path, url] of addressesOf(given)) {
    if (!URL.canParse(url)) throw new FileValueError(path, `must be ${HTTP_ADDRESS}`)
  }
  for (const key of TIMES) {
    const time = given[key]
    if (time !== undefined && !isTime(time)) throw new FileValueError([key], `must be ${A_TIME}`)
  }
  for (const [path, keep] of [
    [['keep'], given.keep],
    [['archive', 'keep'], given.archive?.keep],
  ] as const) {
    if (keep && Object.values(keep).every((count) => count === 0))
      throw new FileValueError(path, 'keeps no backup: at least one rule must keep one')
  }
  if (given.drill !== undefined && given.formats?.every((format) => format === 'html'))
    throw new FileValueError(['drill'], 'needs jsonl, csv or markdown among the formats: html cannot be loaded')
  const within = (path: string) => (isAbsolute(path) ? path : resolve(directory, path))
  const { before, after, on_failure, ...rest } = given
  const { out, archive, metrics_file: metricsFile, report } = rest
  return {
    ...rest,
    ...programsOf({ before, after, on_failure }, directory),
    ...(out !== undefined && { out: within(out) }),
    ...(archive && {
      archive: {
        ...archive,
        ...(archive.to !== undefined && { to: within(archive.to) }),
        ...(archive.identity !== undefined && { identity: within(archive.identity) }),
      },
    }),
    ...(metricsFile !== undefined && { metrics_file: within(metricsFile) }),
    ...(report !== undefined && { report: within(report) }),
  }
}

const TIMES = ['pause', 'timeout'] as const

/** Timers cannot wait for more than 24 days. */
const LONGEST_MS = duration('7d')

function isTime(text: string): boolean {
  try {
    return duration(text) <= LONGEST_MS
  } catch {
    return false // no time at all, such as 0s
  }
}

/** The programs of the hooks. */
function programsOf(
  given: Readonly<Record<HookName, readonly (readonly unknown[])[] | undefined>>,
  directory: string,
): { readonly [hook in HookName]?: readonly ProgramLine[] } {
  const named = HOOKS.flatMap((hook) => {
    const lines = given[hook]
    if (lines === undefined) return []
    const parsed = lines.map((line, index) => {
      try {
        return parseProgramLine(line, directory, HOOK_EXAMPLE)
      } catch (error) {
        throw new FileValueError([hook, index], error instanceof Error ? error.message : String(error))
      }
    })
    return [[hook, parsed] as const]
  })
  return Object.fromEntries(named)
}

/** The addresses in the settings, which no pattern can check in full. */
function addressesOf({
  ping,
  notify = [],
}: Pick<NightlyFile, 'ping' | 'notify'>): [path: (string | number)[], url: string][] {
  return [
    ...(ping === undefined ? [] : [[['ping'], ping] satisfies [string[], string]]),
    ...notify.map(({ url }, index): [(string | number)[], string] => [['notify', index, 'url'], url]),
  ]
}

function firstError(value: unknown): FileValueError {
  const whole = NightlySchema as Part
  return errorIn(value, whole, []) ?? new FileValueError([], `must be ${whole.must}`)
}

/** The first part of a value that its schema does not allow. */
function errorIn(value: unknown, part: Part, path: readonly (string | number)[]): FileValueError | undefined {
  if (part.properties && isObject(value)) {
    const { properties } = part
    const unknown = Object.keys(value).find((key) => !Object.hasOwn(properties, key))
    if (unknown !== undefined) {
      return new FileValueError(
        [...path, unknown],
        `is not a setting; the settings here are ${Object.keys(properties).join(', ')}`,
      )
    }
    for (const [key, inner] of Object.entries(properties)) {
      const found = key in value ? errorIn(value[key], inner, [...path, key]) : undefined
      if (found) return found
    }
  }
  if (part.items && Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const found = errorIn(item, part.items, [...path, index])
      if (found) return found
    }
  }
  // each part of a schema is itself a schema
  return Check(part as typeof NightlySchema, value) ? undefined : new FileValueError(path, `must be ${part.must}`)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
