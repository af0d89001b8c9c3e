import { defineCommand, EXIT, hasToken, type ProgramLine, type Settings, settingValues } from '@collab-etl/cli'
import { stringify } from 'yaml'
import { exampleFile } from '../config/example.ts'
import { configSchema } from '../config/json-schema.ts'
import { type JobPlan, planOf } from '../config/plan.ts'
import { HOOKS } from '../config/schema.ts'
import { SUMMARIES } from './summaries.ts'

export const config = defineCommand({
  ...SUMMARIES.config,
  examples: [
    ['config', 'the settings from flags, environment, collab.yaml and defaults'],
    ['config --example > collab.yaml', 'a commented file to start from'],
  ],
  options: {
    example: { type: 'boolean', default: false, describe: 'prints a commented collab.yaml instead' },
    'json-schema': { type: 'boolean', default: false, describe: 'prints the JSON Schema of collab.yaml instead' },
  },
  settings: ['service', 'warehouse'],
  async run({ settings, stdout }, { example, 'json-schema': asSchema }) {
    if (example || asSchema) {
      await stdout.write(asSchema ? `${JSON.stringify(configSchema(), null, 2)}\n` : exampleFile())
      return EXIT.ok
    }
    const effective = effectiveSettings(settings)
    stdout.document(effective)
    stdout.line(stringify(effective).trimEnd())
    return EXIT.ok
  },
})

/** The settings by their keys in collab.yaml. Addresses and arguments that may hold a secret are shortened. */
function effectiveSettings(settings: Settings): Readonly<Record<string, unknown>> {
  const { snapshotArgs: _args, isTrial: _trial, ping, notify, ...plan }: JobPlan = planOf(settings, {})
  const hooks = HOOKS.flatMap((hook) => (plan[hook] ? [[hook, plan[hook].map(programOnly)] as const] : []))
  const { nightly: _nightly, ...ofSteps } = settings.file
  return {
    config_file: settings.configFile ?? null,
    token: hasToken(settings) ? 'set' : 'not set',
    ...settingValues(settings),
    accounts: settings.accounts?.map(({ name, place, ratePerSecond }) => ({
      name,
      ...(place.kind === 'file' ? { token_file: place.path } : { token_command: programOnly(place.command) }),
      rate: ratePerSecond ?? null,
    })),
    proxy: settings.proxy && {
      https: String(settings.proxy.https ?? ''),
      http: String(settings.proxy.http ?? ''),
      except: settings.proxy.except,
    },
    ...ofSteps,
    nightly: {
      ...plan,
      ...Object.fromEntries(hooks),
      ...(ping !== undefined && { ping: hostOnly(ping) }),
      ...(notify && {
        notify: notify.map(({ url, when = 'failure', as = 'json' }) => ({ url: hostOnly(url), when, as })),
      }),
    },
  }
}

function programOnly([program, ...args]: ProgramLine): string[] {
  return args.length === 0 ? [program] : [program, '…']
}

function hostOnly(url: string): string {
  return `${new URL(url).origin}/…`
}
