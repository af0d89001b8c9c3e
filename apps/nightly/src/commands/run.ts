import { type CliError, type Command, type Context, defineCommand, type SettingGroup } from '@collab-etl/cli'
import { type NightlyFlags, RUN_FLAGS } from '../config/flags.ts'
import { SUMMARIES } from './summaries.ts'

// what a night needs is loaded when one begins: the help shows the flags of this command
const night = async () => await import('../run/night.ts')

const definition = {
  ...SUMMARIES.run,
  examples: [
    ['', 'at a terminal, if neither address nor token is set: a trial on sample data'],
    ['--base-url https://collab.example.com --token-file token', 'a backup of that service'],
    ['--config /etc/collab/collab.yaml --quiet', 'with the settings of that file; prints only problems'],
  ],
  options: {
    ...RUN_FLAGS,
    'or-trial': {
      type: 'boolean',
      default: false,
      describe: 'runs a trial if neither address nor token is set, also without a terminal',
    },
  },
  settings: ['service', 'warehouse'],
  onInterrupt: 'finished projects are kept',
  async run(context: Context, { 'or-trial': orTrial, ...flags }: NightlyFlags & { readonly 'or-trial'?: boolean }) {
    return await (await night()).runNight(context, flags, orTrial || context.stdout.isTerminal)
  },
  async refused(context: Context, flags: NightlyFlags, failure: CliError, groups: readonly SettingGroup[]) {
    await (await night()).recordRefusal(context, flags, failure, groups.includes('warehouse'))
  },
} as const

/** `collab-nightly` without a command. */
export const nightly = defineCommand({ ...definition, command: '$0' })

/** The same by its name. */
export const run: Command = defineCommand(definition)
