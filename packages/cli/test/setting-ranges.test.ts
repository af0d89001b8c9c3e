import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EXIT, UsageError } from '../src/index.ts'
import { resolveSettings } from '../src/settings/resolve.ts'
import { SETTINGS } from '../src/settings/table.ts'
import { scratch } from './fixture/run.ts'

/** Values that each setting refuses; what only the warehouse can tell of a schema's name, its tests show. */
const BAD: Readonly<Record<keyof typeof SETTINGS, readonly string[]>> = {
  baseUrl: ['x', 'ftp://a', 'http://', 'https://u:p@a', 'https://a/v1', 'https://a?b', 'https://a#b'],
  tokenFile: ['/dev/zero', '/dev/null', '/', '/none', '/none/none'],
  tokenIn: ['Header', 'body', 'header,query'],
  extended: ['on', 'Auto', 'posts'],
  body: ['xml', 'JSON'],
  ca: ['/dev/zero', '/dev/null', '/', '/none'],
  databaseUrl: ['x', 'mysql://a/b', 'postgres:a', 'http://a/b', 'postgres://u:a#b@h/d'],
  dataDir: ['a\0b'],
  schema: [' ', '\t'],
  concurrency: ['0', '-1', '1.5', '257', '1e1', 'Infinity', 'NaN', '0x10', '99999999999999999999'],
  ratePerSecond: ['0', '0.0', '-1', '0.0009', '0.0000000001', '100001', '1e-3', 'Infinity', 'NaN'],
  limitedPer: ['all', 'Account', 'service,account'],
  minBytesPerSecond: ['-1', '1.5', '1kB', '1000000001'],
  timeoutSeconds: ['0', '-1', '0.0001', '0.0009', '3600.1', '3601', '1e3', 'Infinity', 'NaN', '2h', '60 s'],
  retries: ['-1', '1.5', '101', 'Infinity', 'NaN'],
  eventsWindow: ['0d', '31', 'd', '-1d', '1.5d', '1m', '31 d', '123456d', '12h1d', '59m'],
  rateLimitCodes: [
    ...['x', '399', '600', '999', '401', '100005', '429,', '429 503', '-1', '1e3', '4.5', '1000000000000000'],
  ],
  logLevel: ['INFO', 'verbose', '30'],
  logFormat: ['text', 'JSON'],
}

const GROUPS = ['service', 'warehouse'] as const
const cases = Object.values(SETTINGS).flatMap((entry) => {
  const [key] = Object.entries(SETTINGS).find(([, known]) => known === entry) ?? ['']
  return BAD[key as keyof typeof SETTINGS].map((value) => ({ ...entry, value })) // a key of the table it was found in
})

test.each(cases)('$flag refuses $value by flag, environment and file, in one line that names it', async (entry) => {
  using directory = scratch()
  const { flag, env, key, value } = entry
  writeFileSync(join(directory.path, 'collab.yaml'), `${key}: ${JSON.stringify(value)}\n`)
  const sources = { flags: {}, env: {}, directory: '/', groups: GROUPS }
  for (const [where, given] of [
    [`--${flag}`, { ...sources, flags: { [flag]: value } }],
    [env, { ...sources, env: { [env]: value } }],
    [`collab.yaml:1: ${key}`, { ...sources, directory: directory.path }],
  ] as const) {
    const error = await resolveSettings(given).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UsageError)
    const { message, exitCode } = error as UsageError // by the line above
    expect(exitCode).toBe(EXIT.usage)
    expect(message.startsWith(where)).toBe(true)
    expect(message).not.toMatch(/[\n\r]/)
  }
})
