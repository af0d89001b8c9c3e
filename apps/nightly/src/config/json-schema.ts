import { settingKeys } from '@collab-etl/cli'
import { NightlySchema } from './schema.ts'

/** The JSON Schema of collab.yaml, with which editors complete and check it. */
export function configSchema(): Readonly<Record<string, unknown>> {
  const single = { type: ['string', 'number', 'boolean', 'null'] }
  const settings = settingKeys().map(({ key, meaning, isList }) => [
    key,
    { description: meaning, ...(isList ? { anyOf: [single, { type: 'array', items: single }] } : single) },
  ])
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'collab.yaml: settings of collab-etl',
    type: 'object',
    additionalProperties: false,
    properties: {
      ...Object.fromEntries(settings),
      ...OF_COMMANDS,
      nightly: withoutMust(NightlySchema),
    },
  }
}

const TEXTS = { type: 'array', items: { type: 'string' } }

/** Keys that single commands check. */
const OF_COMMANDS = {
  links: { description: 'patterns of further links to posts, pages and files', type: 'array' },
  service_hosts: { description: 'further hosts whose links belong to the service', ...TEXTS },
  refresh: { description: 'how often unchanged records are read again, by stream: posts: 7d', type: 'object' },
  max_requests: { description: 'maximum number of requests of one snapshot', type: 'integer', minimum: 1 },
  token_command: { description: 'program and arguments whose first line of output is the token', ...TEXTS },
  accounts: {
    description: 'several accounts, instead of one token',
    type: 'array',
    minItems: 1,
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['name'],
      properties: {
        name: { description: 'letters, digits, - or _', type: ['string', 'integer'] },
        token_file: { description: 'file that holds the token, or what login stored', type: 'string' },
        token_command: { description: 'program and arguments whose first line of output is the token', ...TEXTS },
        rate: { description: 'requests per second at most, of this account', type: 'number' },
      },
    },
  },
  proxy: {
    description: 'proxy for the service, pings and notifications, where HTTPS_PROXY or HTTP_PROXY is not set',
    type: 'string',
  },
  oauth: { description: 'addresses of signing in: authorize_url, token_url, refresh_url', type: 'object' },
  max_duration: { description: 'maximum duration of one snapshot, such as 4h', type: 'string' },
}

/** A schema without `must`, which is our own keyword. */
function withoutMust(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema, (key, value: unknown) => (key === 'must' ? undefined : value)))
}
