import { CONTENT, FORMATS } from '@collab-etl/backups/content'
import type { ProgramLine } from '@collab-etl/cli'
import { Type } from '@collab-etl/contract/schema'
import { STREAMS } from '@collab-etl/contract/streams'
import type { Static } from 'typebox'

// The schema of `nightly:` in collab.yaml. The published JSON Schema has its descriptions.

/** What a value must be, for errors: the part of the sentence after "must be". */
type Must = { readonly must: string }

const mustBe = <const T extends object>(must: string, options: T): T & Must => ({ ...options, must })

const Path = Type.String(mustBe('a path', { minLength: 1 }))

/** What `ping` and the address of a receiver must be. */
export const HTTP_ADDRESS = 'an address that begins with https:// or http://'

/** What `pause` and `timeout` must be. */
export const A_TIME = 'a length of time from 1s to 7d, such as 30s, 10m or 5h'

const HttpUrl = Type.String(mustBe(HTTP_ADDRESS, { pattern: '^https?://[^\\s/]' }))

const Count = (of: string) =>
  Type.Union(
    [Type.Integer({ minimum: 0, maximum: 100_000 }), Type.Literal('unlimited')],
    mustBe('a whole number from 0 to 100000, or unlimited', { description: `Keeps ${of}.` }),
  )

const Time = (description: string, preset?: string) =>
  Type.String(
    mustBe(A_TIME, { description, ...(preset !== undefined && { default: preset }), pattern: '^(\\d+[ywdhms])+$' }),
  )

const keepOf = (what: 'backups' | 'archives') =>
  Type.Object(
    {
      last: Type.Optional(Count(`this many of the newest ${what}`)),
      hourly: Type.Optional(Count('the newest of each of the last N hours that have one (UTC)')),
      daily: Type.Optional(Count('the newest of each of the last N days that have one')),
      weekly: Type.Optional(Count('the newest of each of the last N weeks that have one (Monday to Sunday)')),
      monthly: Type.Optional(Count('the newest of each of the last N months that have one')),
      yearly: Type.Optional(Count('the newest of each of the last N years that have one')),
      within: Type.Optional(
        Type.String(
          mustBe('a length of time such as 30d, 12h or 1y6mo (mo for months)', {
            description: 'Keeps all newer than this, counted from the latest one; mo is months.',
            pattern: '^(\\d{1,3}y)?(\\d{1,4}mo)?(\\d{1,4}w)?(\\d{1,5}d)?(\\d{1,6}h)?(\\d{1,9}s)?$',
            minLength: 2,
          }),
        ),
      ),
    },
    mustBe('rules such as { daily: 7, weekly: 5 }', {
      description: `Removes the ${what} that none of these rules keeps. Without this key, none is removed.`,
      additionalProperties: false,
      minProperties: 1,
    }),
  )

const Archive = Type.Object(
  {
    as: Type.Union(
      [Type.Literal('tar.zst'), Type.Literal('tar.gz'), Type.Literal('zip')],
      mustBe('tar.zst, tar.gz or zip', { description: 'Format of the file.' }),
    ),
    to: Type.Optional(Type.String({ ...Path, description: 'Directory of the archives. Default: beside the backups.' })),
    keep: Type.Optional(keepOf('archives')),
    identity: Type.Optional(
      Type.String({
        ...Path,
        description: 'File with the private key of age with which drill opens encrypted archives.',
      }),
    ),
    encrypt: Type.Optional(
      Type.Array(
        Type.String(
          mustBe('a public key of age, such as age1…, which age-keygen prints', { pattern: '^age1[0-9a-z]+$' }),
        ),
        mustBe('a list of public keys of age', {
          description: 'Encrypts the file for these public keys of age.',
          minItems: 1,
        }),
      ),
    ),
  },
  mustBe('an archive such as { as: tar.zst, to: /mnt/offsite }', {
    description: 'Also writes each backup into one file.',
    additionalProperties: false,
  }),
)

const Accepted = Type.Object(
  {
    scope: Type.String(
      mustBe(`PID/STREAM or PID/STREAM/ITEM, with one of the streams ${STREAMS.join(', ')}`, {
        description: 'What may fail: a stream of a project, or one item of it, as collab-extract runs names them.',
        pattern: `^[^/]*/(${STREAMS.join('|')})(/.+)?$`,
      }),
    ),
    until: Type.String(
      mustBe('a date such as 2027-03-31', {
        description: 'When the acceptance ends, at 0:00 UTC.',
        pattern: '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$',
      }),
    ),
    reason: Type.String(mustBe('a text', { description: 'Why, for those who see it.', minLength: 1 })),
  },
  mustBe('a failure such as { scope: P1/posts/X7, until: 2027-03-31, reason: ticket 4711 }', {
    additionalProperties: false,
  }),
)

/** An example of a program and its arguments, for errors. */
export const HOOK_EXAMPLE = '[rclone, copy, /mnt/archives, offsite:collab]'

const A_PROGRAM = `a program and its arguments, such as ${HOOK_EXAMPLE}`

const Hooks = (description: string) =>
  Type.Optional(
    Type.Array(
      Type.Array(
        Type.Union([Type.String(), Type.Number()], mustBe('a text: put it into quotes', {})),
        mustBe(A_PROGRAM, { minItems: 1, maxItems: 1000 }),
      ),
      mustBe(`a list of programs, each a list with its arguments, such as [${HOOK_EXAMPLE}]`, { description }),
    ),
  )

const WHEN = 'failure, always or change'
const AS = 'slack, ntfy or json'

const Notify = Type.Object(
  {
    url: Type.String({
      ...HttpUrl,
      description: 'Address of the receiver. Output and logs show at most its host, as it may hold a secret.',
    }),
    when: Type.Optional(
      Type.Union(
        [Type.Literal('failure'), Type.Literal('always'), Type.Literal('change')],
        mustBe(WHEN, {
          description:
            'failure: after each failure; always: after each run; change: after each run that ends in another way than the one before.',
          default: 'failure',
        }),
      ),
    ),
    as: Type.Optional(
      Type.Union(
        [Type.Literal('slack'), Type.Literal('ntfy'), Type.Literal('json')],
        mustBe(AS, { description: 'Format of the message.', default: 'json' }),
      ),
    ),
  },
  mustBe('a receiver such as { url: https://…, when: failure, as: slack }', { additionalProperties: false }),
)

/** The value of `nightly:` in collab.yaml. */
export const NightlySchema = Type.Object(
  {
    out: Type.Optional(
      Type.String({ ...Path, description: 'Directory that holds the backups.', default: './collab-backup' }),
    ),
    formats: Type.Optional(
      Type.Array(
        Type.Union(
          FORMATS.map((format) => Type.Literal(format)),
          mustBe(`one of ${FORMATS.join(', ')}`, {}),
        ),
        mustBe(`a list of ${FORMATS.join(', ')}`, {
          description: 'Formats of the backup.',
          default: ['markdown', 'csv', 'jsonl'],
          minItems: 1,
          uniqueItems: true,
        }),
      ),
    ),
    content: Type.Optional(
      Type.Array(
        Type.Union(
          CONTENT.map((kind) => Type.Literal(kind)),
          mustBe(`one of ${CONTENT.join(', ')}`, {}),
        ),
        mustBe(`a list of ${CONTENT.join(', ')}`, {
          description: 'Kinds of content of the backup. Default: all that its formats can hold.',
          minItems: 1,
          uniqueItems: true,
        }),
      ),
    ),
    workers: Type.Optional(
      Type.Integer(
        mustBe('a whole number from 0 to 256', {
          description:
            'Number of processes that read the snapshot: as many are started on this machine; with 0, workers that run elsewhere read it. Needs Postgres. Default: the process of the snapshot reads it.',
          minimum: 0,
          maximum: 256,
        }),
      ),
    ),
    verify: Type.Optional(
      Type.String(
        mustBe('full, fast, off, or a part of the files such as 1/7', {
          description:
            'How much of the latest backup is verified: every byte (full), every byte of a seventh of the files, another seventh each night, and of one older backup and archive (1/7), only number and sizes of files (fast), or nothing (off).',
          default: 'full',
          pattern: '^(full|fast|off|1/([2-9]|[1-9][0-9]{1,2}|1000))$',
        }),
      ),
    ),
    keep: Type.Optional(keepOf('backups')),
    archive: Type.Optional(Archive),
    drill: Type.Optional(
      Type.String(
        mustBe('a length of time in days such as 30d', {
          description:
            'Practises recovery when the last drill that passed is older: the newest archive or backup is verified, loaded into a temporary warehouse, and compared. Default: never.',
          pattern: '^[1-9]\\d{0,3}d$',
        }),
      ),
    ),
    attempts: Type.Optional(
      Type.Integer(
        mustBe('a whole number from 1 to 10', {
          description:
            'Number of attempts of a run, the first one included. A step is run again after exit code 1, and a snapshot also if broken connections or server errors left scopes incomplete.',
          default: 1,
          minimum: 1,
          maximum: 10,
        }),
      ),
    ),
    pause: Type.Optional(Time('Pause before the next attempt.', '10m')),
    timeout: Type.Optional(
      Time(
        'Time limit of the whole run, all attempts and pauses included: the step under way is ended. Default: none.',
      ),
    ),
    accept: Type.Optional(
      Type.Array(
        Accepted,
        mustBe('a list of failures', {
          description:
            'Known failures in spite of which a run counts as succeeded, until a date. Summaries and reports name them.',
        }),
      ),
    ),
    before: Hooks(
      'Programs that run before the first step, each as a list with its arguments. If one fails, no step runs.',
    ),
    after: Hooks(
      'Programs that run if the steps ended with exit code 0 or 3, or only an older copy is damaged. If one fails, the exit code is 1.',
    ),
    on_failure: Hooks('Programs that run after a run whose exit code is not 0.'),
    ping: Type.Optional(
      Type.String({
        ...HttpUrl,
        description:
          'Address of a health check with the protocol of healthchecks.io, called at the start (/start) and the end (/<exit code>) of each run. Output and logs show at most its host, as it may hold a secret.',
      }),
    ),
    notify: Type.Optional(
      Type.Array(Notify, mustBe('a list of receivers', { description: 'Receivers of notifications.' })),
    ),
    metrics_file: Type.Optional(
      Type.String({
        ...Path,
        description:
          'File for the textfile collector of the Prometheus node exporter, which reads only names that end in .prom.',
      }),
    ),
    report: Type.Optional(
      Type.String({
        ...Path,
        description:
          'Directory of a report, which each run replaces: one HTML page, index.html, that shows the last runs.',
      }),
    ),
  },
  mustBe('settings such as "out: /var/backups/collab"', {
    description: 'Settings of collab-nightly.',
    additionalProperties: false,
  }),
)

/** The keys of `nightly:` that name programs. */
export const HOOKS = ['before', 'after', 'on_failure'] as const

/** When a program of the operator runs. */
export type HookName = (typeof HOOKS)[number]

/** `nightly:` of the file, as it was checked. */
export type NightlyFile = Omit<Static<typeof NightlySchema>, HookName> & {
  readonly [hook in HookName]?: readonly ProgramLine[]
}
