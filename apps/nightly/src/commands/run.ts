import { type CliError, type Command, type Context, defineCommand, type SettingGroup } from '@collab-etl/cli'
import { type NightlyFlags, RUN_FLAGS } from '../config/flags.ts'
import { SUMMARIES } from './summaries.ts'

// what a night needs is loaded when one begins: the help shows the flags of this command
const night = async () => await import('../run/night.ts')

const definition = {
  ...SUMMARIES.run,
  examples: [
    ['', 'a trial on sample data, if neither address nor token is set'],
    ['--base-url https://collab.example.com --token-file token', 'a backup of that service'],
    ['--config /etc/collab/collab.yaml --quiet', 'with the settings of that file; prints only problems'],
  ],
  options: RUN_FLAGS,
  settings: ['service', 'warehouse'],
  onInterrupt: 'finished projects are kept',
  async run(context: Context, flags: NightlyFlags) {
    return await (await night()).runNight(context, flags)
  },
  // at a terminal somebody reads the message
  async refused(context: Context, flags: NightlyFlags, failure: CliError, groups: readonly SettingGroup[]) {
    if (context.settings.file['nightly'] === undefined || context.stdout.isTerminal) return
    await (await night()).recordRefusal(context, flags, failure, groups.includes('warehouse'))
  },
} as const

/** `collab-nightly` without a command. */
export const nightly = defineCommand({ ...definition, command: '$0' })

/** The same by its name. */
export const run: Command = defineCommand(definition)
